import { Fault, viewFault } from '../kernel/fault.ts'
import { escapeLineBreaks } from '../kernel/text/escape-text.ts'
import { EXIT_BUG, exitCodeOf, type Terminal } from '../surfaces/cli/command.ts'

interface ReportOptions {
  readonly json: boolean
  readonly terminal: Terminal
  readonly program?: string
}

/** Prints a failure, as text on stderr or as JSON on stdout, and returns the exit code. */
export const reportFailure = (
  thrown: unknown,
  { json, terminal, program = 'warrant' }: ReportOptions,
): number => {
  if (!(thrown instanceof Fault)) {
    terminal.printError(`${program}: internal error\n${(thrown as Error)?.stack ?? String(thrown)}`)
    if (json) terminal.print(JSON.stringify({ error: { code: 'bug', message: 'Internal error' } }))
    return EXIT_BUG
  }
  if (json) terminal.print(JSON.stringify({ error: viewFault(thrown) }))
  else terminal.printError(escapeLineBreaks(`${program}: ${thrown.message}. ${thrown.fix}`))
  return exitCodeOf(thrown)
}
