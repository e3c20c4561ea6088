import { resolve } from 'node:path'
import type { Config } from '../../app/config/settings.ts'
import { type OpenGate, openGate } from '../../app/open/gate.ts'
import { RECEIPT_MODES } from '../../gate/receipt-mode.ts'
import { type GateRequest, type JudgedRun, runGate } from '../../gate/run.ts'
import { digestArguments } from '../../kernel/record-call.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { textFlag } from '../command/subcommand.ts'
import { type ProgressJob, withProgress } from '../progress.ts'
import { NEVER_ABORTED, readChoice } from './pick-scope.ts'
import { recordRun, startingHook, unrecordedBy } from './record-run.ts'
import { watchChecks } from './watch-checks.ts'

const gateProgress = ({ flags }: Invocation): ProgressJob => ({
  what: 'gate',
  unit: 'files',
  hidden: flags.quiet === true,
})

/** Judges a change by the options of the command. */
export const judgeChange = async (
  invocation: Invocation,
  gate: OpenGate,
  request: Pick<GateRequest, 'stage' | 'scope' | 'write'>,
): Promise<JudgedRun> => {
  const { policyFrom } = gate
  const isBuild = request.stage === 'CI'
  const read = isBuild ? (await import('../../app/build-event.ts')).readBuild(process.env) : undefined
  // Named commits are judged whatever the event says; it still tells whether they come from a fork.
  const build = await (request.scope === undefined ? read : read?.catch(() => undefined))
  const remote = textFlag(invocation, 'remote')
  const receipts = readChoice(RECEIPT_MODES, textFlag(invocation, 'receipts') ?? 'require', 'receipts')
  const checkProgress = watchChecks({ hidden: invocation.flags.quiet === true })
  const files = invocation.lists?.import ?? []
  const imports = files.length === 0 ? [] : await (await import('./import-files.ts')).readImportFiles(files)
  const citations =
    invocation.lists?.cite === undefined
      ? []
      : await (await import('./cite-packets.ts')).readCitations(invocation)
  const ofCommit = startingHook(invocation, request.stage) === 'pre-commit'
  const options = { build, remote, ofCommit, receipts, policyFrom, imports, citations }
  const change = { ...request, ...options }
  return withProgress(gateProgress(invocation), (progress) =>
    runGate(gate.ports, { ...change, progress, checkProgress }, NEVER_ABORTED),
  )
}

/** The digests of checks files that the option allows. */
const readAllowedChecks = (invocation: Pick<Invocation, 'flags'>): readonly string[] => {
  const digests = textFlag(invocation, 'allow-checks')?.split(',') ?? []
  const wrong = digests.find((digest) => !/^sha256:[0-9a-f]{64}$/.test(digest))
  if (wrong === undefined) return digests
  throw usageFaults.option(`--allow-checks: ${JSON.stringify(wrong)} is no digest`, {
    fix: 'Take the digest from `warrant checks list`: sha256: and 64 hexadecimal digits.',
  })
}

export const openForCommand = async (
  config: Config,
  invocation: Pick<Invocation, 'flags'> = { flags: {} },
): Promise<OpenGate> => {
  // Copied once: reading a variable of process.env is a call into native code.
  const environment = { ...process.env }
  const allowedChecks = readAllowedChecks(invocation)
  const reuse = invocation.flags['no-cache'] === true ? ('none' as const) : undefined
  const indexFile = environment.GIT_INDEX_FILE
  const context = { environment, clock: systemClock, indexFile, allowedChecks, reuse }
  return openGate(config, { ...context, folder: resolve(config.root), signal: NEVER_ABORTED })
}

/** Judges the working tree, writes the evidence and records the decision; prints nothing. */
export const judgeWorktree = async (config: Config): Promise<JudgedRun> => {
  const gate = await openForCommand(config)
  const started = systemClock.elapsed()
  const policy = { stage: 'PRE_COMMIT', policyFrom: 'base' } as const
  const request = { ...policy, scope: { kind: 'worktree' } } as const
  const run = await runGate(gate.ports, { ...request, write: true, progress: () => {} }, NEVER_ABORTED)
  const recorded = unrecordedBy({ flags: {} }, config) === undefined
  if (!recorded) return run
  const args = digestArguments({ stage: policy.stage, scope: request.scope.kind })
  const { failure } = await recordRun(config, gate.root, { run, started, args, warn: () => {} })
  if (failure !== undefined) throw failure
  return run
}
