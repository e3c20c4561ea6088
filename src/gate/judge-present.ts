import type { GateStage } from '../evidence/stage.ts'
import type { GateVerdict } from './judge-evidence.ts'
import type { Scope } from './ports.ts'
import type { GateReport } from './reports/report.ts'
import { fixOf, type ViolationCode } from './violations.ts'

/** What a run on the present files answers. Evidence that is broken, forged or from another clock stays a violation. */
const ANSWERED: ReadonlySet<ViolationCode> = new Set([
  'EVIDENCE_MISSING',
  'EVIDENCE_STALE',
  'EVIDENCE_GATE_BLOCKED',
  'EVIDENCE_BRANCH_MISMATCH',
  'EVIDENCE_STAGE_MISMATCH',
  'EVIDENCE_TREE_MISMATCH',
  'EVIDENCE_SCOPE_EMPTY',
])

const MAX_PATHS = 20

/** The violation when the gate blocks the present files. */
const blockedNow = ({ findings, counts }: GateReport): GateVerdict['violations'][number] => {
  const paths = [...new Set(findings.filter(({ state }) => state === 'new').map(({ file }) => file))]
  return {
    code: 'EVIDENCE_GATE_BLOCKED',
    severity: 'ERROR',
    message: `The gate blocks the present files: ${counts.judged} finding${counts.judged === 1 ? '' : 's'}.`,
    fix: fixOf('EVIDENCE_GATE_BLOCKED'),
    paths: paths.slice(0, MAX_PATHS),
  }
}

/**
 * Judges the present files where the evidence does not speak of them. Nothing is written. Before a commit the working
 * tree is judged when nothing is staged, as the check of the evidence does.
 */
export const judgePresent = async (
  verdict: GateVerdict,
  run: (request: { readonly stage: GateStage; readonly scope: Scope | undefined }) => Promise<GateReport>,
): Promise<GateVerdict> => {
  const { stage, violations, repo_state: state } = verdict
  const kept = violations.filter(({ code }) => !ANSWERED.has(code))
  if (kept.length === violations.length) return verdict
  const isUnstaged = stage === 'PRE_COMMIT' && state.git.staged === 0
  const report = await run({ stage, scope: isUnstaged ? { kind: 'worktree' } : undefined })
  const all = report.status === 'BLOCKED' ? [...kept, blockedNow(report)] : kept
  const allowed = all.length === 0
  return {
    ...verdict,
    status: allowed ? 'ALLOWED' : 'BLOCKED',
    allowed,
    violations: all,
    judged: report.status,
  }
}
