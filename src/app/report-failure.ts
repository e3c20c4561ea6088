import { EXIT_BUG, exitCodeOf, type Terminal, usageFaults } from '../cli/command/command.ts'
import { Fault, viewFault } from '../kernel/fault.ts'
import { escapeLineBreaks } from '../kernel/text/escape-text.ts'
import { toSystemFault } from './system-fault.ts'

const OLDEST = [20, 19] as const

/** An older Node.js would fail later, at the first function that it lacks. */
export const requireNode = (version = process.versions.node): void => {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  if (major < OLDEST[0] || (major === OLDEST[0] && minor < OLDEST[1]))
    throw usageFaults.node(`Node.js ${version} is too old`)
}

/**
 * Sets the exit code of the process. Until the command ends it is the code of a bug: when the event loop runs empty
 * before the gate has judged, the exit code must not be 0, which means "passed".
 */
export const exitWith = async (code: Promise<number>): Promise<void> => {
  process.exitCode = EXIT_BUG
  process.exitCode = await code
}

interface ReportOptions {
  readonly json: boolean
  readonly terminal: Terminal
  readonly program?: string
}

/** Prints a failure, as text on stderr or as JSON on stdout, and returns the exit code. */
export const reportFailure = (
  raised: unknown,
  { json, terminal, program = 'warrant' }: ReportOptions,
): number => {
  const thrown = raised instanceof Fault ? raised : (toSystemFault(raised) ?? raised)
  if (!(thrown instanceof Fault)) {
    terminal.printError(
      `${program}: internal error\n${(thrown instanceof Error ? thrown.stack : undefined) ?? String(thrown)}`,
    )
    if (json) terminal.print(JSON.stringify({ error: { code: 'bug', message: 'Internal error' } }))
    return EXIT_BUG
  }
  if (json) terminal.print(JSON.stringify({ error: viewFault(thrown) }))
  else terminal.printError(escapeLineBreaks(`${program}: ${thrown.message}. ${thrown.fix}`))
  return exitCodeOf(thrown)
}
