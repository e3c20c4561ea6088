import type { Config } from '../../app/config/settings.ts'
import type { OpenGate } from '../../app/open/gate.ts'
import type { ReceiptPlace } from '../../app/open/receipts/find-receipts.ts'
import { preloadStore } from '../../app/open/store.ts'
import { loadSettings } from '../../app/process-context.ts'
import { resolveDefaultBranch } from '../../gate/facts/scope.ts'
import type { JudgedRun } from '../../gate/run.ts'
import { optional } from '../../kernel/optional.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { runningProgram } from '../client-command.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { digestInvocation, requireWritable, textFlag } from '../command/subcommand.ts'
import { deliverReport, pickFormat } from './deliver-report.ts'
import { judgeChange, openForCommand } from './judge-change.ts'
import {
  limitGate,
  NEVER_ABORTED,
  pathFilter,
  pathScope,
  pickPaths,
  pickScope,
  pickScopes,
  pickStage,
  readLimits,
} from './pick-scope.ts'
import { recordFailedRun, recordRun, reportUnrecorded, startingHook, unrecordedBy } from './record-run.ts'

/** Where receipts are sent: to the remote of a push that may go on, and where `--publish` asks for it. */
const publishTarget = (
  invocation: Invocation,
  { stage, status }: JudgedRun['report'],
): string | undefined => {
  const remote = textFlag(invocation, 'remote')
  if (invocation.flags.publish === true) return remote ?? 'origin'
  return stage === 'PRE_PUSH' && status === 'ALLOWED' ? remote : undefined
}

/**
 * Publishes the receipt of the run, and those of all commits since the default branch: some may have been pushed without
 * the hook, and judged later.
 */
const publishJudged = async (
  invocation: Invocation,
  place: Pick<ReceiptPlace, 'config' | 'root' | 'git'>,
  { report, facts }: JudgedRun,
  receipt: string | undefined,
): Promise<void> => {
  const { base, head } = facts.details
  const remote = publishTarget(invocation, report)
  if (remote === undefined || head === undefined) return
  const { publishReceipts } = await import('../../app/open/receipts/publish.ts')
  const { signal } = new AbortController()
  const target = await resolveDefaultBranch(place.git, remote, signal)
  const isMerged = target === undefined || (await place.git.isAncestor(head, target.hash, signal))
  const run = { tree: facts.tree, receipt }
  const range = { base: isMerged ? base : target.hash, head, remote, run }
  const { warnings } = await publishReceipts({ ...place, signal }, range)
  for (const warning of warnings) invocation.terminal.printError(`warrant: ${warning}`)
}

/** A clone that cannot be written to is judged all the same. */
const rememberThisProgram = async ({ gitFolders }: Config, root: string): Promise<void> => {
  const { rememberProgram } = await import('../../platform/git/clone-program.ts')
  const start = { folder: root, environment: process.env, gitFolders }
  await rememberProgram(start, runningProgram(), NEVER_ABORTED).catch(() => {})
}

const judge = async (invocation: Invocation): Promise<number> => {
  pickFormat(invocation)
  readLimits(invocation)
  if (invocation.flags['dry-run'] === true && invocation.flags.fix !== true)
    throw usageFaults.option('--dry-run belongs to --fix')
  const { config } = loadSettings(invocation)
  const opened = await openForCommand(config, invocation)
  const paths = await pickPaths(invocation, opened, process.cwd())
  const limit = (whole: OpenGate) => (paths.length === 0 ? whole : limitGate(whole, pathFilter(paths)))
  let gate = limit(opened)
  const scope = pickScope(invocation) ?? pathScope(invocation, paths)
  if (textFlag(invocation, 'output') !== undefined) requireWritable(config, '--output')
  const write = invocation.flags['no-evidence'] !== true && !config.readOnly && paths.length === 0
  const chosen = paths.length > 0 ? 'the paths' : unrecordedBy(invocation, config)
  // Loads while git works.
  if (chosen === undefined) void preloadStore(config)
  const { git } = gate.ports.change
  const picked = await pickStage(invocation, scope, git)
  const scopes = await pickScopes(invocation, picked, git)
  const { terminal, flags } = invocation
  if (scopes.length === 0 && !flags.quiet)
    terminal.printError('warrant: the push sends no commits, so there is nothing to check')
  if (chosen !== undefined && !flags.quiet)
    terminal.printError(`warrant: this decision is not recorded, because of ${chosen}.`)
  const warn = (message: string) => terminal.printError(`warrant: ${message}`)
  if (flags.fix === true) {
    const { repairChange } = await import('./repair.ts')
    if (await repairChange(invocation, config, { gate, stage: picked.stage, scopes })) return 0
    // Repaired files are read again.
    gate = limit(await openForCommand(config, invocation))
  }
  for (const [at, one] of scopes.entries()) {
    const started = systemClock.elapsed()
    const judged = await judgeChange(invocation, gate, { stage: picked.stage, scope: one, write })
    const place = { config, root: gate.root, git: gate.ports.change.git, signal: NEVER_ABORTED }
    const look = flags.all ? await import('../../app/open/receipts/entered-unjudged.ts') : undefined
    const marked = await look?.markUnjudged(place, gate.ports.change, judged).catch((thrown) => {
      warn(`what entered unjudged is not known: ${thrown.message}`)
    })
    const complete = marked ?? judged
    const args = digestInvocation(invocation)
    const hook = startingHook(invocation, picked.stage)
    const made = { run: complete, started, args, warn, hook }
    const { failure, receipt } = chosen === undefined ? await recordRun(config, gate.root, made) : {}
    const blocked = complete.report.status === 'BLOCKED'
    const { report } = complete
    const shown = { ...complete, report: paths.length === 0 ? report : { ...report, paths } }
    const recorded = chosen === undefined && failure === undefined
    // A format for machines is one document: that of the run that decides.
    if (blocked || at === scopes.length - 1 || pickFormat(invocation) === undefined)
      await deliverReport(invocation, gate.root, { ...shown, recorded, ...optional({ receipt }) })
    const code = failure && reportUnrecorded(invocation, failure)
    if (code !== undefined) return code
    if (recorded && hook !== undefined) await rememberThisProgram(config, gate.root)
    if (recorded) await publishJudged(invocation, place, complete, receipt)
    if (blocked) return 1
  }
  return 0
}

export const run = async (invocation: Invocation): Promise<number> => {
  const started = systemClock.elapsed()
  try {
    return await judge(invocation)
  } catch (thrown) {
    await recordFailedRun(invocation, thrown, started)
    throw thrown
  }
}
