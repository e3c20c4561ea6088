import { createRequire } from 'node:module'
import { pathToFileURL } from 'node:url'

/** The part of `node:sqlite` that we use. */

type SqlValue = null | number | string | Uint8Array
export type SqlRow = Readonly<Record<string, unknown>>

export interface Statement {
  run(...values: readonly SqlValue[]): { readonly changes: number | bigint }
  get(...values: readonly SqlValue[]): SqlRow | undefined
  all(...values: readonly SqlValue[]): readonly SqlRow[]
}

export interface Database {
  exec(sql: string): void
  prepare(sql: string): Statement
  close(): void
}

interface SqliteModule {
  readonly DatabaseSync: new (path: string, options?: { readonly readOnly: boolean }) => Database
}

/** Runs `load` and suppresses its ExperimentalWarning, but no other warning. */
const withoutExperimentalWarning = <T>(load: () => T): T => {
  const emit = process.emitWarning
  process.emitWarning = (...warning: readonly unknown[]) => {
    if (warning[1] !== 'ExperimentalWarning') Reflect.apply(emit, process, warning)
  }
  try {
    return load()
  } finally {
    process.emitWarning = emit
  }
}

const isSqlite = (found: object | undefined): found is SqliteModule =>
  found !== undefined && 'DatabaseSync' in found

// Loading is synchronous, so no other warning is suppressed. Undefined in Node versions without `node:sqlite`.
const builtinModule = (): SqliteModule | undefined => {
  const found = withoutExperimentalWarning(() => process.getBuiltinModule('node:sqlite'))
  return isSqlite(found) ? found : undefined
}

const load = createRequire(import.meta.url)

// `require` loads this package four milliseconds faster than `import`.
const installedModule = (): SqliteModule => load('@photostructure/sqlite')

let loaded: SqliteModule | undefined

/** Loads the SQLite library. Callers may preload it while they wait for something else. */
export const loadSqlite = (): SqliteModule => {
  loaded ??= builtinModule() ?? installedModule()
  return loaded
}

/** Opens the database at an absolute path; SQLite creates the file when it does not exist. */
export const openDatabase = async (path: string): Promise<Database> => {
  const { DatabaseSync } = loadSqlite()
  return new DatabaseSync(path)
}

/** Opens a database that nothing changes, on a disk that is mounted read-only: SQLite makes no file beside it. */
export const openUnchanging = async (path: string): Promise<Database> => {
  const { DatabaseSync } = loadSqlite()
  return new DatabaseSync(`${pathToFileURL(path).href}?immutable=1`, { readOnly: true })
}

/** How long a statement waits for a lock, in milliseconds. It blocks the event loop meanwhile. */
export const BUSY_MS = 5_000

/** Runs `work` with a busy timeout of 0: a lock of another process is reported immediately. */
export const withoutWaiting = <T>(db: Database, work: () => T): T => {
  db.exec('PRAGMA busy_timeout = 0')
  try {
    return work()
  } finally {
    db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
  }
}

/** Rolls back. After some errors SQLite has already done so, and the statement fails: that is ignored. */
export const rollbackQuietly = (db: Database): void => {
  try {
    db.exec('ROLLBACK')
  } catch {}
}

/** Runs `work` in a transaction that takes the write lock at the start. */
export const transact = <T>(db: Database, work: () => T): T => {
  withoutWaiting(db, () => db.exec('BEGIN IMMEDIATE'))
  try {
    const result = work()
    db.exec('COMMIT')
    return result
  } catch (error) {
    rollbackQuietly(db)
    throw error
  }
}
