import { parseArgs } from 'node:util'
import { defineFaults, type Fault, type FaultKind } from '../../kernel/fault.ts'

export const usageFaults = defineFaults('usage', {
  node: { kind: 'unavailable', fix: 'Install Node.js 20.19 or newer.' },
  command: { kind: 'invalid', fix: 'Run `warrant --help` for the commands.' },
  option: { kind: 'invalid', fix: 'Run the command with --help for its options.' },
  argument: { kind: 'invalid', fix: 'Run the command with --help for its arguments.' },
})

/** Exit codes by kind of fault. 0 is success, 1 is "blocked" or "no", 70 is a bug. */
export const EXIT_CODES: Readonly<Record<FaultKind, number>> = {
  invalid: 2,
  refused: 3,
  missing: 4,
  conflict: 5,
  exhausted: 6,
  corrupt: 7,
  unavailable: 8,
}
export const EXIT_BUG = 70

/** Faults whose exit code is older than the table above: hooks and scripts test for it. */
export const EXIT_CODE_EXCEPTIONS: Readonly<Record<string, number>> = {
  'gate.base_missing': 1,
  'serve.port': 1,
}

export const exitCodeOf = ({ code, kind }: Fault): number => EXIT_CODE_EXCEPTIONS[code] ?? EXIT_CODES[kind]

export interface Option {
  readonly flag: string
  /** A list is an option that may be given several times. */
  readonly kind: 'switch' | 'text' | 'list'
  readonly description: string
  readonly value?: string
  readonly choices?: readonly string[]
  /** The group of a setting. Every command takes every setting; its help lists those of the groups that it uses. */
  readonly group?: string
}

export interface Terminal {
  /** Results: stdout. */
  print(text: string): void
  /** Everything else: stderr. */
  printError(text: string): void
  /** Results with escape sequences of ours: the caller has removed those of untrusted text. */
  printStyled(text: string): void
}

export interface Invocation {
  readonly flags: Readonly<Record<string, string | boolean | undefined>>
  /** Options that may be given several times. */
  readonly lists?: Readonly<Record<string, readonly string[]>>
  readonly positionals: readonly string[]
  readonly json: boolean
  readonly terminal: Terminal
}

export interface Command {
  readonly name: string
  readonly summary: string
  /** Arguments as the usage line shows them, such as `<client>`. */
  readonly usage: string
  readonly options: () => readonly Option[]
  /** Groups of settings that the command uses. Undefined for all of them. */
  readonly settings?: readonly string[] | undefined
  /** Whether programs call it, and people do not: the help of the program leaves it out. */
  readonly unlisted?: boolean
  /** Values of its first argument, for completion. */
  readonly choices: readonly string[]
  /** Maximum number of arguments. Default: `MAX_POSITIONALS` of the program. */
  readonly maxPositionals?: number
  /** The help of a subcommand. Undefined when there is no such subcommand. */
  readonly verb?: (name: string) => Omit<Command, 'run' | 'choices'> | undefined
  /** Loads the command's code when called. Resolves to the exit code. */
  readonly run: (invocation: Invocation) => Promise<number>
}

const JSON_OPTION: Option = { flag: 'json', kind: 'switch', description: 'Print one JSON document.' }
const HELP_OPTION: Option = { flag: 'help', kind: 'switch', description: 'Show this help.' }
const HELP_ALL_OPTION: Option = {
  flag: 'help-all',
  kind: 'switch',
  description: 'Show this help with every setting.',
}

export const allOptions = (command: Pick<Command, 'options'>): readonly Option[] => {
  const own = command.options()
  const hasSettings = own.some(({ group }) => group !== undefined)
  return [...own, JSON_OPTION, HELP_OPTION, ...(hasSettings ? [HELP_ALL_OPTION] : [])]
}

/** The first sentence of `parseArgs`' error message, without its advice. */
const optionProblem = (message: string): string => {
  const [, flag] = /^Option '(?:-\w, )?(--[\w-]+)' argument is ambiguous/.exec(message) ?? []
  if (flag !== undefined) return `${flag} needs a value; write a value that begins with a dash as ${flag}=-…`
  return message.split(/\.?\n|\. | To /)[0] ?? message
}

