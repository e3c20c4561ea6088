import type { FindingSource } from '../evaluate.ts'
import type { CheckPorts, RequiredCheck } from './check.ts'
import type { ImportSource } from './import-results.ts'
import type { CheckProgress } from './judge-checks.ts'

interface StageCheckRequest {
  /** Results that were made elsewhere. */
  readonly imports?: readonly ImportSource[]
  readonly checkProgress?: CheckProgress
}

/** Findings of the checks that the stage asks for, and of imported results. Their code is loaded only where there are some. */
export const checkSource =
  (
    openChecks: () => Promise<CheckPorts>,
    { imports = [], checkProgress: progress = () => {} }: StageCheckRequest,
  ): FindingSource =>
  async ({ stage, git, context: { set }, policy }, signal) => {
    const { checks } = policy.layer
    if (checks.length + imports.length === 0) return { drafts: [] }
    const { joinJudged, judgeChecks, selectChecks, skippedRows } = await import('./judge-checks.ts')
    const { due, skipped } = selectChecks(checks, { stage, set })
    const named = new Set(imports.map(({ name }) => name))
    const isRun = ({ check }: RequiredCheck) => !named.has(check.name)
    const rest = { drafts: [], rulesets: [], rows: skippedRows(skipped.filter(isRun)) }
    if (due.length + imports.length === 0) return rest
    const request = { ports: await openChecks(), git, set, stage, progress, signal }
    const { readImports } = await import('./import-results.ts')
    const imported = await readImports(imports, checks, request.ports.root)
    return joinJudged([await judgeChecks(due.filter(isRun), request, imported), rest])
  }
