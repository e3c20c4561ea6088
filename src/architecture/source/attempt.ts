import { Fault } from '../../kernel/fault.ts'
import type { Warning } from './source-files.ts'

/** One step of an analysis, for the warning about its failure. */
interface AnalysisStep {
  /** What is missing when it fails, such as "the endpoints". */
  readonly result: string
  /** `.` when the step is about the whole project. */
  readonly file: string
  readonly warnings: Warning[]
}

/**
 * Runs one step of an analysis. A step that fails on unforeseen code costs its own result and a warning, not the
 * report. Faults pass: the deadline ends everything.
 */
export const attempt = <T>({ result, file, warnings }: AnalysisStep, fallback: T, run: () => T): T => {
  try {
    return run()
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    const name = cause instanceof Error ? cause.name : 'an unknown error'
    warnings.push({
      code: 'step_failed',
      file,
      message: `${result} are missing: the analysis failed with ${name}`,
    })
    return fallback
  }
}
