import { Fault, viewFault } from '../kernel/fault.ts'
import { escapeLineBreaks } from '../kernel/text/escape-text.ts'
import { EXIT_BUG, exitCodeOf, type Terminal } from '../surfaces/cli/command.ts'

/** A failure as one document: words on stderr, or JSON on stdout for who asked for it. */
export const reportFailure = (
  thrown: unknown,
  json: boolean,
  terminal: Terminal,
  program = 'warrant',
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
