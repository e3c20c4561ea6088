import type { GateStage } from '../../evidence/stage.ts'
import type { FileSuppression, FindingDraft } from '../findings/collect.ts'
import type { ChangeSet, GitReader } from '../ports.ts'
import type { CheckPorts, RequiredCheck } from './check.ts'
import type { ImportSource } from './import-results.ts'
import type { CheckProgress, JudgedChecks } from './judge-checks.ts'

interface StageCheckRequest {
  readonly stage: GateStage
  readonly set: ChangeSet
  readonly checks: readonly RequiredCheck[]
  /** Results that were made elsewhere. */
  readonly imports?: readonly ImportSource[] | undefined
  readonly checkProgress?: CheckProgress
}

export interface StageCheckPorts {
  readonly git: GitReader
  /** Runs the checks of the repository; opened when a stage asks for one. */
  readonly checks: () => Promise<CheckPorts>
}

const NOTHING: JudgedChecks = { drafts: [], rulesets: [], rows: [] }

/** Judges by the checks that the stage asks for and by imported results. Their code is loaded only where there are some. */
const judgeStageChecks = async (
  ports: StageCheckPorts,
  { stage, set, checks, imports = [], checkProgress: progress = () => {} }: StageCheckRequest,
  signal: AbortSignal,
): Promise<JudgedChecks> => {
  const { joinJudged, judgeChecks, selectChecks, skippedRows } = await import('./judge-checks.ts')
  const { due, skipped } = selectChecks(checks, { stage, set })
  const named = new Set(imports.map(({ name }) => name))
  const isRun = ({ check }: RequiredCheck) => !named.has(check.name)
  const rows = skippedRows(skipped.filter(isRun))
  if (due.length + imports.length === 0) return { ...NOTHING, rows }
  const request = { ports: await ports.checks(), git: ports.git, set, stage, progress, signal }
  const { readImports } = await import('./import-results.ts')
  const imported = await readImports(imports, checks, request.ports.root)
  return joinJudged([await judgeChecks(due.filter(isRun), request, imported), { ...NOTHING, rows }])
}

/** Runs the checks during the scan. When one of the two fails, the commands that still run are ended. */
export const alongChecks = async <T>(
  ports: StageCheckPorts,
  request: StageCheckRequest,
  signal: AbortSignal,
  scan: (signal: AbortSignal) => Promise<T>,
): Promise<readonly [T, JudgedChecks]> => {
  const { checks, imports = [] } = request
  if (checks.length + imports.length === 0) return [await scan(signal), NOTHING]
  const stop = new AbortController()
  const either = AbortSignal.any([signal, stop.signal])
  try {
    return await Promise.all([scan(either), judgeStageChecks(ports, request, either)])
  } catch (thrown) {
    stop.abort(thrown)
    throw thrown
  }
}

/** The findings of checks, with the suppression comments of the scanned files applied. */
export const checkDrafts = async (
  { drafts }: JudgedChecks,
  suppressions: readonly FileSuppression[],
): Promise<readonly FindingDraft[]> =>
  drafts.length === 0 || suppressions.length === 0
    ? drafts
    : (await import('./result-drafts.ts')).suppressResults(drafts, suppressions)
