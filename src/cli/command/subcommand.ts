import { type Invocation, usageFaults } from './command.ts'

export type Subcommand = (invocation: Invocation, rest: readonly string[]) => Promise<number>

/** Runs the subcommand that the first argument names. `maxRest` limits the arguments after it. */
export const runSubcommand = (
  subcommands: Readonly<Record<string, Subcommand>>,
  invocation: Invocation,
  maxRest: Readonly<Record<string, number>> = {},
): Promise<number> => {
  const [name = '', ...rest] = invocation.positionals
  const subcommand = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined
  if (subcommand === undefined)
    throw usageFaults.argument(`give a subcommand: ${Object.keys(subcommands).join(', ')}`)
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