/** Parses the arguments of a command. `--` ends the options. */
export const readArguments = (command: Command, args: readonly string[]) => {
  const options = Object.fromEntries(
    allOptions(command).map(({ flag, kind }) => [
      flag,
      { type: kind === 'switch' ? ('boolean' as const) : ('string' as const), multiple: kind === 'list' },
    ]),
  )
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      strict: true,
    })
    const flags: Record<string, string | boolean | undefined> = {}
    const lists: Record<string, readonly string[]> = {}
    for (const [name, value] of Object.entries(values)) {
      if (Array.isArray(value)) lists[name] = value.map(String)
      else flags[name] = value
    }
    return { values: flags, lists, positionals }
  } catch (cause) {
    throw usageFaults.option(optionProblem(cause instanceof Error ? cause.message : String(cause)), { cause })
  }
}

const column = (text: string, width: number): string => text.padEnd(width)

const optionLine = ({ flag, kind, value, description, choices }: Option): string => {
  const shown = kind === 'switch' ? `--${flag}` : `--${flag} ${value ?? 'VALUE'}`
  const among = choices === undefined || choices.length === 0 ? '' : ` (${choices.join(', ')})`
  return `  ${column(shown, 30)} ${description}${among}`
}

const SETTINGS_TITLE = 'Settings, which are also WARRANT_* variables and keys of warrant.json'

/** The help of a command: its options, then the settings that it uses, or all settings. */
export const commandHelp = (
  command: Omit<Command, 'run' | 'choices'>,
  settings: 'used' | 'all' = 'used',
): string => {
  const all = allOptions(command)
  const own = all.filter(({ group }) => group === undefined)
  const common = all.filter(({ group }) => group !== undefined)
  const shown = common.filter(
    ({ group = '' }) => settings === 'all' || (command.settings?.includes(group) ?? true),
  )
  const [program] = command.name.split(' ')
  return [
    `Usage: warrant ${[command.name, command.usage].filter((part) => part !== '').join(' ')} [options]`,
    '',
    command.summary,
    '',
    'Options:',
    ...own.map(optionLine),
    ...(shown.length === 0 ? [] : ['', `${SETTINGS_TITLE}:`, ...shown.map(optionLine)]),
    ...(shown.length === common.length
      ? []
      : ['', `Every command takes all ${common.length} settings: warrant ${program} --help-all lists them.`]),
  ].join('\n')
}

/** Titles of the help of the program, with the names of commands below each. */
export type CommandGroups = readonly (readonly [title: string, names: readonly string[]])[]

/** Commands by the group that names them; the last group has those that no group names. */
export const groupCommands = (
  commands: readonly Command[],
  groups: CommandGroups,
): readonly (readonly [title: string, commands: readonly Command[]])[] => {
  const named = new Set(groups.flatMap(([, names]) => names))
  const others = commands.filter(({ name }) => !named.has(name))
  return groups
    .map(([title, names], index): [string, readonly Command[]] => [
      title,
      [
        ...names.flatMap((name) => commands.find((command) => command.name === name) ?? []),
        ...(index === groups.length - 1 ? others.filter(({ unlisted }) => !unlisted) : []),
      ],
    ])
    .filter(([, list]) => list.length > 0)
}

export const programHelp = (commands: readonly Command[], groups: CommandGroups, version: string): string =>
  [
    `Warrant ${version}: stops coding agents from committing what harms, and proves that every commit was checked.`,
    '',
    'Usage: warrant <command> [options]',
    ...groupCommands(commands, groups).flatMap(([title, list]) => [
      '',
      `${title}:`,
      ...list.map(({ name, summary }) => `  ${column(name, 14)} ${summary}`),
    ]),
    '',
    'Every command takes --help and --json. Settings are flags, WARRANT_* variables or keys of warrant.json.',
  ].join('\n')
