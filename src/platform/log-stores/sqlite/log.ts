import { resolve } from 'node:path'
import { storeFaults } from '../../../lineage/faults.ts'
import type {
  Head,
  LineageLog,
  LogStore,
  MaybePromise,
  NodeRef,
  Row,
  Snapshot,
  TreeNode,
} from '../../../lineage/store.ts'
import {
  checkAppend,
  checkGenesis,
  checkLogName,
  checkRange,
  decodeHash,
  decodeStored,
  encodeHash,
  encodeText,
  missingNode,
} from '../checks.ts'
import { readThrough } from './cache.ts'
import { type SqlRow, transact, withoutWaiting } from './database.ts'
import { folderFault, isReadOnly, readSqlite } from './faults.ts'
import { retryWhenBusy } from './retry.ts'
import { RunTable } from './run-table.ts'
import { LOG_SPAN, MAX_LOGS } from './schema.ts'
import { connect, type SqliteConnection } from './statements.ts'

/**
 * A write-ahead log that could not be opened for writing once is only read by SQLite from then on: then the database
 * is opened again.
 */
const writeOrReopen = <T>(
  connection: SqliteConnection,
  write: (connection: SqliteConnection) => T,
): MaybePromise<T> => {
  const attempt = () => retryWhenBusy(() => write(connection))
  try {
    return attempt()
  } catch (error) {
    if (!isReadOnly(error)) throw error
    return connection.reopen().then(attempt)
  }
}

class SqliteLog implements LineageLog {
  readonly genesis: string
  readonly #connection: SqliteConnection
  readonly #id: number
  readonly #first: number
  readonly #last: number
  readonly #runs: RunTable

  constructor(connection: SqliteConnection, id: number, genesis: string) {
    this.#connection = connection
    this.#id = id
    this.#first = id * LOG_SPAN
    this.#last = this.#first + LOG_SPAN - 1
    this.#runs = new RunTable(connection, this.#first)
    this.genesis = genesis
  }

