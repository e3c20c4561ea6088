import { resolve } from 'node:path'
import { runAuditFields } from '../../../gate/audit-fields.ts'
import { gateFaults } from '../../../gate/faults.ts'
import { BASELINE_FILE, writeBaseline } from '../../../gate/findings/baseline.ts'
import type { Scope } from '../../../gate/ports.ts'
import { type GateRun, onlyNew } from '../../../gate/reports/report.ts'
import { runGate } from '../../../gate/run.ts'
import type { GateStage } from '../../../gate/stage.ts'
import { Fault } from '../../../kernel/fault.ts'
import { recordCall } from '../../../kernel/record-call.ts'
import type { AuditedTool } from '../../../kernel/tool.ts'
import { writeOutputFile } from '../../../platform/files/output-file.ts'
import { systemClock } from '../../../platform/system/clock.ts'
import { exitCodeOf, type Invocation, usageFaults } from '../../../surfaces/cli/command.ts'
import { textFlag } from '../../../surfaces/cli/subcommand.ts'
import type { Config } from '../../config/settings.ts'
import { VERSION } from '../../config/version.ts'
import { loadBaseline, type OpenGate, openGate } from '../../open/gate.ts'
import { preloadStore } from '../../open/store.ts'
import { loadSettings } from '../../process-context.ts'
import { supportsColor } from '../../terminal.ts'
import { type ProgressJob, withProgress } from '../progress.ts'
import { pickScope, pickScopes, pickStage } from './pick-scope.ts'

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
  const text = writer === undefined ? writeText(run, style) : await writer(run)
  if (file !== undefined) {
    await writeNamedFile(root, { flag: 'output', file }, `${text}\n`)
    if (!flags.quiet) terminal.printError(summaryLine(run.report, { colour: false }))
  } else if (writer !== undefined) terminal.print(text)
  else if (!flags.quiet || run.report.status === 'BLOCKED') terminal.printStyled(text)
}

/** The option or setting by which the operator chose to record nothing. */
const unrecordedBy = ({ flags }: Invocation, { readOnly, store }: Config): string | undefined => {
  if (flags['no-evidence'] === true) return '--no-evidence'
  if (readOnly) return '--read-only'
  return store === 'memory' ? '--store memory' : undefined
}

const GATE_RUN: AuditedTool = {
  name: 'gate_run',
  effect: 'write',
  auditFields: ({ report }: GateRun) => runAuditFields(report),
}

const UNRECORDED_FIX = ' To accept a verdict without a record, use `warrant gate --allow-unrecorded`.'

/** Records the decision. Returns the fault when that failed. */
const record = async (
  config: Config,
  root: string,
  { run, started }: { readonly run: GateRun; readonly started: number },
): Promise<Fault | undefined> => {
  const recorder = (await import('../../open/decisions.ts')).openDecisions(config, root, systemClock)
  const ports = { clock: systemClock, log: { write: () => {} }, recorder }
  const recorded = await recordCall(ports, GATE_RUN, { kind: 'answer', value: run }, started)
  await recorder.close().catch(() => {})
  return recorded === true ? undefined : recorded
}

const progressJob = ({ flags }: Invocation): ProgressJob => ({
  what: 'gate',
  unit: 'files',
  hidden: flags.quiet === true,
})

const judge = async (
  invocation: Invocation,
  gate: OpenGate,
  request: { readonly stage: GateStage; readonly scope: Scope | undefined; readonly write: boolean },
): Promise<GateRun> => {
  const baseline = await loadBaseline(gate, textFlag(invocation, 'baseline'), process.cwd())
  if (invocation.flags['new-only'] && baseline === undefined) {
    throw gateFaults.baseline_missing('--new-only needs a baseline, and there is none')
  }
  const isBuild = request.stage === 'CI' && request.scope === undefined
  const build = isBuild ? await (await import('../../open/build-event.ts')).readBuild(process.env) : undefined
  const remote = textFlag(invocation, 'remote')
  return withProgress(progressJob(invocation), (progress) =>
    runGate(gate.ports, { ...request, build, remote, baseline, progress }, NO_ABORT),
  )
}

