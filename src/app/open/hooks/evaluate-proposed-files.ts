import type { GateStage } from '../../../evidence/stage.ts'
import { evaluateChange } from '../../../gate/evaluate.ts'
import { isException } from '../../../gate/findings/acceptances.ts'
import { branchSource } from '../../../gate/findings/branch-finding.ts'
import { POLICY_CHANGED_RULE } from '../../../gate/findings/policy-findings.ts'
import { isAtLeast } from '../../../gate/policy.ts'
import type { GitReader, Scope } from '../../../gate/ports.ts'
import { namedBranches } from '../../../gate/protected-branches.ts'
import type { GateFinding } from '../../../gate/reports/report.ts'
import type { AgentHookPorts, JudgedFiles, WriteFinding } from '../../../hooks/ports.ts'
import { type ProposedFile, proposedFiles, proposedGit } from '../../../hooks/proposed-change.ts'
import { repositoryFiles } from '../../../platform/git/worktree.ts'
import { astScanner } from '../../../platform/scanner/scanner.ts'
import { systemClock } from '../../../platform/system/clock.ts'
import type { Config } from '../../config/settings.ts'
import { openShippedRules, scanWorkerPath } from '../load-rules.ts'
import { policyVariables } from '../read-policy.ts'

interface JudgeContext {
  readonly config: Config
  readonly root: string
  readonly git: GitReader
  readonly environment: NodeJS.ProcessEnv
  readonly signal: AbortSignal
}

const toFinding = ({ ruleId, severity, file, region, message, why, fix }: GateFinding): WriteFinding => ({
  ruleId,
  severity,
  file,
  line: region?.line,
  message,
  why,
  fix,
})

/** Judges files in this process, by the rules and the policy that the gate judges them by. No check runs. */
export const openFileJudge = ({
  config,
  root,
  git,
  environment,
  signal,
}: JudgeContext): Pick<AgentHookPorts, 'judge' | 'judgeWritten' | 'judgeCommit'> & {
  readonly judgeRange: (range: { readonly from: string; readonly to: string }) => Promise<JudgedFiles>
} => {
  const shippedRules = openShippedRules()
  const onBranch = branchSource(namedBranches(config.protectedBranches))
  const evaluate = async (
    change: Pick<Parameters<typeof evaluateChange>[0], 'git' | 'files'>,
    stage: GateStage = 'PRE_WRITE',
    scope: Scope = { kind: 'worktree' },
  ): Promise<JudgedFiles> => {
    const ports = {
      ...change,
      shippedRules,
      scanner: async () => astScanner({ worker: scanWorkerPath() }),
      policyVariables: policyVariables(environment),
      profile: config.profile,
      now: () => systemClock.now(),
    }
    const request = { stage, scope, policyFrom: 'base' } as const
    const { findings, policy } = await evaluateChange(ports, request, [onBranch], signal)
    const { block_on_or_above: block, warn_on_or_above: warn } = policy
    // A weaker policy blocks later stages alone; a tool that writes one is refused at once.
    const isBlocking = ({ ruleId, severity }: GateFinding) =>
      isAtLeast(severity, block) || (ruleId === POLICY_CHANGED_RULE && isAtLeast(severity, 'ERROR'))
    const open = findings.filter(({ state }) => state === 'new')
    const others = open.filter((one) => !isBlocking(one))
    return {
      blocking: open.filter(isBlocking).map(toFinding),
      exceptions: others.filter(isException).map(toFinding),
      others: others.filter((one) => isAtLeast(one.severity, warn)).map(toFinding),
    }
  }
  const present = repositoryFiles(root)
  const judge = (files: readonly ProposedFile[]) =>
    evaluate({ git: proposedGit(git, files), files: proposedFiles(present, files) })
  return {
    judge,
    judgeCommit: () => evaluate({ git, files: present }),
    judgeRange: (range) => evaluate({ git, files: present }, 'PRE_COMMIT', { kind: 'range', ...range }),
    judgeWritten: async (files) => {
      const paths = files.map(({ path }) => path)
      const committed = await git.filesAt('HEAD', { files: paths, folders: [] }, signal)
      const compared = files.map(async (file): Promise<ProposedFile> => {
        const before = await committed?.read(file.path, Number.MAX_SAFE_INTEGER).catch(() => undefined)
        return { ...file, before }
      })
      return judge(await Promise.all(compared))
    },
  }
}