  head(): Head {
    const { cache } = this.#connection
    return readSqlite(() => readThrough(cache.refresh().heads, this.#id, () => this.#runs.head()))
  }

  read(from: number, limit: number): readonly Row[] {
    checkRange(from, limit)
    return readSqlite(() => this.#runs.read(from, limit))
  }

  nodes(wanted: readonly NodeRef[]): readonly string[] {
    return readSqlite(() =>
      wanted.map((place) => {
        const row = this.#connection.sql.node.get(this.#id, place.level, place.index)
        if (row === undefined) throw missingNode(place)
        return decodeHash(row.hash, place)
      }),
    )
  }

  snapshots(): readonly Snapshot[] {
    const rows = readSqlite(() => this.#connection.sql.snapshots.all(this.#first, this.#last))
    return rows.map(({ id, bytes }) => {
      if (!(bytes instanceof Uint8Array)) throw storeFaults.damaged('a snapshot is not bytes')
      return { size: Number(id) - this.#first, bytes }
    })
  }

  quarantine(): string | null {
    const { cache } = this.#connection
    return readSqlite(() => readThrough(cache.refresh().quarantines, this.#id, () => this.#readQuarantine()))
  }

  #readQuarantine(): string | null {
    const row = this.#connection.sql.quarantine.get(this.#id)
    if (row === undefined) throw storeFaults.damaged('the log was deleted')
    return row.quarantine === null ? null : decodeStored(row.quarantine, 'the reason of the quarantine')
  }

  append(expected: number, rows: readonly Row[], nodes: readonly TreeNode[]): MaybePromise<boolean> {
    checkAppend(expected, rows, nodes)
    if (expected + rows.length > LOG_SPAN) throw storeFaults.full('the log has the maximum number of entries')
    this.#connection.cache.heads.delete(this.#id)
    const newest = rows.at(-1)
    const cacheHead = (stored: boolean) => {
      if (stored && newest)
        this.#connection.cache.heads.set(this.#id, { size: newest.seq + 1, entry: newest.entry })
    }
    return this.#write(() => {
      if (this.#runs.size() !== expected) return false
      this.#runs.add(rows)
      for (const { level, index, hash } of nodes) {
        this.#connection.sql.addNode.run(this.#id, level, index, encodeHash(hash))
      }
      return true
    }, cacheHead)
  }

  saveSnapshot({ size, bytes }: Snapshot): MaybePromise<void> {
    const id = this.#first + size
    return this.#write(() => {
      const { sql } = this.#connection
      // Delete the old snapshot first, so that SQLite reuses its pages.
      sql.dropOldSnapshot.run(this.#first, this.#last, id)
      sql.saveSnapshot.run(id, bytes)
      sql.dropSnapshots.run(this.#first, this.#last)
    })
  }

  async erase(seq: number, replacement?: Snapshot): Promise<void> {
    await this.#write(() => {
      this.#runs.erasePayload(seq)
      if (replacement === undefined) return
      const { sql } = this.#connection
      sql.clearSnapshots.run(this.#first, this.#last)
      sql.saveSnapshot.run(this.#first + replacement.size, replacement.bytes)
    })
    // The erased bytes are also in the WAL until a checkpoint truncates it.
    const { db, sql } = this.#connection
    await retryWhenBusy(() => {
      if (withoutWaiting(db, () => sql.clearJournal.get())?.busy !== 0)
        throw storeFaults.busy('the write-ahead log is in use')
    })
  }

  setQuarantine(reason: string | null): MaybePromise<void> {
    const value = reason === null ? null : encodeText(reason)
    this.#connection.cache.quarantines.delete(this.#id)
    return this.#write(() => void this.#connection.sql.setQuarantine.run(value, this.#id))
  }

  #write<T>(work: () => T, done?: (result: T) => void): MaybePromise<T> {
    return writeOrReopen(this.#connection, ({ db, isReplaced }) => {
      if (isReplaced()) throw storeFaults.changed('the database file was moved or removed while it was open')
      const result = transact(db, work)
      done?.(result)
      return result
    })
  }
}

const openLog = (connection: SqliteConnection, { id, genesis }: SqlRow): SqliteLog => {
  const number = Number(id)
  if (!(number >= 1 && number <= MAX_LOGS)) throw storeFaults.damaged('the log has an invalid id')
  return new SqliteLog(connection, number, decodeStored(genesis, 'the genesis'))
}

class SqliteLogs implements LogStore {
  readonly #path: string
  #connection: Promise<SqliteConnection | undefined> = Promise.resolve(undefined)
  #opened: SqliteConnection | undefined
  readonly #makeFolder: () => Promise<void>
  #closed = false

  constructor(path: string, makeFolder: () => Promise<void>) {
    this.#path = path
    this.#makeFolder = makeFolder
  }

  async open(name: string, genesis: string): Promise<LineageLog> {
    checkLogName(name)
    const connection = await this.#connect(true)
    if (connection === undefined) throw new Error('the database file was not created')
    const add = () => {
      const { sql } = connection
      // Another process may have created it before we had the lock.
      if (sql.logNamed.get(name) === undefined) sql.addLog.run(name, encodeText(genesis))
    }
    const named = () => readSqlite(() => connection.sql.logNamed.get(name))
    if (named() === undefined) await writeOrReopen(connection, ({ db }) => transact(db, add))
    const log = openLog(connection, named() ?? {})
    checkGenesis(name, log.genesis, genesis)
    return log
  }

  async find(name: string): Promise<LineageLog | undefined> {
    checkLogName(name)
    const connection = await this.#connect(false)
    const row = readSqlite(() => connection?.sql.logNamed.get(name))
    return connection === undefined || row === undefined ? undefined : openLog(connection, row)
  }

  async names(): Promise<readonly string[]> {
    const connection = await this.#connect(false)
    return readSqlite(() => connection?.sql.logNames.all() ?? []).map(({ name }) => String(name))
  }

  async bytes(): Promise<number> {
    const connection = await this.#connect(false)
    const sql = 'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size'
    return Number(readSqlite(() => connection?.db.prepare(sql).get())?.bytes ?? 0)
  }

  async check(): Promise<void> {
    const connection = await this.#connect(false)
    if (connection !== undefined) await writeOrReopen(connection, ({ db }) => transact(db, () => {}))
  }

  isReplaced(): boolean {
    return this.#opened?.isReplaced() ?? false
  }

  async close(): Promise<void> {
    this.#closed = true
    const connection = await this.#connection.catch(() => undefined)
    this.#connection = Promise.resolve(undefined)
    if (connection === undefined) return
    const { db, sql } = connection
    try {
      // SQLite does this when the last connection closes, but @photostructure/sqlite closes only at garbage collection.
      // A connection that only read leaves it to those that write: it waits for the disk.
      if (Number(sql.changedRows.get()?.count) > 0) withoutWaiting(db, () => sql.clearJournal.get())
    } catch {
      // The next process that opens the file does it.
    }
    db.close()
  }

  #connect(create: boolean): Promise<SqliteConnection | undefined> {
    if (this.#closed) throw new Error('the store is closed')
    // Attempts run one after the other. A failed or empty one does not prevent the next.
    this.#connection = this.#connection
      .catch(() => undefined)
      .then(async (before) => {
        if (before === undefined && create)
          await this.#makeFolder().catch((cause: unknown) => {
            throw folderFault(cause)
          })
        this.#opened = before ?? (await connect(this.#path, create))
        return this.#opened
      })
    return this.#connection
  }
}

export { loadSqlite } from './database.ts'

/** Logs in one SQLite file. File and folder are created with the first log. */
export const sqliteLogs = (file: string, makeFolder = async (): Promise<void> => {}): LogStore =>
  new SqliteLogs(resolve(file), makeFolder)
