import { isRecord } from '../kernel/encoding/json.ts'
import type { InsertedSpan } from './editors/insertion.ts'
import type { WrittenFile } from './plan.ts'

/** What `warrant init` did in a repository. It is kept for this user, outside of the repository. */
export interface SetupRecord {
  /** By the path that is shown. Several runs may have changed a file: the last change comes last. */
  readonly files: ReadonlyMap<string, readonly WrittenFile[]>
  /** Whether the evidence file was not there before. */
  readonly evidence: boolean
}

const isSpan = (value: unknown): value is InsertedSpan =>
  isRecord(value) &&
  Number.isSafeInteger(value.from) &&
  Number.isSafeInteger(value.to) &&
  typeof value.digest === 'string'

const isWritten = (value: unknown): value is WrittenFile =>
  isRecord(value) &&
  typeof value.created === 'boolean' &&
  Array.isArray(value.folders) &&
  value.folders.every((folder) => typeof folder === 'string' && !/(^|\/)\.\.(\/|$)|^\//.test(folder)) &&
  (value.before === undefined || typeof value.before === 'string') &&
  typeof value.after === 'string' &&
  Array.isArray(value.steps) &&
  value.steps.every((step) => Array.isArray(step) && step.every(isSpan))

/** A record as it was stored; undefined when there is none that can be read. */
export const parseSetupRecord = (value: unknown): SetupRecord | undefined => {
  if (!isRecord(value) || !isRecord(value.files) || typeof value.evidence !== 'boolean') return undefined
  const files = new Map<string, readonly WrittenFile[]>()
  for (const [path, changes] of Object.entries(value.files)) {
    if (!Array.isArray(changes) || !changes.every(isWritten)) return undefined
    files.set(path, changes)
  }
  return { files, evidence: value.evidence }
}

export const writeSetupRecord = ({ files, evidence }: SetupRecord): object => ({
  files: Object.fromEntries(files),
  evidence,
})

/** The record with what another run wrote. */
export const extendRecord = (
  record: SetupRecord | undefined,
  written: ReadonlyMap<string, WrittenFile>,
  evidence: boolean,
): SetupRecord => {
  const files = new Map(record?.files)
  for (const [path, change] of written) files.set(path, [...(files.get(path) ?? []), change])
  return { files, evidence: evidence || record?.evidence === true }
}
