import type { CheckReader, CheckResult, ReaderInput } from './reader.ts'
import { ResultCollector } from './result-collector.ts'
import { describeOutside, fileOf, placePath, readRegion } from './result-place.ts'
import { cleanText, linesOf, MAX_MESSAGE } from './result-text.ts'

const LEVEL = '(error|warning|message|suggestion)'
/** `src/a.ts(3,5): error TS2322: message` */
const PLAIN = new RegExp(`^(.{1,4096}?)\\((\\d+),(\\d+)\\): ${LEVEL} (TS\\d+): (.*)$`)
/** `src/a.ts:3:5 - error TS2322: message` */
const PRETTY = new RegExp(`^(.{1,4096}?):(\\d+):(\\d+) - ${LEVEL} (TS\\d+): (.*)$`)
/** `error TS18003: message`, about no file. */
const GLOBAL = new RegExp(`^()()()${LEVEL} (TS\\d+): (.*)$`)

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
  const place = placePath(path, input)
  const message = describeOutside(cleanText(text, MAX_MESSAGE), place)
  const isInside = place !== undefined && 'file' in place
  return { rule, level, message, ...fileOf(place), ...(isInside && readRegion(line, column)) }
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
