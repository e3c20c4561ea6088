import type { GateStage } from '../../evidence/stage.ts'
import { Fault } from '../../kernel/fault.ts'
import { stackOf } from '../../kernel/invoke.ts'
import { quoteShellWord } from '../../kernel/text/shell-quote.ts'
import { repositoryFaults } from '../../setup/git-hooks/ports.ts'
import type { SddDecision } from '../sdd/decision.ts'
import { evaluateSdd, type SddEvaluation } from '../sdd/sdd.ts'
import type { ToolName } from './catalog.ts'
import { type EnterprisePorts, readGitflow } from './enterprise.ts'

/** The answer of every tool. The order of its members is fixed. */
export interface Envelope {
  readonly tool: ToolName
  /** Always true: no tool changes the repository. */
  readonly dryRun: true
  readonly executed: boolean
  readonly success: boolean
  readonly warnings: readonly string[]
  readonly result: object
}

type ToolAnswer = Omit<Envelope, 'tool' | 'dryRun'>
type Run = (ports: EnterprisePorts, stage: GateStage, signal: AbortSignal) => Promise<ToolAnswer>
type Guarded = (
  ports: EnterprisePorts,
  evaluation: SddEvaluation,
  signal: AbortSignal,
) => Promise<Omit<ToolAnswer, 'executed'>>

/** The part of a failure that the caller may see: never a stack trace or a path. */
const describeFailure = (thrown: unknown, { log }: EnterprisePorts): { error: string; fix?: string } => {
  if (thrown instanceof Fault) return { error: thrown.message, fix: thrown.fix }
  log.write('error', 'an enterprise tool failed unexpectedly', { stack: stackOf(thrown) })
  return { error: 'Internal error; the log of the server has the details.' }
}

const evaluate = async (ports: EnterprisePorts, stage: GateStage, signal: AbortSignal) => {
  const root = await ports.locate()
  if (root === undefined)
    throw repositoryFaults.absent('this folder is not in the working tree of a git repository')
  return evaluateSdd(ports.open(root).sdd, stage, signal)
}

const evaluationFailed = (thrown: unknown, ports: EnterprisePorts): SddDecision => ({
  allowed: false,
  code: 'SDD_VALIDATION_ERROR',
  message: 'The specification could not be evaluated.',
  details: { ...describeFailure(thrown, ports) },
})

/** Evaluates the specification first, and runs the tool only when it allows the stage. */
const guarded =
  (run: Guarded): Run =>
  async (ports, stage, signal) => {
    const evaluation = await evaluate(ports, stage, signal).catch((thrown: unknown) => ({
      stage,
      status: null,
      decision: evaluationFailed(thrown, ports),
    }))
    const { decision, status } = evaluation
    if (status !== null && decision.allowed) {
      return { executed: false, ...(await run(ports, { ...evaluation, status }, signal)) }
    }
    return {
      executed: false,
      success: false,
      warnings: ['Critical tool blocked by SDD policy/session guard.'],
      result: { guard: { stage, decision, status } },
    }
  }

const gateCheck: Run = async (ports, stage, signal) => {
  const { allowed, status, policy, violations, evidence, repo_state } = await ports.judge(stage, signal)
  const result = { status, stage, policy, violations, evidence, repo_state }
  return { executed: true, success: allowed, warnings: [], result }
}

const checkSdd: Run = async (ports, stage, signal) => {
  try {
    const evaluation = await evaluate(ports, stage, signal)
    return { executed: true, success: evaluation.decision.allowed, warnings: [], result: evaluation }
  } catch (thrown) {
    return {
      executed: true,
      success: false,
      warnings: ['SDD policy evaluation failed safely.'],
      result: { stage, decision: evaluationFailed(thrown, ports) },
    }
  }
}

const validateAndFix: Guarded = async (_, evaluation) => ({
  success: evaluation.decision.allowed,
  warnings: ['Mutating auto-fixes are disabled in enterprise baseline mode.'],
  result: {
    evaluation,
    suggestedActions: [
      'Run `openspec validate --changes` and correct what it reports.',
      `Run \`warrant gate --stage ${evaluation.stage}\` to renew the evidence.`,
    ],
  },
})

const planSync = (state: { upstream?: string; behind: number; ahead: number; dirty: boolean }): string[] => {
  const { upstream, behind, ahead, dirty } = state
  if (upstream === undefined) return ['No upstream configured for current branch.']
  return [
    ...(behind > 0 ? ['git pull --rebase --autostash'] : []),
    ...(ahead > 0 ? ['git push'] : []),
    ...(dirty ? ['There are uncommitted changes: commit or stash them first.'] : []),
    ...(behind === 0 && ahead === 0 ? ['The branch is level with its upstream: nothing to do.'] : []),
  ]
}

const syncBranches: Guarded = async (ports, _, signal) => {
  const gitflow = await readGitflow(ports, signal)
  return {
    success: gitflow.available,
    warnings: ['Dry-run mode active: no git command executed.'],
    result: { gitflow, plan: gitflow.available ? planSync(gitflow) : [] },
  }
}

const KEPT_BRANCHES = ['main', 'master', 'develop', 'dev', 'production', 'staging']

const cleanupBranches: Guarded = async (ports, evaluation, signal) => {
  const { git } = ports.open(evaluation.status.repoRoot)
  const [merged, { branch }] = await Promise.all([git.mergedBranches(signal), git.state(signal)])
  const candidates = merged.filter((name) => name !== branch && !KEPT_BRANCHES.includes(name)).sort()
  return {
    success: true,
    warnings: ['Dry-run mode active: no branch deleted.'],
    result: { candidates, plan: candidates.map((name) => `git branch -d ${quoteShellWord(name)}`) },
  }
}

const RUNS: Readonly<Record<ToolName, Run>> = {
  ai_gate_check: gateCheck,
  check_sdd_status: checkSdd,
  validate_and_fix: guarded(validateAndFix),
  sync_branches: guarded(syncBranches),
  cleanup_stale_branches: guarded(cleanupBranches),
}

/** Runs a tool. A failure becomes an answer with `success: false`. */
export const runTool = async (
  ports: EnterprisePorts,
  { tool, stage }: { readonly tool: ToolName; readonly stage: GateStage },
  signal: AbortSignal,
): Promise<Envelope> => {
  const answer = await RUNS[tool](ports, stage, signal).catch((thrown: unknown) => ({
    executed: false,
    success: false,
    warnings: ['Tool execution failed safely.'],
    result: describeFailure(thrown, ports),
  }))
  const { executed, success, warnings, result } = answer
  return { tool, dryRun: true, executed, success, warnings, result }
}
