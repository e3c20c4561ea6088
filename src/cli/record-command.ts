import { resolve } from 'node:path'
import { loadConfig } from '../app/config/load-config.ts'
import type { Config } from '../app/config/settings.ts'
import { locateRepository } from '../app/open/repository.ts'
import { toSystemFault } from '../app/system-fault.ts'
import { Fault } from '../kernel/fault.ts'
import { recordCall } from '../kernel/record-call.ts'
import type { AuditedTool } from '../kernel/tool.ts'
import { systemClock } from '../platform/system/clock.ts'
import { type Command, exitCodeOf, type Invocation } from './command/command.ts'
import { digestInvocation } from './command/subcommand.ts'

interface LogPlace {
  readonly config: Config
  readonly root: string
}

/**
 * The repository whose log gets the record. Undefined outside of repositories, where no log is begun, and when the
 * operator chose to record nothing. The settings are not trusted to be right: the command itself says what is wrong.
 */
const findLog = async ({ flags: { openspec: _, ...flags } }: Invocation): Promise<LogPlace | undefined> => {
  try {
    const { config } = loadConfig(flags, { cwd: process.cwd(), environment: process.env })
    if (config.readOnly || config.store === 'memory') return undefined
    const root = await locateRepository(config, resolve(config.root))
    return root === undefined ? undefined : { config, root }
  } catch (thrown) {
    if (thrown instanceof Fault) return undefined
    throw thrown
  }
}

type Ending = Parameters<typeof recordCall>[2]

const failedEnding = (thrown: unknown): Ending => {
  const fault = thrown instanceof Fault ? thrown : toSystemFault(thrown)
  return fault === undefined ? { kind: 'bug' } : { kind: 'fault', fault }
}

interface EndedCommand {
  readonly tool: AuditedTool
  readonly ending: Ending
  readonly started: number
}

/** Records how a command ended, with the digest of its arguments. Returns why it could not. */
const recordEnding = async (
  invocation: Invocation,
  { config, root }: LogPlace,
  { tool, ending, started }: EndedCommand,
): Promise<Fault | undefined> => {
  const warn = (message: string) => invocation.terminal.printError(`warrant: ${message}`)
  const { openDecisions } = await import('../app/open/decisions.ts')
  const recorder = openDecisions(config, root, systemClock, warn)
  const ports = { clock: systemClock, log: { write: () => {} }, recorder }
  const recorded = await recordCall(ports, tool, ending, { started, args: digestInvocation(invocation) })
  await recorder.close().catch(() => {})
  return recorded?.fault
}

/** Wrong usage is found before anything is changed or judged. */
const isUsage = (thrown: unknown): boolean => thrown instanceof Fault && thrown.code.startsWith('usage.')

/** Whether the log exists. A run that could not judge begins none: it changes nothing in a repository. */
const hasLog = async ({ config, root }: LogPlace): Promise<boolean> => {
  if (config.store !== undefined) return true
  const { findOwnDatabase } = await import('../app/open/user-state.ts')
  return findOwnDatabase(config, root).catch(() => false)
}

/**
 * Records that a tool, started as a command, ended with a fault, where there is a log. The fault itself is reported by
 * the caller.
 */
export const recordFailure = async (
  invocation: Invocation,
  name: string,
  thrown: unknown,
  started: number,
): Promise<void> => {
  const place = isUsage(thrown) ? undefined : await findLog(invocation)
  if (place === undefined || !(await hasLog(place))) return
  const tool = { name, effect: 'write' } as const
  await recordEnding(invocation, place, { tool, ending: failedEnding(thrown), started })
}

/** Runs a command and records how it ended: its name, the digest of its arguments, and the exit code. */
export const runRecorded = async (command: Command, invocation: Invocation): Promise<number> => {
  const place = await findLog(invocation)
  if (place === undefined) return command.run(invocation)
  const { positionals, terminal } = invocation
  const [verb] = command.choices.filter((choice) => choice === positionals[0])
  const name = [command.name, ...(verb === undefined ? [] : [verb])].join(' ')
  const started = systemClock.elapsed()
  const tool: AuditedTool = { name, effect: 'write', auditFields: (exit: number) => ({ exit }) }
  const record = (ending: Ending) => recordEnding(invocation, place, { tool, ending, started })
  let exit: number
  try {
    exit = await command.run(invocation)
  } catch (thrown) {
    if (!isUsage(thrown)) await record(failedEnding(thrown))
    throw thrown
  }
  const failure = await record({ kind: 'answer', value: exit })
  if (failure === undefined) return exit
  const why = failure.cause instanceof Error ? failure.cause.message : failure.message
  terminal.printError(`warrant: ${name} is done, but was not recorded: ${why}. ${failure.fix}`)
  return exit === 0 ? exitCodeOf(failure) : exit
}
