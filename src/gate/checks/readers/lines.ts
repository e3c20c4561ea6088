import { optional } from '../../../kernel/optional.ts'
import { type CheckReader, type CheckResult, CheckUnreadable, type ReaderInput } from './reader.ts'
import {
  cleanRule,
  cleanText,
  linesOf,
  MAX_HELP,
  MAX_MESSAGE,
  pathOfUri,
  placePath,
  ResultCollector,
  resultOf,
} from './results.ts'

const TSC_LEVEL = '(error|warning|message|suggestion)'
/** `src/a.ts(3,5): error TS2322: message` */
const PLAIN = new RegExp(`^(.{1,4096}?)\\((\\d+),(\\d+)\\): ${TSC_LEVEL} (TS\\d+): (.*)$`)
/** `src/a.ts:3:5 - error TS2322: message` */
const PRETTY = new RegExp(`^(.{1,4096}?):(\\d+):(\\d+) - ${TSC_LEVEL} (TS\\d+): (.*)$`)
/** `error TS18003: message`, about no file. */
const GLOBAL = new RegExp(`^()()()${TSC_LEVEL} (TS\\d+): (.*)$`)

const MAX_CONTINUATIONS = 20

interface Diagnostic {
  readonly fields: readonly string[]
  readonly lines: string[]
  /** In the pretty format a blank line ends the message, and the source code follows. */
  open: boolean
}

const readDiagnostic = (
  [path = '', line, column, , rule = '']: readonly string[],
  level: string,
  text: string,
  input: ReaderInput,
): CheckResult => {
  const message = cleanText(text, MAX_MESSAGE)
  return resultOf({ rule, level, message, place: placePath(path, input), region: [line, column] })
}

/** Output of `tsc`, `vue-tsc` and others that print in its two formats. */
export const readTsc: CheckReader = (input) => {
  const collector = new ResultCollector(input.limits)
  let current: Diagnostic | undefined
  const flush = (): void => {
    if (current === undefined) return
    const { fields, lines } = current
    const given = fields[3] ?? ''
    const level = given === 'message' || given === 'suggestion' ? 'note' : given
    collector.add(level, () => readDiagnostic(fields, level, lines.join('\n'), input))
    current = undefined
  }
  for (const line of linesOf(input.bytes)) {
    const [, ...fields] = PLAIN.exec(line) ?? PRETTY.exec(line) ?? GLOBAL.exec(line) ?? []
    if (fields.length > 0) {
      flush()
      current = { fields, lines: [fields[5] ?? ''], open: true }
    } else if (current?.open) {
      if (/^\s+\S/.test(line) && current.lines.length <= MAX_CONTINUATIONS) current.lines.push(line)
      else current.open = false
    }
  }
  flush()
  return { tool: { name: 'tsc' }, ...collector.finish() }
}

const LAST_LINES = 10

/** The last lines with text, within a length; the end matters most, so the start is cut. */
const lastLines = (bytes: Uint8Array, length: number): string => {
  const lines: string[] = []
  // Ten lines are at the end of the output: the rest need not be decoded.
  for (const line of linesOf(bytes.subarray(Math.max(0, bytes.length - 64 * 1024)))) {
    const text = cleanText(line, length)
    if (text !== '') lines.push(text)
    if (lines.length > LAST_LINES) lines.shift()
  }
  const text = lines.join(' | ')
  return text.length > length ? `…${text.slice(1 - length).replace(/^[\udc00-\udfff]/, '')}` : text
}

/** Judges by the exit code alone; the last lines say what the tool printed. */
export const readExit: CheckReader = ({ bytes, exitCode }) => {
  if (exitCode === undefined) throw new CheckUnreadable('the tool has no exit code')
  if (exitCode === 0) return { results: [] }
  const said = lastLines(bytes, MAX_MESSAGE - 100)
  const message = `The tool ended with exit code ${exitCode}${said === '' ? ' and printed nothing' : `: ${said}`}`
  return { results: [{ rule: 'exit', level: 'error', message }] }
}

