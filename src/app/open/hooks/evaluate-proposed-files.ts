import type { EvidenceStore } from '../../../evidence/store.ts'
import { compareLines, touchesRange } from '../../../gate/facts/changed-lines.ts'
import { NO_LIFECYCLE } from '../../../gate/facts/repo-state.ts'
import { BASELINE_FILE } from '../../../gate/findings/baseline.ts'
import { POLICY_CHANGED_RULE } from '../../../gate/findings/policy-findings.ts'
import { isAtLeast } from '../../../gate/policy.ts'
import type { GitReader } from '../../../gate/ports.ts'
import { namedBranches } from '../../../gate/protected-branches.ts'
import type { GateFinding, GateReport } from '../../../gate/reports/report.ts'
import { type GatePorts, runGate } from '../../../gate/run.ts'
import type { JudgeFiles, WriteFinding } from '../../../hooks/ports.ts'
import { type ProposedFile, proposedFiles, proposedGit } from '../../../hooks/proposed-change.ts'
import { repositoryFiles } from '../../../platform/git/worktree.ts'
import { astScanner } from '../../../platform/scanner/scanner.ts'
import type { Config } from '../../config/settings.ts'
import { openShippedRules, scanWorkerPath } from '../load-rules.ts'
import { policyVariables } from '../read-policy.ts'

/** A hook writes no evidence. */
const NO_EVIDENCE: EvidenceStore = {
  read: async () => ({ kind: 'missing' }),
  replace: () => Promise.reject(new Error('a hook writes no evidence')),
} as unknown as EvidenceStore

const NO_GIT_STATE = {
  available: true,
  branch: null,
  upstream: null,
  ahead: 0,
  behind: 0,
  dirty: true,
  staged: 0,
  unstaged: 0,
}

interface JudgeContext {
  readonly config: Config
  readonly root: string
  readonly git: GitReader
  readonly environment: NodeJS.ProcessEnv
  readonly signal: AbortSignal
}

/** The ports of a run that judges files before they are written: no check runs, and nothing is written or asked twice. */
const hookPorts = (
  { config, root, git, environment }: JudgeContext,
  shippedRules: GatePorts['shippedRules'],
  files: readonly ProposedFile[],
): GatePorts => {
  const protectedBranches = namedBranches(config.protectedBranches)
  return {
    git: proposedGit(git, files),
    files: proposedFiles(repositoryFiles(root), files),
    evidence: NO_EVIDENCE,
    shippedRules,
    scanner: async () => astScanner({ worker: scanWorkerPath() }),
    rewrite: async () => undefined,
    policyVariables: policyVariables(environment),
    protectedBranches,
    profile: config.profile,
    state: async (signal) => ({
      repo_root: root,
      git: protectedBranches.length === 0 ? NO_GIT_STATE : await git.state(signal),
      lifecycle: NO_LIFECYCLE,
    }),
    sddDecision: async () => ({}),
    ownsEvidence: async () => true,
    checks: () => Promise.reject(new Error('a hook runs no checks')),
    checkCommits: () => Promise.reject(new Error('a hook reads no receipts')),
    now: () => 0,
  }
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

const decoder = new TextDecoder()
const linesOf = (bytes: Uint8Array | undefined): string[] => decoder.decode(bytes).split(/\r?\n/)

/** Whether a finding is on a line that the write changes. Findings of the gate itself are about the whole file. */
const changedLineTest = (files: readonly ProposedFile[]): ((finding: GateFinding) => boolean) => {
  const ranges = new Map(
    files.map(({ path, before, after }) => [path, compareLines(linesOf(before), linesOf(after))]),
  )
  return ({ ruleId, file, region }) =>
    region !== undefined && !ruleId.startsWith('gate.') && touchesRange(region, ranges.get(file) ?? [])
}

/** The findings on changed lines, and of the others those that were not there before. */
const keepNew = (
  findings: readonly GateFinding[],
  before: readonly GateFinding[],
  isOnChangedLine: (finding: GateFinding) => boolean,
): GateFinding[] => {
  const left = new Map<string, number>()
  for (const { fingerprint } of before) left.set(fingerprint, (left.get(fingerprint) ?? 0) + 1)
  return findings.filter((finding) => {
    const known = left.get(finding.fingerprint) ?? 0
    left.set(finding.fingerprint, known - 1)
    return known <= 0 || isOnChangedLine(finding)
  })
}

const openFindings = ({ findings }: GateReport): GateFinding[] =>
  findings.filter(({ state }) => state === 'new')

/** Judges files in this process, by the rules and the policy that the gate judges them by. */
export const openFileJudge = (context: JudgeContext): { judge: JudgeFiles; judgeWritten: JudgeFiles } => {
  const shippedRules = openShippedRules()
  const run = async (files: readonly ProposedFile[], changedLines: boolean): Promise<GateReport> => {
    const request = {
      stage: 'PRE_WRITE',
      scope: { kind: 'worktree' },
      policyFrom: 'base',
      baseline: BASELINE_FILE,
      write: false,
      rulesOnly: true,
      receipts: 'off',
      changedLines,
      progress: () => {},
    } as const
    return (await runGate(hookPorts(context, shippedRules, files), request, context.signal)).report
  }
  const split = (report: GateReport, findings: readonly GateFinding[]) => {
    const { block_on_or_above: block, warn_on_or_above: warn } = report.policy
    // A weaker policy blocks later stages alone; a tool that writes one is refused at once.
    const isBlocking = ({ ruleId, severity }: GateFinding) =>
      isAtLeast(severity, block) || (ruleId === POLICY_CHANGED_RULE && isAtLeast(severity, 'ERROR'))
    return {
      blocking: findings.filter(isBlocking).map(toFinding),
      others: findings.filter((one) => !isBlocking(one) && isAtLeast(one.severity, warn)).map(toFinding),
    }
  }
  return {
    judge: async (files) => {
      const report = await run(files, true)
      const found = split(report, openFindings(report))
      if (found.blocking.length === 0) return found
      // A secret or a conflict marker that is on disk already is not what this write brings.
      const present = files.filter(({ before }) => before !== undefined)
      const before = await run(
        present.map(({ path, before: after }) => ({ path, before: undefined, after })),
        false,
      )
      return split(report, keepNew(openFindings(report), openFindings(before), changedLineTest(files)))
    },
    judgeWritten: async (files) => {
      const paths = files.map(({ path }) => path)
      const committed = await context.git.filesAt('HEAD', { files: paths, folders: [] }, context.signal)
      const compared = await Promise.all(
        files.map(async (file) => ({
          ...file,
          before: await committed?.read(file.path, Number.MAX_SAFE_INTEGER).catch(() => undefined),
        })),
      )
      const report = await run(compared, true)
      return split(report, openFindings(report))
    },
  }
}
