import { isKnown, type ShellField, type ShellScope } from './shell-scope.ts'

/** A program that starts the command in its arguments. */
interface Wrapper {
  /** Options whose value is the next argument. */
  readonly valued: readonly string[]
  /** Arguments before the command. */
  readonly skip?: number
  /** Whether the command gets further arguments from the input. */
  readonly more?: boolean
  /** Whether `NAME=value` before the command sets variables. */
  readonly assigns?: boolean
}

const WRAPPERS: Readonly<Record<string, Wrapper>> = {
  env: { valued: ['-u', '--unset', '-C', '--chdir'], assigns: true },
  sudo: { valued: ['-u', '-g', '-h', '-p', '-C', '-r', '-t', '-T', '-U', '-D', '-R'], assigns: true },
  doas: { valued: ['-u', '-C'] },
  nohup: { valued: [] },
  nice: { valued: ['-n', '--adjustment'] },
  ionice: { valued: ['-c', '-n', '-p'] },
  timeout: { valued: ['-s', '--signal', '-k', '--kill-after'], skip: 1 },
  gtimeout: { valued: ['-s', '--signal', '-k', '--kill-after'], skip: 1 },
  stdbuf: { valued: ['-i', '-o', '-e'] },
  setsid: { valued: [] },
  time: { valued: ['-f', '-o'] },
  exec: { valued: ['-a'] },
  builtin: { valued: [] },
  command: { valued: [] },
  unbuffer: { valued: [] },
  chronic: { valued: [] },
  caffeinate: { valued: ['-t', '-w'] },
  strace: { valued: ['-o', '-e', '-p', '-s'] },
  busybox: { valued: [] },
  winpty: { valued: [] },
  setarch: { valued: [], skip: 1 },
  chrt: { valued: [], skip: 1 },
  taskset: { valued: ['-c'], skip: 1 },
  xargs: {
    valued: [
      '-I',
      '-i',
      '-n',
      '-L',
      '-P',
      '-d',
      '-E',
      '-s',
      '-a',
      '--max-args',
      '--max-procs',
      '--delimiter',
      '--arg-file',
      '--replace',
    ],
    more: true,
  },
  parallel: { valued: ['-j', '--jobs', '-a', '-N', '--delay'], more: true },
  'git-bash': { valued: [] },
}

export const ASSIGNMENT = /^([A-Za-z_]\w*)(?:\[[^\]]*\])?\+?=(.*)$/s

/** The name of a program without folder and ending. */
export const programName = (text: string): string =>
  text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1).replace(/\.(?:exe|cmd|bat)$/i, '')

interface Unwrapped {
  readonly fields: readonly ShellField[]
  readonly environment: Map<string, ShellField>
  readonly takesMore: boolean
}

const MAX_WRAPPERS = 12

/** Splits the text of `env -S`. */
const splitField = ({ text }: ShellField): ShellField[] =>
  text
    .split(/\s+/)
    .filter((one) => one !== '')
    .map((one) => ({ text: one, glob: false }))

/** The arguments after the options of a wrapper. */
const skipOptions = (
  fields: readonly ShellField[],
  { valued, skip = 0, assigns = false }: Wrapper,
  environment: Map<string, ShellField>,
): readonly ShellField[] => {
  let at = 0
  for (; at < fields.length; at++) {
    const field = fields[at] as ShellField
    const [, name, value = ''] = assigns ? (ASSIGNMENT.exec(field.text) ?? []) : []
    if (name !== undefined) environment.set(name, { text: value, glob: false })
    else if (field.text === '--') {
      at += 1
      break
    } else if (assigns && /^(?:-S|--split-string=?)/.test(field.text)) {
      const inline = field.text.replace(/^(?:-S|--split-string=?)/, '')
      const [split, rest] =
        inline === ''
          ? [fields[at + 1], fields.slice(at + 2)]
          : [{ text: inline, glob: false }, fields.slice(at + 1)]
      return skipOptions(
        [...(split === undefined ? [] : splitField(split)), ...rest],
        { valued, assigns },
        environment,
      )
    } else if (!field.text.startsWith('-') || field.text === '-') break
    else if (valued.includes(field.text)) at += 1
  }
  return fields.slice(at + skip)
}

/** Removes programs that only start another one, aliases of the shell, and assignments before a command. */
export const unwrapCommand = (given: readonly ShellField[], scope: ShellScope): Unwrapped => {
  const environment = new Map(scope.exported)
  let fields = given
  let takesMore = false
  for (let round = 0; round < MAX_WRAPPERS; round++) {
    const [head] = fields
    if (head === undefined) break
    const [, name, value = ''] = ASSIGNMENT.exec(head.text) ?? []
    if (name !== undefined) {
      environment.set(name, { text: value, glob: false })
      fields = fields.slice(1)
      round -= 1
      continue
    }
    if (!isKnown(head)) break
    const alias = scope.aliases.get(head.text)
    if (alias !== undefined) {
      const words = splitField({ text: alias, glob: false })
      // An alias may begin with its own name.
      fields = [...words, ...fields.slice(1)]
      if (words[0]?.text === head.text) break
      continue
    }
    const program = programName(head.text)
    const wrapper = Object.hasOwn(WRAPPERS, program) ? WRAPPERS[program] : undefined
    // `command -v NAME` only looks the name up.
    if (wrapper === undefined || (program === 'command' && /^-[vV]/.test(fields[1]?.text ?? ''))) break
    takesMore ||= wrapper.more === true
    fields = skipOptions(fields.slice(1), wrapper, environment)
  }
  return { fields, environment, takesMore }
}
