import { resolve } from 'node:path'
import { checkEvidence } from '../../app/open/check-evidence.ts'
import { type OpenedRepository, openRepositoryForCommand } from '../../app/open/repository.ts'
import { loadSettings } from '../../app/process-context.ts'
import { GATE_STAGES, type GateStage } from '../../evidence/stage.ts'
import { findChange } from '../../gate/sdd/openspec.ts'
import { evaluateSdd, readSdd, type SddEvaluation } from '../../gate/sdd/sdd.ts'
import { closeSession, openSession, refreshSession, type SessionState } from '../../gate/sdd/session.ts'
import { escapeLineBreaks } from '../../kernel/text/escape-text.ts'
import { fileEvidence } from '../../platform/files/evidence-file.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { printOutput, requireWritable, runSubcommand, type Subcommand } from '../command/subcommand.ts'

const printLines = (invocation: Invocation, value: object, lines: readonly string[]): number =>
  printOutput(invocation, value, () => lines.map(escapeLineBreaks).join('\n'))

const openForCommand = (invocation: Invocation, stage?: GateStage): Promise<OpenedRepository> =>
  openRepositoryForCommand(loadSettings(invocation).config, stage)

const sessionText = ({ active, valid, changeId, remainingSeconds }: SessionState): string => {
  if (!active) return 'no session is open'
  const rest = `${Math.ceil((remainingSeconds ?? 0) / 60)} minutes left`
  return `session on ${changeId ?? 'no change'}: ${valid ? rest : 'expired or without a change'}`
}

const status: Subcommand = async (invocation) => {
  const { sdd, signal } = await openForCommand(invocation)
  const found = await readSdd(sdd, sdd.config.read('warrant.', signal), { start: true, signal })
  const { installed, version, projectInitialized } = found.openspec
  const lines = [
    `openspec  ${installed ? version : 'not installed'}`,
    `project   ${projectInitialized ? 'openspec/ exists' : 'no openspec/ folder'}`,
    `session   ${sessionText(found.session)}`,
  ]
  return printLines(invocation, found, lines)
}

const readStage = ({ flags }: Invocation): GateStage => {
  const requested = String(flags.stage ?? 'PRE_COMMIT').toUpperCase()
  const stage = GATE_STAGES.find((one) => one === requested)
  if (stage === undefined) throw usageFaults.option(`--stage must be one of ${GATE_STAGES.join(', ')}`)
  return stage
}

const verdictLine = ({ stage, decision }: SddEvaluation): string =>
  `${decision.allowed ? 'ALLOWED' : `BLOCKED (${decision.code})`} at ${stage}: ${decision.message}`

/** PRE_WRITE checks the evidence as well. */
const checkPreWrite = async (
  invocation: Invocation,
  { root, config, signal }: OpenedRepository,
  sdd: SddEvaluation,
) => {
  const context = { environment: process.env, clock: systemClock }
  const evidence = fileEvidence(root, systemClock)
  const folder = resolve(config.root)
  const gate = await checkEvidence({ root, folder, config, evidence, context, stage: 'PRE_WRITE', signal })
  const telemetry = { chain: 'pumuki->ai_gate->ai_evidence', stage: 'PRE_WRITE' }
  const reasons = gate.violations.map(({ code, message, fix }) => `  ${code}: ${message} ${fix}`)
  const lines = [verdictLine(sdd), `${gate.status} ai_gate`, ...reasons]
  printLines(invocation, { sdd, ai_gate: gate, telemetry }, lines)
  return sdd.decision.allowed && gate.allowed ? 0 : 1
}

const validate: Subcommand = async (invocation) => {
  const stage = readStage(invocation)
  const repository = await openForCommand(invocation, stage)
  const evaluation = await evaluateSdd(repository.sdd, stage, repository.signal)
  if (stage === 'PRE_WRITE') return checkPreWrite(invocation, repository, evaluation)
  printLines(invocation, evaluation, [verdictLine(evaluation)])
  return evaluation.decision.allowed ? 0 : 1
}

const readMinutes = ({ flags }: Invocation): number | undefined => {
  const text = flags['ttl-minutes']
  if (typeof text !== 'string') return undefined
  const minutes = Number(text)
  if (text.trim() === '' || Number.isNaN(minutes)) throw usageFaults.option('--ttl-minutes must be a number')
  return minutes
}

const session: Subcommand = async (invocation) => {
  const { flags } = invocation
  const actions = ['open', 'refresh', 'close'].filter((name) => flags[name] === true)
  if (actions.length !== 1) throw usageFaults.option('choose one of --open, --refresh, --close')
  const change = flags.change
  if (flags.open && typeof change !== 'string') throw usageFaults.option('--open needs --change ID')
  const minutes = readMinutes(invocation)
  requireWritable(loadSettings(invocation).config, '`warrant sdd session`')
  const { sdd, root, signal } = await openForCommand(invocation)
  const ports = {
    repoRoot: root,
    config: sdd.config,
    clock: sdd.clock,
    findChange: (id: string) => findChange(id, sdd.files),
  }
  const found = flags.open
    ? await openSession(ports, { change: String(change), minutes }, signal)
    : flags.refresh
      ? await refreshSession(ports, minutes, signal)
      : await closeSession(ports, signal)
  return printLines(invocation, found, [sessionText(found)])
}

/** Installs OpenSpec with npm if it is missing or too old, and creates its folder. */
const install: Subcommand = async (invocation) => {
  requireWritable(loadSettings(invocation).config, '`warrant sdd install`')
  const { bootstrapOpenSpec } = await import('./install-openspec.ts')
  const report = await bootstrapOpenSpec(await openForCommand(invocation))
  const lines = [`openspec  ${report.installed}`, `new       ${report.scaffolded.join(', ') || 'nothing'}`]
  return printLines(invocation, report, lines)
}

const SUBCOMMANDS: Readonly<Record<string, Subcommand>> = { status, validate, session, install }

export const run = (invocation: Invocation): Promise<number> => runSubcommand(SUBCOMMANDS, invocation)
