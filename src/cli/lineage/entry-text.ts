import { isRecord } from '../../kernel/encoding/json.ts'
import { readPayload } from '../../lineage/newest-run.ts'
import { readEntry } from '../../lineage/read-rows.ts'
import type { Row } from '../../lineage/store.ts'

/** One entry as `lineage log` shows it. */
export interface ListedEntry {
  readonly index: number
  readonly time: string
  readonly operation: string
  /** The verdict, the fault, or how the call ended. */
  readonly result: string
  readonly subject: string
}

const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

const resultOf = (
  { outcome, code }: Readonly<Record<string, unknown>>,
  verdict: Readonly<Record<string, unknown>>,
): string => {
  const { status, exit } = verdict
  if (typeof exit === 'number' && exit !== 0) return `exit ${exit}`
  const ended = outcome === 'answer' ? 'done' : text(outcome)
  return text(code) ?? text(status) ?? ended ?? ''
}

/** What the entry is about: the facts of its verdict that a reader looks for. */
const subjectOf = ({
  stage,
  hook,
  source,
  findings,
  codes,
  reference,
  digest,
}: Readonly<Record<string, unknown>>) =>
  [
    text(stage),
    text(hook),
    text(source),
    typeof findings === 'number' ? `${findings} finding${findings === 1 ? '' : 's'}` : undefined,
    Array.isArray(codes) && codes.length > 0 ? codes.join(' ') : undefined,
    text(reference),
    text(digest),
  ]
    .filter((part) => part !== undefined)
    .join(', ')

/** An erased payload leaves number, time and operation. */
export const listEntry = (row: Row): ListedEntry => {
  const { seq, timestamp, operation } = readEntry(row)
  const payload = readPayload(row)
  const verdict = isRecord(payload.verdict) ? payload.verdict : {}
  const result = row.payload === null ? 'erased' : resultOf(payload, verdict)
  return { index: seq, time: timestamp, operation, result, subject: subjectOf(verdict) }
}
