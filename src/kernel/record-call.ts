import { callFaults } from './call-faults.ts'
import { Fault } from './fault.ts'
import type { Outcome } from './invoke.ts'
import type { CallRecord, Clock, Log, Recorder } from './ports.ts'
import type { AuditedTool } from './tool.ts'
import type { ToolAnswer } from './tool-io.ts'

export interface RecordPorts {
  readonly clock: Clock
  readonly log: Log
  readonly recorder: Recorder
}

export const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value

type RecordedOutcome = Pick<ToolAnswer, 'kind' | 'value'> | Exclude<Outcome, ToolAnswer>

const callRecord = (tool: AuditedTool, outcome: RecordedOutcome, ms: number): CallRecord => {
  const { name, effect, auditFields } = tool
  const { kind } = outcome
  // The most frequent case without object spreads, which cost time even when they add nothing.
  if (kind === 'answer' && auditFields === undefined) return { tool: name, effect, outcome: kind, ms }
  const verdict = kind === 'answer' ? auditFields?.(outcome.value as never) : undefined
  return {
    tool: name,
    effect,
    outcome: kind,
    ...(kind === 'fault' && { code: outcome.fault.code, kind: outcome.fault.kind }),
    ...(verdict !== undefined && { verdict }),
    ms,
  }
}

const unrecordedFault = (tool: string, cause: unknown): Fault => {
  const why = cause instanceof Error ? cause.message : String(cause)
  return callFaults.unrecorded(`the decision of ${tool} was not recorded: ${why}`, {
    cause,
    ...(cause instanceof Fault && { fix: cause.fix }),
  })
}

/**
 * Records how a call ended. The result is a fault when the record could not be written; the log says why as well.
 * `invoke` does this for every call; surfaces with an answer format of their own (plain HTTP, command line) call it
 * directly.
 */
export const recordCall = (
  { clock, log, recorder }: RecordPorts,
  tool: AuditedTool,
  outcome: RecordedOutcome,
  started: number,
): true | Promise<true | Fault> => {
  const written = recorder.record(callRecord(tool, outcome, clock.elapsed() - started))
  if (!isPromise(written)) return true
  return written.then(
    () => true,
    (cause: unknown) => {
      log.write('error', `${tool.name} was not recorded`, {
        cause: cause instanceof Error ? cause.message : String(cause),
      })
      return unrecordedFault(tool.name, cause)
    },
  )
}
