import { dirname } from 'node:path'
import { replaceFile } from '../files/atomic-write.ts'
import { makeFolders } from '../files/make-folders.ts'
import { removeUnusedFiles } from '../files/unused-files.ts'
import { readRegularFile } from '../jail/async.ts'
import { systemClock } from '../system/clock.ts'
import { decodeReport, encodeReport, isResultKey, type ScanResults } from './scan-results.ts'

/** Largest cache of one repository. 100,000 files in which nothing was found take 3 MiB. */
const MAX_CHARS = 32 * 1024 * 1024
const MAX_BYTES = 3 * MAX_CHARS
const KEY_CHARS = 32
/** Fewer new results are not worth writing the file again. */
const MIN_NEW = 32
/** How much of a scan that is stopped has to be done again. */
const SAVE_MS = 5_000

/** The results of earlier scans of one repository, in a file of this user outside of it. */
export interface ResultCache extends ScanResults {
  /** How many results came from the file. */
  readonly hits: number
  /** Writes the results of this run, and of earlier ones as far as they fit. A failed write is ignored. */
  save(): Promise<void>
}

/** One result a line: the key, and the report unless nothing was found. */
const parseLines = (text: string): Map<string, string> => {
  const reports = new Map<string, string>()
  for (const line of text.split('\n')) {
    const [key, report] = [line.slice(0, KEY_CHARS), line.slice(KEY_CHARS + 1)]
    if (isResultKey(key)) reports.set(key, report)
  }
  return reports
}

/** The results of this run, and then earlier ones as far as they fit. */
const writeLines = (used: ReadonlyMap<string, string>, earlier: ReadonlyMap<string, string>): string => {
  const lines: string[] = []
  let chars = 0
  for (const [key, report] of new Map([...used, ...earlier])) {
    const line = report === '' ? `${key}\n` : `${key} ${report}\n`
    chars += line.length
    if (chars > MAX_CHARS) break
    lines.push(line)
  }
  return lines.join('')
}

/** Opens the cache. A missing, damaged or unreadable file is an empty one. */
export const openResultCache = async (path: string): Promise<ResultCache> => {
  const bytes = await readRegularFile(path, MAX_BYTES + 1).catch(() => undefined)
  const earlier = parseLines(bytes !== undefined && bytes.length <= MAX_BYTES ? bytes.toString('utf8') : '')
  const used = new Map<string, string>()
  let [hits, added, savedAt] = [0, 0, systemClock.elapsed()]
  let saving = Promise.resolve()
  const write = async () => {
    try {
      makeFolders(dirname(path), 0o700)
      await replaceFile(path, writeLines(used, earlier), { durable: false, mode: 0o600 })
      await removeUnusedFiles(dirname(path))
    } catch {}
  }
  const save = () => {
    if (added >= MIN_NEW) saving = saving.then(write)
    return saving
  }
  return {
    get hits() {
      return hits
    },
    get(key) {
      const text = earlier.get(key)
      const report = text === undefined ? undefined : decodeReport(text)
      if (text === undefined || report === undefined) return undefined
      hits += 1
      used.set(key, text)
      return report
    },
    put(key, report) {
      used.set(key, encodeReport(report))
      added += 1
      if (systemClock.elapsed() - savedAt < SAVE_MS) return
      savedAt = systemClock.elapsed()
      void save()
    },
    save,
  }
}
