import { mayBeOption, type ShellField, UNKNOWN } from './shell-scope.ts'

/** Global options of git whose value is the next argument. */
const VALUED_GLOBALS = [
  '-C',
  '-c',
  '--git-dir',
  '--work-tree',
  '--namespace',
  '--exec-path',
  '--config-env',
  '--super-prefix',
  '--attr-source',
]

/** The arguments of git: options before the subcommand, the subcommand, and what follows it. */
export interface GitArguments {
  /** Settings of `-c NAME=VALUE` and `--config-env`; names in lower case. */
  readonly settings: readonly { readonly name: string; readonly value: string }[]
  readonly gitDir: string | undefined
  readonly execPath: boolean
  /** The folder of `-C`. */
  readonly folder: string | undefined
  /** Undefined where there is none. */
  readonly subcommand: ShellField | undefined
  readonly rest: readonly ShellField[]
}

const readSetting = (text: string) => {
  const end = text.indexOf('=')
  const name = end < 0 ? text : text.slice(0, end)
  return { name: name.toLowerCase(), value: end < 0 ? 'true' : text.slice(end + 1) }
}

export const readGitArguments = (args: readonly ShellField[]): GitArguments => {
  const settings: { name: string; value: string }[] = []
  let gitDir: string | undefined
  let folder: string | undefined
  let execPath = false
  let at = 0
  for (; at < args.length; at++) {
    const text = args[at]?.text ?? ''
    if (!text.startsWith('-')) break
    const [flag = '', inline] = text.startsWith('--')
      ? [text.split('=', 1)[0], text.split('=').slice(1).join('=')]
      : [text, '']
    const isValued = VALUED_GLOBALS.includes(flag) && !text.includes('=')
    // `--exec-path` without a value only prints the path.
    const takesNext = isValued && flag !== '--exec-path'
    const value = takesNext ? (args[at + 1]?.text ?? '') : (inline ?? '')
    if (flag === '-c' || flag === '--config-env') settings.push(readSetting(value))
    if (flag === '--git-dir') gitDir = value
    if (flag === '--bare') gitDir = UNKNOWN
    if (flag === '--exec-path' && value !== '') execPath = true
    if (flag === '-C') folder = value
    if (takesNext) at += 1
  }
  return { settings, gitDir, folder, execPath, subcommand: args[at], rest: args.slice(at + 1) }
}

/** Options of a subcommand whose value is the next argument, and the short option that skips hooks. */
interface OptionTable {
  readonly short: string
  /** Short options with a value that is always attached. */
  readonly attached: string
  readonly long: readonly string[]
  readonly skipsHooks: string
}

const NO_OPTIONS: OptionTable = { short: '', attached: '', long: [], skipsHooks: '' }

const OPTIONS: Readonly<Record<string, OptionTable>> = {
  commit: {
    short: 'mFCct',
    attached: 'Su',
    long: [
      'message',
      'file',
      'author',
      'date',
      'template',
      'reuse-message',
      'reedit-message',
      'fixup',
      'squash',
      'cleanup',
      'trailer',
      'pathspec-from-file',
    ],
    skipsHooks: 'n',
  },
  am: {
    short: 'Cp',
    attached: 'S',
    long: ['directory', 'exclude', 'include', 'patch-format'],
    skipsHooks: 'n',
  },
  push: {
    short: 'o',
    attached: '',
    long: ['push-option', 'receive-pack', 'exec', 'repo', 'recurse-submodules'],
    skipsHooks: '',
  },
  merge: {
    short: 'msXF',
    attached: 'S',
    long: ['strategy', 'strategy-option', 'message', 'file', 'into-name', 'cleanup'],
    skipsHooks: '',
  },
  rebase: {
    short: 'sXxC',
    attached: 'S',
    long: ['onto', 'exec', 'strategy', 'strategy-option', 'empty', 'whitespace'],
    skipsHooks: '',
  },
  pull: {
    short: 'sXo',
    attached: 'Sj',
    long: ['strategy', 'strategy-option', 'depth', 'upload-pack', 'server-option'],
    skipsHooks: '',
  },
  'cherry-pick': {
    short: 'msX',
    attached: 'S',
    long: ['mainline', 'strategy', 'strategy-option', 'cleanup'],
    skipsHooks: '',
  },
  revert: {
    short: 'msX',
    attached: 'S',
    long: ['mainline', 'strategy', 'strategy-option', 'cleanup'],
    skipsHooks: '',
  },
}

/** Subcommands during which hooks run that the gate is installed in, or that make commits. */
export const runsHooks = (subcommand: string): boolean => Object.hasOwn(OPTIONS, subcommand)

/** Git accepts the beginning of a long option. */
const isNoVerify = (text: string): boolean => /^--no-v(?:e(?:r(?:i(?:f(?:y)?)?)?)?)?(?:=.*)?$/.test(text)

/** Values of options of a subcommand. */
interface SubcommandReading {
  readonly skipsHooks: boolean
  /** Whether a part that is not known yet may be an option. */
  readonly isOpen: boolean
  /** Values of `--exec` and `-x`. */
  readonly commands: readonly string[]
}

/** Reads the arguments of a subcommand as git does. */
export const readSubcommand = (name: string, args: readonly ShellField[]): SubcommandReading => {
  const table = OPTIONS[name] ?? NO_OPTIONS
  const commands: string[] = []
  let skipsHooks = false
  let isOpen = false
  for (let at = 0; at < args.length; at++) {
    const field = args[at] as ShellField
    const { text } = field
    if (text === '--') break
    isOpen ||= mayBeOption(field)
    if (text.startsWith('--')) {
      if (isNoVerify(text)) skipsHooks = true
      if (text.includes(UNKNOWN) && !text.includes('=')) isOpen = true
      const flag = text.slice(2)
      const isValued =
        !text.includes('=') && table.long.some((one) => one.startsWith(flag) && flag.length > 1)
      if (isValued && flag.startsWith('ex')) commands.push(args[at + 1]?.text ?? '')
      if (/^exec=/.test(flag)) commands.push(flag.slice(5))
      if (isValued) at += 1
    } else if (/^-./.test(text)) {
      const read = readCluster(text.slice(1), table)
      skipsHooks ||= read.skipsHooks
      isOpen ||= read.isOpen
      if (read.option === 'x') commands.push(read.value ?? args[at + 1]?.text ?? '')
      if (read.option !== undefined && read.value === undefined) at += 1
    }
  }
  return { skipsHooks, isOpen, commands: name === 'rebase' ? commands : [] }
}

/** Short options that are written together. The first one with a value takes the rest, or the next argument. */
const readCluster = (letters: string, { short, attached, skipsHooks }: OptionTable) => {
  for (const [at, letter] of [...letters].entries()) {
    const rest = letters.slice(at + 1)
    if (letter === UNKNOWN) return { skipsHooks: false, isOpen: true }
    if (skipsHooks !== '' && letter === skipsHooks) return { skipsHooks: true, isOpen: false }
    if (attached.includes(letter)) break
    if (short.includes(letter))
      return { skipsHooks: false, isOpen: false, option: letter, value: rest === '' ? undefined : rest }
  }
  return { skipsHooks: false, isOpen: false }
}
