import { createHash } from 'node:crypto'
import type { ScanReport } from '../../gate/ports.ts'
import type { CompiledRule } from '../../gate/rules/compiled-rule.ts'
import { isRecord, jsonOf } from '../../kernel/encoding/json.ts'

/** What a scan found in a file, without its path and the packs of its rules. */
export type StoredReport =
  Exclude<ScanReport, { readonly outcome: 'skipped' | 'given-up' | 'unparsed' }> extends infer T
    ? T extends ScanReport
      ? Omit<T, 'path' | 'packs'>
      : never
    : never

/** Results of scans by key. A key covers everything that a result depends on. */
export interface ScanResults {
  get(key: string): StoredReport | undefined
  put(key: string, report: StoredReport): void
}

const CLEAN: StoredReport = { outcome: 'scanned', matches: [], comments: [] }

const isClean = ({ outcome, matches, comments }: StoredReport): boolean =>
  outcome === 'scanned' && matches.length === 0 && comments.length === 0

const KEY_BYTES = 24
const KEY = /^[\w-]{32}$/

/** The digest of the rules that apply to a file, whatever their order. */
export const digestRules = (rules: readonly CompiledRule[]): string => {
  const texts = rules.map(({ covers: _, ...rule }) => JSON.stringify(rule)).sort()
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex')
}

/**
 * The key of a result: program, rules, path and content. 192 bits, so that two files with one key cannot be made on
 * purpose.
 */
export const resultKey = (program: string, rules: string, path: string, bytes: Uint8Array): string =>
  createHash('sha256')
    .update(JSON.stringify([program, rules, path]))
    .update(bytes)
    .digest()
    .subarray(0, KEY_BYTES)
    .toString('base64url')

/** A report that can be used again. One that was given up or not parsed may end otherwise the next time. */
export const toStored = (report: ScanReport): StoredReport | undefined => {
  if (report.outcome === 'skipped' || report.outcome === 'given-up' || report.outcome === 'unparsed')
    return undefined
  const { path: _, packs: __, ...rest } = report
  return rest
}

const isStored = (value: unknown): value is StoredReport =>
  isRecord(value) &&
  (value.outcome === 'scanned' || value.outcome === 'broken') &&
  Array.isArray(value.matches) &&
  Array.isArray(value.comments)

/** A report as text; empty when nothing was found. */
export const encodeReport = (report: StoredReport): string => (isClean(report) ? '' : JSON.stringify(report))

/** Undefined when the text is no report. */
export const decodeReport = (text: string): StoredReport | undefined => {
  if (text === '') return CLEAN
  const value = jsonOf(text)
  return isStored(value) ? value : undefined
}

export const isResultKey = (text: string): boolean => KEY.test(text)
