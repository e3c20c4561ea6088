import { Fault } from '../kernel/fault.ts'
import { jailFaults, quotePath } from '../kernel/jail.ts'
import { type JobContext, MAX_FILE } from './job-context.ts'

interface ReportArgs {
  readonly content: string
  readonly fileName?: string | undefined
}

interface WrittenReport {
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

/** The only allowed file names: an existing date, optionally with a number from 01. */
const isReportName = (name: string): boolean => {
  const found = NAME.exec(name)
  if (found === null) return false
  const [year = 0, month = 0, day = 0] = found.slice(1, 4).map(Number)
  return isDate(year, month, day) && found[4] !== '00'
}

const pad = (value: number): string => String(value).padStart(2, '0')

/** The local date as YYYYMMDD. */
const localDate = (at: number): string => {
  const date = new Date(at)
  return `${String(date.getFullYear()).padStart(4, '0')}${pad(date.getMonth() + 1)}${pad(date.getDate())}`
}

/** The names of one day, without a number first. */
function* candidateNames(stamp: string): Generator<string> {
  yield `SENTINEL_REPORT_${stamp}.md`
  for (let index = 1; index <= MAX_INDEX; index += 1) yield `SENTINEL_REPORT_${stamp}_${pad(index)}.md`
}

const isTaken = (thrown: unknown): boolean =>
  thrown instanceof Fault && thrown.code === jailFaults.exists.code

/** Creates a report directly under the root, atomically and without overwriting. */
export const saveReport = (
  { jail, now, checkDeadline }: JobContext,
  { content, fileName }: ReportArgs,
): WrittenReport => {
  const bytes = Buffer.from(content)
  if (fileName !== undefined && !isReportName(fileName)) {
    throw jailFaults.read_only(`fileName is not a report name: ${quotePath(fileName)}`)
  }
  if (bytes.length > MAX_FILE) {
    throw jailFaults.file_too_large(`the report is larger than ${MAX_FILE} bytes`, {
      detail: { limit: MAX_FILE, actual: bytes.length },
    })
  }
  const create = (name: string): WrittenReport => {
    jail.create(name, bytes)
    return { fileName: name, path: `${jail.root}/${name}`, bytes: bytes.length }
  }
  if (fileName !== undefined) return create(fileName)
  for (const name of candidateNames(localDate(now()))) {
    checkDeadline()
    try {
      return create(name)
    } catch (thrown) {
      if (!isTaken(thrown)) throw thrown
    }
  }
  throw jailFaults.exists('all 100 report names of today are in use')
}