interface Line {
  readonly path: string
  readonly line: string | undefined
  readonly column: string | undefined
  readonly rest: string
  /** The level before the path: `[ERROR]` of Maven, `e:` of Kotlin. */
  readonly level?: string
}

const PREFIXES: Readonly<Record<string, string>> = { e: 'error', w: 'warning', i: 'info' }
const PREFIX = /^(?:\[(ERROR|WARN|WARNING|INFO)\]|([ewi]):) +/

/** `path:3:5: text`, `path:3: text`, `path:3:5 - text`, `path:3:5 text`, and `path(3,5): text`. */
const COLONS =
  /^((?:file:\/\/)?(?:[A-Za-z]:[\\/])?[^:\s][^:]{0,4095}):(\d{1,9})(?::(\d{1,9}))?(?::| -|(?<=:\d+:\d+))\s+(\S.*)$/
const PARENTHESES =
  /^((?:[A-Za-z]:[\\/])?[^:\s][^:]{0,4095}?)\((\d{1,9})(?:,(\d{1,9}))?[\d,]{0,20}\)\s?:\s+(\S.*)$/
/** `::error file=src/a.ts,line=3,col=5::text`, the commands of GitHub workflows. */
const COMMAND = /^::(error|warning|notice) ([^:]{0,8192}(?::(?!:)[^:]{0,8192}){0,8})::(.*)$/

const unescapeCommand = (text: string): string =>
  text.replace(/%(25|0D|0A|3A|2C)/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))

const parseCommand = (text: string): Line | undefined => {
  const [, level, properties = '', rest = ''] = COMMAND.exec(text) ?? []
  if (level === undefined) return undefined
  const values = new Map(
    properties.split(',').map((one) => {
      const at = one.indexOf('=')
      return [one.slice(0, at).trim(), unescapeCommand(one.slice(at + 1))] as const
    }),
  )
  const title = values.get('title')
  return {
    path: values.get('file') ?? '',
    line: values.get('line'),
    column: values.get('col'),
    rest: `${unescapeCommand(rest)}${title === undefined || /[\s[\]]/.test(title) ? '' : ` [${title}]`}`,
    level,
  }
}

/** A time (`12:30:45: …`) and the address of a server (`127.0.0.1:80: …`) are no places in a file. */
const isPath = (path: string): boolean => /[A-Za-z_]/.test(path) && !/^[\d.]+$/.test(path)

const parsePlace = (text: string): Line | undefined => {
  const prefix = PREFIX.exec(text)
  const body = prefix === null ? text.trimStart() : text.slice(prefix[0].length)
  const [, path = '', line, column, rest = ''] = COLONS.exec(body) ?? PARENTHESES.exec(body) ?? []
  if (!isPath(path)) return undefined
  const level = prefix?.[1]?.toLowerCase() ?? PREFIXES[prefix?.[2] ?? '']
  return { path, line, column, rest, ...optional({ level }) }
}

const LEVELS =
  'fatal error|fatal|error|warning|warn|note|notice|information|info|style|convention|refactor|hint|help|critical|high|medium|low'
/** `error: text`, `error[E0308]: text`, `error C2143: text`, `[warning] text`. */
const LEVEL = new RegExp(
  `^(?:(${LEVELS})(?:\\[([\\w-]{1,64})\\]| ([A-Z]{1,8}\\d{1,6}))?:|\\[(${LEVELS})\\]) *`,
  'i',
)
/** `E501 text`, `SA4006: text`, `C0114: text`. */
const CODE = /^([A-Z]{1,8}\d{2,6}):? +(?=\S)/
/** `text [rule]`, `text [-Wrule]`, `text [Error/rule]`, `text [Warning/eslint(rule)]`, `text [Error]`. */
const BRACKETS =
  /\s\[(?:(error|warning)(?:\/|(?=\])))?((?:[\w@][\w@./,=+-]{0,127}|-W[\w+=,-]{1,127})(?:\([\w@/-]{1,127}\))?)?\]$/i
