import { storeFaults } from '../../../lineage/faults.ts'
import type { Head, Row } from '../../../lineage/store.ts'
import { checkOrder, lostEntry, missingEntry } from '../checks.ts'
import type { SqlRow } from './database.ts'
import { firstSeq, packRun, packRuns, type Run, unpackRun } from './row-packing.ts'
import { LOG_SPAN } from './schema.ts'
import type { SqliteConnection } from './statements.ts'

const PAGE_RUNS = 16

/** The entries of one log, stored in runs. */
export class RunTable {
  readonly #connection: Pick<SqliteConnection, 'sql'>
  readonly #first: number
  readonly #last: number

  constructor(connection: Pick<SqliteConnection, 'sql'>, first: number) {
    this.#connection = connection
    this.#first = first
    this.#last = first + LOG_SPAN - 1
  }

  /** Number of entries. */
  size(): number {
    const last = this.#connection.sql.lastId.get(this.#first, this.#last)
    return last === undefined ? 0 : Number(last.id) - this.#first + 1
  }

  head(): Head {
    const row = this.#connection.sql.newest.get(this.#first, this.#last)
    if (row === undefined) return { size: 0, entry: null }
    const run = this.#decodeRun(row)
    const [newest] = unpackRun(run, run.seq, run.seq + 1)
    return { size: run.seq + 1, entry: newest?.entry ?? null }
  }

  read(from: number, limit: number): readonly Row[] {
    const to = Math.min(from + limit, LOG_SPAN)
    const rows: Row[] = []
    for (let next = from, found = PAGE_RUNS; next < to && found === PAGE_RUNS; ) {
      const runs = this.#connection.sql.page.all(this.#first + next, this.#last, PAGE_RUNS)
      for (const row of runs) {
        const run = this.#decodeRun(row)
        if (firstSeq(run) > next) throw lostEntry(next)
        // No spread: too many arguments for a long log.
        for (const one of unpackRun(run, next, to)) rows.push(one)
        next = run.seq + 1
        if (next >= to) break
      }
      found = runs.length
    }
    return checkOrder(rows, from)
  }

  add(rows: readonly Row[]): void {
    for (const { seq, sizes, bytes } of packRuns(rows))
      this.#connection.sql.addRun.run(this.#first + seq, sizes, bytes)
  }

  erasePayload(seq: number): void {
    const inRange = seq >= 0 && seq < LOG_SPAN
    const row = inRange ? this.#connection.sql.page.all(this.#first + seq, this.#last, 1)[0] : undefined
    if (row === undefined) throw missingEntry(seq)
    const run = this.#decodeRun(row)
    const rows = unpackRun(run, firstSeq(run), LOG_SPAN)
    const { sizes, bytes } = packRun(rows.map((one) => (one.seq === seq ? { ...one, payload: null } : one)))
    this.#connection.sql.changeRun.run(sizes, bytes, this.#first + run.seq)
  }

  #decodeRun({ id, sizes, bytes }: SqlRow): Run {
    const seq = Number(id) - this.#first
    if (sizes instanceof Uint8Array && bytes instanceof Uint8Array) return { seq, sizes, bytes }
    throw storeFaults.damaged(`entry ${seq} is not bytes`)
  }
}
