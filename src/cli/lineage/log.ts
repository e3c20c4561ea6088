import { isRecord } from '../../kernel/encoding/json.ts'
import { storeFaults } from '../../lineage/faults.ts'
import { logOrigin } from '../../lineage/origin.ts'
import { proveInclusion } from '../../lineage/proof.ts'
import { readEntry, readPayload } from '../../lineage/read-rows.ts'
import type { LogReader, Row } from '../../lineage/store.ts'
import { checkInclusion } from '../../lineage/verify.ts'
import { printOutput, readCount, type Subcommand, textFlag } from '../command/subcommand.ts'
import { writeTable } from '../command/text-table.ts'
import { readSince } from './events.ts'
import { printProof } from './proofs.ts'
import { withAuditLog } from './with-beliefs.ts'

/** One entry as `log entries` shows it. */
interface ListedEntry {
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
const listEntry = (row: Row): ListedEntry => {
  const { seq, timestamp, operation } = readEntry(row)
  const payload = readPayload(row)
  const verdict = isRecord(payload.verdict) ? payload.verdict : {}
  const result = row.payload === null ? 'erased' : resultOf(payload, verdict)
  return { index: seq, time: timestamp, operation, result, subject: subjectOf(verdict) }
}

const PAGE_ROWS = 500
const DEFAULT_LIMIT = 30

/** All rows, newest first. */
async function* readBackwards(log: LogReader): AsyncGenerator<Row> {
  for (let end = (await log.head()).size; end > 0; end -= PAGE_ROWS) {
    const from = Math.max(0, end - PAGE_ROWS)
    yield* (await log.read(from, end - from)).toReversed()
  }
}

/** Lists the entries of a log, newest first. */
export const listEntries: Subcommand = (invocation) => {
  const limit = readCount(textFlag(invocation, 'limit') ?? String(DEFAULT_LIMIT), '--limit')
  const operation = textFlag(invocation, 'operation')
  const since = readSince(invocation)
  return withAuditLog(invocation, async (log, name) => {
    const entries: ListedEntry[] = []
    for await (const row of readBackwards(log)) {
      if (entries.length >= limit) break
      const entry = readEntry(row)
      if (operation !== undefined && entry.operation !== operation) continue
      // Clocks of several machines differ, so an older time does not end the search.
      if (Date.parse(entry.timestamp) < since) continue
      entries.push(listEntry(row))
    }
    const { size } = await log.head()
    const value = { log: name, origin: size === 0 ? null : await logOrigin(name, log), size, entries }
    return printOutput(invocation, value, () =>
      writeTable(
        ['entry', 'time', 'operation', 'result', 'subject'],
        entries.map((one) => [String(one.index), one.time, one.operation, one.result, one.subject]),
      ),
    )
  })
}

/** Shows one entry, what it records, and the proof that it is in the log. */
export const showEntry: Subcommand = (invocation, [entry]) => {
  const index = readCount(entry, 'the entry')
  return withAuditLog(invocation, async (log, name) => {
    const [row] = await log.read(index, 1)
    if (row === undefined) throw storeFaults.absent(`there is no entry ${index} in ${name}`)
    const proof = await proveInclusion(log, index)
    const holds = checkInclusion(proof)
    const { size, root, path } = proof
    const value = {
      origin: await logOrigin(name, log),
      entry: readEntry(row),
      payload: row.payload === null ? 'erased' : readPayload(row),
      proof: { size, root, path, holds },
    }
    return printProof(invocation, value, holds)
  })
}
