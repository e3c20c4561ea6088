import { digestArguments } from '../../kernel/record-call.ts'
import { type Invocation, usageFaults } from './command.ts'

/** The digest of what a command was started with, for its entry in the log. */
export const digestInvocation = ({ flags, lists, positionals }: Invocation): string =>
  digestArguments({ flags, lists, positionals })

/** Refuses a command that exists to write when nothing may be written. */
export const requireWritable = ({ readOnly }: { readonly readOnly: boolean }, what: string): void => {
  if (readOnly)
    throw usageFaults.option(`${what} writes files, which --read-only forbids`, {
      fix: 'Run it without --read-only, and without readOnly in the settings.',
    })
}

/** Prints the result of a command, as JSON or as text. Returns the exit code of success. */
export const printOutput = ({ json, terminal }: Invocation, value: object, text: () => string): number => {
  terminal.print(json ? JSON.stringify(value) : text())
  return 0
}

export type Subcommand = (invocation: Invocation, rest: readonly string[]) => Promise<number>

/** Runs the subcommand that the first argument names, else the first one. `maxRest` limits the arguments after it. */
export const runSubcommand = (
  subcommands: Readonly<Record<string, Subcommand>>,
  invocation: Invocation,
  maxRest: Readonly<Record<string, number>> = {},
): Promise<number> => {
  const names = Object.keys(subcommands)
  const [name = names[0] ?? '', ...rest] = invocation.positionals
  const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined
  if (subcommand === undefined)
    throw usageFaults.argument(
      `there is no subcommand ${JSON.stringify(name)}; there are ${names.join(', ')}`,
    )
  // An ignored argument would look as if it had been used, such as a second file to verify.
  const [extra] = rest.slice(maxRest[name] ?? rest.length)
  if (extra !== undefined) throw usageFaults.argument(`${name}: unexpected argument ${JSON.stringify(extra)}`)
  return subcommand(invocation, rest)
}

/** A whole number from the command line. */
export const readCount = (text: string | undefined, what: string): number => {
  if (text === undefined || !/^\d{1,15}$/.test(text))
    throw usageFaults.argument(`${what} must be a whole number`)
  return Number(text)
}

/** The value of a flag that takes one; undefined when it was not given. */
export const textFlag = ({ flags }: Pick<Invocation, 'flags'>, name: string): string | undefined => {
  const value = flags[name]
  return typeof value === 'string' ? value : undefined
}
