import { Fault } from '../../kernel/fault.ts'
import { jailFaults, quotePath } from '../../kernel/jail.ts'
import { type JobContext, MAX_FILE } from '../job-context.ts'

export interface ReportArgs {
  readonly content: string
  readonly fileName?: string | undefined
}

export interface WrittenReport {
  readonly fileName: string
  readonly path: string
  readonly bytes: number
}

const NAME = /^SENTINEL_REPORT_(\d{4})(\d{2})(\d{2})(?:_(\d{2}))?\.md$/
const MAX_INDEX = 99

const isDate = (year: number, month: number, day: number): boolean => {
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

/** The only names under which anything is ever written: a day that exists, and perhaps a number from 01. */
const isReportName = (name: string): boolean => {
  const found = NAME.exec(name)
  if (found === null) return false
  const [year = 0, month = 0, day = 0] = found.slice(1, 4).map(Number)
  return isDate(year, month, day) && found[4] !== '00'
}

const pad = (value: number): string => String(value).padStart(2, '0')

/** The day on the wall of the machine that writes. */
const stampOf = (at: number): string => {
  const date = new Date(at)
  return `${String(date.getFullYear()).padStart(4, '0')}${pad(date.getMonth() + 1)}${pad(date.getDate())}`
}

/** Today's name, then today's numbered ones. */
function* freeNames(stamp: string): Generator<string> {
  yield `SENTINEL_REPORT_${stamp}.md`
  for (let index = 1; index <= MAX_INDEX; index += 1) yield `SENTINEL_REPORT_${stamp}_${pad(index)}.md`
}

const isTaken = (thrown: unknown): boolean =>
  thrown instanceof Fault && thrown.code === jailFaults.exists.code

/** Writes a new report directly under the root. Never over another file, never half. */
export const writeReport = (
  { jail, now, checkDeadline }: JobContext,
  { content, fileName }: ReportArgs,
): WrittenReport => {
  const bytes = Buffer.from(content)
  if (fileName !== undefined && !isReportName(fileName)) {
    throw jailFaults.read_only(`not the name of a report: ${quotePath(fileName)}`)
  }
  if (bytes.length > MAX_FILE) {
    throw jailFaults.file_too_large(`a report of more than ${MAX_FILE} bytes`, {
      detail: { limit: MAX_FILE, actual: bytes.length },
    })
  }
  const create = (name: string): WrittenReport => {
    jail.create(name, bytes)
    return { fileName: name, path: `${jail.root}/${name}`, bytes: bytes.length }
  }
  if (fileName !== undefined) return create(fileName)
  for (const name of freeNames(stampOf(now()))) {
    checkDeadline()
    try {
      return create(name)
    } catch (thrown) {
      if (!isTaken(thrown)) throw thrown
    }
  }
  throw jailFaults.exists('a hundred reports were written today')
}
