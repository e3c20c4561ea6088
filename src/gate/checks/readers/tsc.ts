import { type CheckReader, CheckUnreadable } from './reader.ts'
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

/** Output of `tsc`, `vue-tsc` and others that print in its two formats. */
export const readTsc: CheckReader = (input) => {
  const collector = new ResultCollector(input.limits)
  let current: Diagnostic | undefined
  const flush = (): void => {
    if (current === undefined) return
    const [path = '', line, column, level = '', rule = ''] = current.fields
    const place = placePath(path, input)
    const message = cleanText(current.lines.join('\n'), MAX_MESSAGE)
    const result = {
      rule,
      level: level === 'message' || level === 'suggestion' ? 'note' : level,
      message: describeOutside(message, place),
      ...fileOf(place),
      ...(place !== undefined && 'file' in place && readRegion(line, column)),
    }
    if (!collector.add(result)) throw new CheckUnreadable('the output has too many diagnostics to count')
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
