import { NestingError, ShellReader } from './read-commands.ts'

/** Programs whose first word says what they do. */
const HAS_SUBCOMMANDS =
  /^(?:git|gh|glab|npm|npx|pnpm|yarn|bun|deno|cargo|go|pip\d?|poetry|uv|docker|podman|kubectl|helm|terraform|make|just|mvn|gradle|dotnet|bundle|composer|systemctl|apt|apt-get|brew|aws|gcloud|az|warrant)$/
/** A name of a program: with more digits between its letters it looks like a secret. */
const NAME = /^(?=.{1,40}$)[a-z_.+-]*\d{0,4}[a-z_.+-]*\d{0,3}(?:\.\d{1,3})*$/i
const SUBCOMMAND = /^[a-z][a-z:-]{0,30}$/
const LONG_OPTION = /^--[a-z][\w-]{0,40}/i

const MAX_COMMANDS = 8
const MAX_OPTIONS = 8

/** Program, subcommand and names of options: other arguments may hold a secret. */
const summarizeWords = ([program = '', ...args]: readonly string[]): string => {
  const name = program.slice(program.lastIndexOf('/') + 1)
  const first = args.find((text) => !text.startsWith('-')) ?? ''
  const verb = HAS_SUBCOMMANDS.test(name) && SUBCOMMAND.test(first) ? [first] : []
  const options = args.flatMap((text) =>
    text.startsWith('--')
      ? (LONG_OPTION.exec(text)?.[0] ?? [])
      : /^-[a-zA-Z]/.test(text)
        ? text.slice(0, 2)
        : [],
  )
  return [NAME.test(name) ? name : '…', ...verb, ...new Set(options.slice(0, MAX_OPTIONS))].join(' ')
}

/** A command as the log keeps it. */
export const summarizeCommand = (command: string): string => {
  const found: string[] = []
  const reader = new ShellReader(command.slice(0, 16 * 1024), {
    home: '~',
    variable: () => undefined,
    accept: ({ words }) => {
      const texts = words.map(({ text }) => text)
      const start = texts.findIndex((text) => !/^[A-Za-z_]\w*\+?=/.test(text))
      if (start >= 0 && found.length <= MAX_COMMANDS) found.push(summarizeWords(texts.slice(start)))
    },
  })
  try {
    reader.read()
  } catch (thrown) {
    if (!(thrown instanceof NestingError)) throw thrown
  }
  const shown = found.slice(0, MAX_COMMANDS).join('; ')
  return found.length > MAX_COMMANDS ? `${shown}; …` : shown
}
