import { resolve } from 'node:path'
import { RESULT_SOURCE } from '../../../gate/checks/check.ts'
import { pathFilter } from '../../../gate/facts/limit-paths.ts'
import type { Shard } from '../../../gate/facts/shard.ts'
import { gateFaults } from '../../../gate/faults.ts'
import { BASELINE_FILE, writeBaseline } from '../../../gate/findings/baseline.ts'
import { POLICY_FROM } from '../../../gate/policy-layer.ts'
import type { Scope } from '../../../gate/ports.ts'
import { type GateRun, onlyNew } from '../../../gate/reports/report.ts'
import { limitFindings } from '../../../gate/reports/select.ts'
import { type GateRequest, runGate } from '../../../gate/run.ts'
import type { GateStage } from '../../../gate/stage.ts'
import { Fault } from '../../../kernel/fault.ts'
import { writeOutputFile } from '../../../platform/files/output-file.ts'
import { systemClock } from '../../../platform/system/clock.ts'
import { type Invocation, usageFaults } from '../../../surfaces/cli/command.ts'
import { textFlag } from '../../../surfaces/cli/subcommand.ts'
import type { Config } from '../../config/settings.ts'
import { VERSION } from '../../config/version.ts'
import { findBaseline, type OpenGate, openGate } from '../../open/gate.ts'
import { preloadStore } from '../../open/store.ts'
import { loadSettings } from '../../process-context.ts'
import { supportsColor } from '../../terminal.ts'
import { type ProgressJob, withProgress } from '../progress.ts'
import { requireWritable } from '../require-writable.ts'
import { limitGate, pathScope, pickPaths, readLimits } from './pick-findings.ts'
import { pickChangedLines, pickScope, pickScopes, pickShard, pickStage, readChoice } from './pick-scope.ts'
import { recordRun, reportUnrecorded, unrecordedBy } from './record-run.ts'
import type { ShardResults } from './shards.ts'
import { watchChecks } from './watch-checks.ts'

/** The command runs until it is done or the process ends. */
const NO_ABORT = new AbortController().signal

type Writer = (run: DeliveredRun) => Promise<string>

/** A run with what became of its record. */
interface DeliveredRun extends GateRun {
  readonly recorded: boolean
}

const FORMATS: Readonly<Record<string, Writer>> = {
  json: async ({ report, recorded }) => JSON.stringify(recorded ? report : { ...report, recorded }),
  sarif: async (run) => (await import('../../../gate/reports/sarif.ts')).writeSarif(run, VERSION),
  junit: async ({ report }) => (await import('../../../gate/reports/junit.ts')).writeJunit(report),
}

const pickFormat = (invocation: Invocation): string | undefined => {
  const asked = Object.keys(FORMATS).filter((name) =>
    name === 'json' ? invocation.json : invocation.flags[name],
  )
  if (asked.length > 1)
    throw usageFaults.option(`choose one of ${asked.map((name) => `--${name}`).join(', ')}`)
  return asked[0]
}

interface NamedFile {
  /** The option that names the file. */
  readonly flag: string
  readonly file: string
}

/** Writes a file that an option names. The fault keeps the fix of the refusal. */
const writeNamedFile = (root: string, { flag, file }: NamedFile, text: string): Promise<void> =>
  writeOutputFile(root, file, text).catch((cause: unknown) => {
    const fix = cause instanceof Fault ? { fix: cause.fix } : {}
    const why = cause instanceof Fault ? cause.message : (cause as NodeJS.ErrnoException).code
    throw usageFaults.option(`--${flag}: cannot write ${JSON.stringify(file)}: ${why}`, { cause, ...fix })
  })

/** Writes the report to a file, or prints it. */
const deliver = async (invocation: Invocation, root: string, run: DeliveredRun): Promise<void> => {
  const { terminal, flags } = invocation
  const format = pickFormat(invocation)
  const file = textFlag(invocation, 'output')
  const { summaryLine, writeText } = await import('../../../gate/reports/text.ts')
  const style = { colour: file === undefined && supportsColor() }
  const writer = format === undefined ? undefined : FORMATS[format]
  const limits = readLimits(invocation)
  const limited = { ...run, report: limitFindings(run.report, limits) }
  const text = writer === undefined ? writeText(run, { ...style, ...limits }) : await writer(limited)
  if (file !== undefined) {
    await writeNamedFile(root, { flag: 'output', file }, `${text}\n`)
    if (!flags.quiet) terminal.printError(summaryLine(run.report, { colour: false }))
  } else if (writer !== undefined) terminal.print(text)
  else if (!flags.quiet || run.report.status === 'BLOCKED') terminal.printStyled(text)
}