const openForCommand = async (config: Config): Promise<OpenGate> => {
  // Copied once: reading a variable of process.env is a call into native code.
  const environment = { ...process.env }
  const context = { environment, clock: systemClock, indexFile: environment.GIT_INDEX_FILE }
  return openGate(config, { ...context, folder: resolve(config.root), signal: NO_ABORT })
}

/** Writes every current finding into the baseline, so that later runs judge only new ones. */
const createBaseline = async (invocation: Invocation): Promise<number> => {
  const gate = await openForCommand(loadSettings(invocation).config)
  const named = textFlag(invocation, 'baseline')
  const scope = pickScope(invocation) ?? { kind: 'repository' }
  const { report, shadowed } = await withProgress(progressJob(invocation), (progress) => {
    const request = { scope, baseline: undefined, write: false, progress }
    return runGate(gate.ports, { ...request, stage: 'CI' as const }, NO_ABORT)
  })
  const findings = report.findings.filter(({ source }) => source === report.source)
  const file = named ?? resolve(gate.root, BASELINE_FILE)
  await writeNamedFile(gate.root, { flag: 'baseline', file }, writeBaseline([...findings, ...shadowed]))
  const accepted = findings.filter(({ state }) => state !== 'suppressed').length
  const text = `${accepted} finding${accepted === 1 ? '' : 's'} accepted in ${named ?? BASELINE_FILE}`
  invocation.terminal.print(invocation.json ? JSON.stringify({ accepted }) : text)
  return 0
}

interface ScopeRequest {
  readonly stage: GateStage
  readonly scope: Scope | undefined
  readonly write: boolean
  readonly isLast: boolean
}

/** Judges one scope, records the decision and reports it. Returns the exit code. */
const judgeScope = async (
  invocation: Invocation,
  {
    config,
    gate,
    recorded,
  }: { readonly config: Config; readonly gate: OpenGate; readonly recorded: boolean },
  request: ScopeRequest,
): Promise<number> => {
  const { terminal, flags } = invocation
  const started = systemClock.elapsed()
  const complete = await judge(invocation, gate, request)
  const failure = recorded ? await record(config, gate.root, { run: complete, started }) : undefined
  const blocked = complete.report.status === 'BLOCKED'
  const shown = flags['new-only'] ? { ...complete, report: onlyNew(complete.report) } : complete
  // A format for machines is one document: that of the run that decides.
  if (blocked || request.isLast || pickFormat(invocation) === undefined)
    await deliver(invocation, gate.root, { ...shown, recorded: recorded && failure === undefined })
  if (failure !== undefined) {
    const accepted = flags['allow-unrecorded'] === true
    terminal.printError(`warrant: ${failure.message}. ${failure.fix}${accepted ? '' : UNRECORDED_FIX}`)
    if (!accepted) return exitCodeOf(failure)
  }
  return blocked ? 1 : 0
}

export const run = async (invocation: Invocation): Promise<number> => {
  const [verb, ...rest] = invocation.positionals
  if (rest.length > 0 || (verb !== undefined && verb !== 'baseline')) {
    throw usageFaults.argument('the only argument is: baseline')
  }
  pickFormat(invocation)
  if (verb === 'baseline') return createBaseline(invocation)
  const { config } = loadSettings(invocation)
  const scope = pickScope(invocation)
  const gate = await openForCommand(config)
  const write = invocation.flags['no-evidence'] !== true
  const chosen = unrecordedBy(invocation, config)
  // Loads while git works.
  if (chosen === undefined) void preloadStore(config)
  const picked = await pickStage(invocation, scope, gate)
  const scopes = await pickScopes(invocation, picked, gate)
  const { terminal, flags } = invocation
  if (scopes.length === 0 && !flags.quiet)
    terminal.printError('warrant: the push sends no commits, so there is nothing to check')
  if (chosen !== undefined && !flags.quiet)
    terminal.printError(`warrant: this decision is not recorded, because of ${chosen}.`)
  const context = { config, gate, recorded: chosen === undefined }
  for (const [at, one] of scopes.entries()) {
    const request = { stage: picked.stage, scope: one, write, isLast: at === scopes.length - 1 }
    const code = await judgeScope(invocation, context, request)
    if (code !== 0) return code
  }
  return 0
}