/** `text (rule)`: one word with a dash, an underscore or a capital inside, or a code. */
const ROUND = /\s\(()([a-z]\w*(?:[-_][\w-]+|[A-Z]\w*)|[A-Z]{1,4}\d{3,5})\)$/

/** After `[error]`, as yamllint prints it, any last word in parentheses is the rule. */
const LAST_WORD = /\s\(()([\w-]{1,127})\)$/
/** pylint: the letter of a code with four digits and a colon is the level. */
const PYLINT: Readonly<Record<string, string>> = {
  C: 'convention',
  R: 'refactor',
  W: 'warning',
  E: 'error',
  F: 'fatal',
  I: 'info',
}
const pylintLevel = (code: string | undefined): string | undefined =>
  code !== undefined && /^[CRWEFI]\d{4}: /.test(code) ? PYLINT[code.charAt(0)] : undefined

const interpret = ({ rest, level }: Line): Pick<CheckResult, 'level' | 'rule' | 'message'> => {
  const start = LEVEL.exec(rest)
  const text = start === null ? rest : rest.slice(start[0].length)
  const code = CODE.exec(text)
  const end = BRACKETS.exec(text) ?? (start?.[4] === undefined ? ROUND : LAST_WORD).exec(text)
  const word = (
    start?.[1] ??
    start?.[4] ??
    (end?.[1] || undefined) ??
    pylintLevel(code?.[0]) ??
    level
  )?.toLowerCase()
  const rule = start?.[2] ?? start?.[3] ?? code?.[1] ?? end?.[2]
  const kind = word === 'fatal error' ? 'fatal' : word
  // Brackets that do not name the rule are a part of the message.
  const isNamedLast = end !== null && (rule === end[2] || end[2] === undefined)
  const message = text.slice(code?.[0].length ?? 0, isNamedLast ? -end[0].length : undefined).trim()
  return { level: kind ?? 'error', rule: rule ?? kind ?? 'line', message: message || text }
}

/** A file name without a dot and without a folder is believed only when the line gives a level. */
const isPlausible = ({ path, rest, level }: Line): boolean =>
  /[./\\]/.test(path) || level !== undefined || LEVEL.test(rest)

/** A line that was understood, and the notes that follow it. */
interface Entry {
  readonly line: Line
  readonly parts: ReturnType<typeof interpret>
  readonly notes: string[]
}

const MAX_NOTES = 10

const readEntry = ({ line, parts, notes }: Entry, input: ReaderInput): CheckResult => {
  const path = line.path.startsWith('file:') ? (pathOfUri(line.path) ?? line.path) : line.path
  return resultOf({
    rule: cleanRule(parts.rule, parts.level),
    level: parts.level,
    message: cleanText(parts.message, MAX_MESSAGE),
    place: placePath(path, input),
    region: [line.line, line.column],
    help: cleanText(notes.join('; '), MAX_HELP),
  })
}

/** `path:line:column: severity: message` and its variants, as compilers and linters print them. */
export const readLines: CheckReader = (input) => {
  const collector = new ResultCollector(input.limits)
  let last: Entry | undefined
  const flush = (): void => {
    const entry = last
    if (entry !== undefined) collector.add(entry.parts.level, () => readEntry(entry, input))
  }
  for (const text of linesOf(input.bytes)) {
    const line = parseCommand(text) ?? parsePlace(text)
    if (line === undefined || !isPlausible(line)) continue
    const parts = interpret(line)
    // A compiler adds notes to the error before them.
    if (parts.rule === 'note' && last !== undefined && last.line.path === line.path) {
      const where = line.line === undefined ? '' : ` (line ${line.line})`
      if (last.notes.length < MAX_NOTES) last.notes.push(`${parts.message.slice(0, MAX_HELP)}${where}`)
      continue
    }
    flush()
    last = { line, parts, notes: [] }
  }
  flush()
  return collector.finish()
}