const progressJob = ({ flags }: Invocation): ProgressJob => ({
  what: 'gate',
  unit: 'files',
  hidden: flags.quiet === true,
})

const judge = async (
  invocation: Invocation,
  gate: OpenGate,
  request: Pick<GateRequest, 'stage' | 'scope' | 'write' | 'rulesOnly'>,
): Promise<GateRun> => {
  const baseline = await findBaseline(gate, textFlag(invocation, 'baseline'), process.cwd())
  if (invocation.flags['new-only'] && !(await gate.files.exists(baseline))) {
    throw gateFaults.baseline_missing('--new-only needs a baseline, and there is none')
  }
  const policyFrom = readChoice(POLICY_FROM, textFlag(invocation, 'policy-from') ?? 'base', 'policy-from')
  const isBuild = request.stage === 'CI' && request.scope === undefined
  const build = isBuild ? await (await import('../../build-event.ts')).readBuild(process.env) : undefined
  const remote = textFlag(invocation, 'remote')
  const changedLines = pickChangedLines(invocation)
  const checkProgress = watchChecks({ hidden: invocation.flags.quiet === true })
  return withProgress(progressJob(invocation), (progress) =>
    runGate(
      gate.ports,
      { ...request, build, remote, changedLines, baseline, policyFrom, progress, checkProgress },
      NO_ABORT,
    ),
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

const openForCommand = async (
  config: Config,
  invocation: Pick<Invocation, 'flags'> = { flags: {} },
  shards?: ShardResults,
): Promise<OpenGate> => {
  // Copied once: reading a variable of process.env is a call into native code.
  const environment = { ...process.env }
  const allowedChecks = readAllowedChecks(invocation)
  const unused = invocation.flags['no-cache'] === true ? ('none' as const) : undefined
  const reuse = shards?.reuse() ?? unused
  const indexFile = environment.GIT_INDEX_FILE
  const context = { environment, clock: systemClock, indexFile, allowedChecks, reuse }
  return openGate(config, { ...context, folder: resolve(config.root), signal: NO_ABORT })
}

/** Writes every current finding into the baseline, so that later runs judge only new ones. */
const createBaseline = async (invocation: Invocation): Promise<number> => {
  const { config } = loadSettings(invocation)
  requireWritable(config, '`warrant gate baseline`')
  const gate = await openForCommand(config, invocation)
  const named = textFlag(invocation, 'baseline')
  const scope = pickScope(invocation) ?? { kind: 'repository' }
  const { report, shadowed } = await withProgress(progressJob(invocation), (progress) => {
    const policy = { stage: 'CI', policyFrom: 'worktree', baseline: undefined } as const
    const checkProgress = watchChecks({ hidden: invocation.flags.quiet === true })
    return runGate(gate.ports, { scope, ...policy, write: false, progress, checkProgress }, NO_ABORT)
  })
  const isAccepted = (source: string) => source === report.source || source.startsWith(RESULT_SOURCE)
  const findings = report.findings.filter(({ source }) => isAccepted(source))
  const file = named ?? resolve(gate.root, BASELINE_FILE)
  await writeNamedFile(gate.root, { flag: 'baseline', file }, writeBaseline([...findings, ...shadowed]))
  const accepted = findings.filter(({ state }) => state !== 'suppressed').length
  const text = `${accepted} finding${accepted === 1 ? '' : 's'} accepted in ${named ?? BASELINE_FILE}`
  invocation.terminal.print(invocation.json ? JSON.stringify({ accepted }) : text)
  return 0
}

/** Scans a part of the files for `gate merge`. Its findings are no verdict: they do not change the exit code. */
const scanShard = async (invocation: Invocation, shard: Shard): Promise<number> => {
  const { ShardResults, shardTest } = await import('./shards.ts')
  const { config } = loadSettings(invocation)
  const results = new ShardResults()
  const gate = limitGate(await openForCommand(config, invocation, results), shardTest(shard))
  const picked = await pickStage(invocation, pickScope(invocation), gate)
  let scanned = 0
  for (const scope of await pickScopes(invocation, picked, gate)) {
    const { report } = await judge(invocation, gate, {
      stage: picked.stage,
      scope,
      write: false,
      rulesOnly: true,
    })
    scanned += report.files.scanned
  }
  const file = textFlag(invocation, 'output')
  const text = results.write(shard)
  if (file === undefined) invocation.terminal.print(text)
  else await writeNamedFile(gate.root, { flag: 'output', file }, `${text}\n`)
  if (!invocation.flags.quiet)
    invocation.terminal.printError(
      `warrant: shard ${shard.number}/${shard.count} scanned ${scanned} files. \`warrant gate merge\` gives the verdict of all shards.`,
    )
  return 0
}

/** Judges the working tree, writes the evidence and records the decision; prints nothing. */
export const judgeWorktree = async (config: Config): Promise<GateRun> => {
  const gate = await openForCommand(config)
  const started = systemClock.elapsed()
  const baseline = await findBaseline(gate, undefined, process.cwd())
  const policy = { stage: 'PRE_COMMIT', policyFrom: 'base' } as const
  const request = { ...policy, scope: { kind: 'worktree' } } as const
  const run = await runGate(gate.ports, { ...request, baseline, write: true, progress: () => {} }, NO_ABORT)
  const recorded = unrecordedBy({ flags: {} }, config) === undefined
  const failure = recorded ? await recordRun(config, gate.root, { run, started, warn: () => {} }) : undefined
  if (failure !== undefined) throw failure
  return run
}

export const run = async (invocation: Invocation): Promise<number> => {
  const [verb, ...rest] = invocation.positionals
  pickFormat(invocation)
  if (verb === 'baseline') {
    if (rest.length > 0) throw usageFaults.argument('`warrant gate baseline` has no further argument')
    return createBaseline(invocation)
  }
  readLimits(invocation)
  const shard = pickShard(invocation)
  if (shard !== undefined) return scanShard(invocation, shard)
  const merged = verb === 'merge' ? await (await import('./shards.ts')).readShards(rest) : undefined
  const { config } = loadSettings(invocation)
  const opened = await openForCommand(config, invocation, merged)
  const paths = merged === undefined ? await pickPaths(invocation, opened, process.cwd()) : []
  const gate = paths.length === 0 ? opened : limitGate(opened, pathFilter(paths))
  const scope = pickScope(invocation) ?? pathScope(invocation, paths)
  if (textFlag(invocation, 'output') !== undefined) requireWritable(config, '--output')
  const write = invocation.flags['no-evidence'] !== true && !config.readOnly && paths.length === 0
  const chosen = paths.length > 0 ? 'the paths' : unrecordedBy(invocation, config)
  // Loads while git works.
  if (chosen === undefined) void preloadStore(config)
  const picked = await pickStage(invocation, scope, gate)
  const scopes = await pickScopes(invocation, picked, gate)
  const { terminal, flags } = invocation
  if (scopes.length === 0 && !flags.quiet)
    terminal.printError('warrant: the push sends no commits, so there is nothing to check')
  if (chosen !== undefined && !flags.quiet)
    terminal.printError(`warrant: this decision is not recorded, because of ${chosen}.`)
  const warn = (message: string) => terminal.printError(`warrant: ${message}`)
  for (const [at, one] of scopes.entries()) {
    const started = systemClock.elapsed()
    const complete = await judge(invocation, gate, { stage: picked.stage, scope: one, write })
    if (merged !== undefined && merged.missing > 0 && !flags.quiet)
      warn(`no shard has a result of ${merged.missing} files in this state; they were scanned now.`)
    const made = { run: complete, started, warn }
    const failure = chosen === undefined ? await recordRun(config, gate.root, made) : undefined
    const blocked = complete.report.status === 'BLOCKED'
    const report = flags['new-only'] ? onlyNew(complete.report) : complete.report
    const shown = { ...complete, report: paths.length === 0 ? report : { ...report, paths } }
    const recorded = chosen === undefined && failure === undefined
    // A format for machines is one document: that of the run that decides.
    if (blocked || at === scopes.length - 1 || pickFormat(invocation) === undefined)
      await deliver(invocation, gate.root, { ...shown, recorded })
    const code = failure && reportUnrecorded(invocation, failure)
    if (code !== undefined) return code
    if (blocked) return 1
  }
  return 0
}
