import { quoteShell, quoteShellWord } from '../kernel/text/shell-quote.ts'

/**
 * The words that start Warrant. They are the same for every version: some clients trust a hook by the digest of its
 * line, and a changed line would silently switch the hook off.
 */
export type LaunchWords = readonly string[]

/** `npx` starts what is installed in the repository, and downloads nothing. */
export const LOCAL_LAUNCH: LaunchWords = ['npx', '--no-install', 'warrant']
export const PATH_LAUNCH: LaunchWords = ['warrant']

const isAbsolute = (path: string): boolean => /^(?:\/|[A-Za-z]:[\\/])/.test(path)

/** Whether words are those that `warrant init` writes, on this or another machine. */
const isLaunch = (words: LaunchWords): boolean => {
  const [first = '', second = ''] = words
  if (words.length === 2) return isAbsolute(first) && isAbsolute(second) && /[\\/]warrant\.js$/.test(second)
  return [PATH_LAUNCH, LOCAL_LAUNCH].some((known) => known.join('\0') === words.join('\0'))
}

/** The words as a shell command. A path is quoted always, so that one form can be recognised. */
export const shellCommand = (launch: LaunchWords): string =>
  (isAbsolute(launch[0] ?? '') ? launch.map(quoteShell) : launch.map(quoteShellWord)).join(' ')

/** The launch whose words these are, without the arguments at the end; undefined when they are something else. */
export const readLaunch = (words: unknown, args: readonly string[]): LaunchWords | undefined => {
  if (!Array.isArray(words) || !words.every((word): word is string => typeof word === 'string'))
    return undefined
  const launch = words.slice(0, -args.length)
  const isOurs = words.slice(-args.length).join('\0') === args.join('\0') && isLaunch(launch)
  return isOurs ? launch : undefined
}

const QUOTED = /^'((?:[^']|'\\'')*)' '((?:[^']|'\\'')*)'$/

/** The same for a shell command. */
export const readShellLaunch = (command: unknown, args: string): LaunchWords | undefined => {
  if (typeof command !== 'string' || !command.endsWith(` ${args}`)) return undefined
  const start = command.slice(0, -args.length - 1)
  const [, ...quoted] = QUOTED.exec(start) ?? []
  const launch = quoted.length === 0 ? start.split(' ') : quoted.map((word) => word.replaceAll(`'\\''`, "'"))
  return isLaunch(launch) ? launch : undefined
}
