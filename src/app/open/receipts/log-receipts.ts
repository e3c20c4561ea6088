import { isRecord } from '../../../kernel/encoding/json.ts'
import { DECISION_LOG } from '../../../lineage/origin.ts'
import { readEntry, readPayload } from '../../../lineage/read-rows.ts'
import type { LogReader, Row } from '../../../lineage/store.ts'
import { parseKeys } from '../../../receipts/keys-file.ts'
import type { Config } from '../../config/settings.ts'
import { openStore } from '../store.ts'
import { checkCommits, type ReceiptPlace } from './find-receipts.ts'
import { openNotes } from './open-notes.ts'
import { checkLogs, checkOwnLog, hashOf, originsOf } from './witness.ts'

/** Judges the commits of a range by their receipts, and the logs that these are in by what witnesses saw. */
export const checkReceiptRange = async (
  place: ReceiptPlace,
  range: { readonly base: string | undefined; readonly head: string },
  keysText: string,
) => {
  const { root, config, signal } = place
  const listed = await parseKeys(keysText)
  const commits = await checkCommits(place, range, listed)
  const notes = openNotes(place)
  const keys = listed.map(({ key }) => key.text)
  const context = { notes, keys, format: hashOf(range.head), signal }
  const own = await withLoggedReceipts(config, root, async (_, log) =>
    log === undefined || (await log.head()).size === 0 ? [] : checkOwnLog(context, log),
  )
  const others = await checkLogs(context, originsOf(commits))
  return {
    commits,
    logs: [...own, ...others.filter(({ origin }) => !own.some((one) => one.origin === origin))],
  }
}

const PAGE_ROWS = 256

/** A receipt in the log of decisions of this machine. */
export interface LoggedReceipt {
  readonly digest: string
  readonly envelope: string
  readonly index: number
  readonly timestamp: string
  /** The tool that decided. */
  readonly operation: string
}

const receiptIn = (row: Row): LoggedReceipt | undefined => {
  const { receipt } = readPayload(row)
  if (!isRecord(receipt)) return undefined
  const { digest, envelope } = receipt
  if (typeof digest !== 'string' || typeof envelope !== 'string') return undefined
  const { operation, timestamp } = readEntry(row)
  return { digest, envelope, index: row.seq, timestamp, operation }
}

/** The receipts of the log, newest first. */
async function* newestFirst(log: LogReader): AsyncGenerator<LoggedReceipt> {
  const { size } = await log.head()
  for (let end = size; end > 0; end -= PAGE_ROWS) {
    const from = Math.max(0, end - PAGE_ROWS)
    for (const row of (await log.read(from, end - from)).toReversed()) {
      const found = receiptIn(row)
      if (found !== undefined) yield found
    }
  }
}

/** Uses the receipts of the log, newest first; none where there is no log yet. */
export const withLoggedReceipts = async <T>(
  config: Config,
  root: string,
  use: (receipts: AsyncIterable<LoggedReceipt>, log: LogReader | undefined) => Promise<T>,
): Promise<T> => {
  const store = await openStore(config, root)
  try {
    const log = await store.find(DECISION_LOG)
    return await use(log === undefined ? (async function* () {})() : newestFirst(log), log)
  } finally {
    await store.close()
  }
}
