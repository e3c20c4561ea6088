import { hash } from 'node:crypto'
import { nextTurn } from '../kernel/async/cooperative.ts'
import { isRecord, jsonOf } from '../kernel/encoding/json.ts'
import { Fault } from '../kernel/fault.ts'
import { storeFaults } from './faults.ts'
import type { Entry, LogReader, Row } from './store.ts'

const PAGE_ROWS = 1_000
/** Rows between two turns of the event loop. To verify or to replay as many takes about a millisecond. */
const ROWS_PER_TURN = 16

/** A page of rows; undefined when it has a damaged row and a smaller page may still be readable. */
const readPage = async (log: LogReader, from: number, limit: number): Promise<readonly Row[] | undefined> => {
  try {
    return await log.read(from, limit)
  } catch (thrown) {
    if (limit > 1 && thrown instanceof Fault && thrown.kind === 'corrupt') return undefined
    throw thrown
  }
}

/**
 * All rows from `from` on, in order. Rows before an unreadable one are yielded before the fault is thrown. A local store
 * answers synchronously, so the event loop gets its turns here, between the rows of a long log.
 */
export async function* readRows(log: LogReader, from = 0): AsyncGenerator<Row> {
  let passed = 0
  for (let next = from, limit = PAGE_ROWS; ; ) {
    const rows = await readPage(log, next, limit)
    if (rows === undefined) {
      limit = Math.floor(limit / 2)
      continue
    }
    for (const row of rows) {
      yield row
      passed += 1
      if (passed % ROWS_PER_TURN === 0) await nextTurn()
    }
    if (rows.length < limit) return
    next += rows.length
  }
}

const HASH = /^[0-9a-f]{64}$/
const isCount = (value: unknown): boolean =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
const isText = (value: unknown, most: number): value is string =>
  typeof value === 'string' && value.length <= most
const isHash = (value: unknown): boolean => isText(value, 64) && HASH.test(value)

/** Written by hand and not with zod: a command that adds one entry has to start fast. */
const MEMBERS: Readonly<Record<keyof Entry, (value: unknown) => boolean>> = {
  seq: isCount,
  tick: isCount,
  operation: (value) => isText(value, 64) && value !== '',
  timestamp: (value) => isText(value, 32),
  payload_hash: isHash,
  checksum: isHash,
}

const isEntry = (value: unknown): value is Entry =>
  isRecord(value) &&
  Object.keys(value).length === Object.keys(MEMBERS).length &&
  Object.entries(MEMBERS).every(([name, fits]) => Object.hasOwn(value, name) && fits(value[name]))

export const readEntry = ({ seq, entry }: Row): Entry => {
  let value: unknown
  try {
    value = JSON.parse(entry)
  } catch (cause) {
    throw storeFaults.damaged(`entry ${seq} cannot be read`, { cause, detail: { seq } })
  }
  if (isEntry(value)) return value
  throw storeFaults.damaged(`entry ${seq} cannot be read`, { detail: { seq } })
}

/** What an entry records; nothing after an erasure. Bytes that are not those which it commits to are not looked at. */
export const readPayload = (row: Row): Readonly<Record<string, unknown>> => {
  const { seq, payload } = row
  if (payload === null) return {}
  const value = hash('sha256', payload) === readEntry(row).payload_hash ? jsonOf(payload) : undefined
  if (isRecord(value)) return value
  throw storeFaults.damaged(`the payload of entry ${seq} does not match its recorded hash`, {
    detail: { seq },
  })
}
