import { createRequire } from 'node:module'

/** SQLite as `node:sqlite` offers it: the part we use. */

export type SqlValue = null | number | string | Uint8Array
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
  readonly DatabaseSync: new (path: string) => Database
}

type Emit = (warning: string | Error, ...rest: unknown[]) => void

/** Runs `load` and keeps back the one warning that a module is experimental. Everything else is heard. */
const withoutExperimentalWarning = <T>(load: () => T): T => {
  const emit = process.emitWarning as Emit
  process.emitWarning = ((warning, ...rest) => {
    const [kind] = rest
    if (kind !== 'ExperimentalWarning') emit.call(process, warning, ...rest)
  }) as Emit
  try {
    return load()
  } finally {
    process.emitWarning = emit
  }
}

// Loading is synchronous, so nobody else's warning can fall into the gap. Undefined where Node has none.
const builtinModule = (): SqliteModule | undefined =>
  withoutExperimentalWarning(() => process.getBuiltinModule('node:sqlite') as SqliteModule | undefined)

const load = createRequire(import.meta.url)

// Required and not imported: the same library is there four milliseconds sooner.
const installedModule = (): SqliteModule => load('@photostructure/sqlite') as SqliteModule

let loaded: SqliteModule | undefined

/** Loads the library; whoever knows that it will be needed does so while there is nothing else to do. */
export const loadSqlite = (): SqliteModule => {
  loaded ??= builtinModule() ?? installedModule()
  return loaded
}

/** Opens the database at an absolute path, which is made when it is not there. */
export const openDatabase = async (path: string): Promise<Database> => {
  const { DatabaseSync } = loadSqlite()
  return new DatabaseSync(path)
}

/** How long a statement waits for other processes, in milliseconds. Meanwhile this one stands still. */
export const BUSY_MS = 5_000

/** Runs `work` without waiting for anybody: what another process holds is reported busy at once. */
export const withoutWaiting = <T>(db: Database, work: () => T): T => {
  db.exec('PRAGMA busy_timeout = 0')
  try {
    return work()
  } finally {
    db.exec(`PRAGMA busy_timeout = ${BUSY_MS}`)
  }
}

/** Gives up what is under way. After some failures SQLite has done so by itself; either way nothing is left open. */
export const rollbackQuietly = (db: Database): void => {
  try {
    db.exec('ROLLBACK')
  } catch {}
}

/** All of `work` or nothing of it, with every other writer kept out from the start. */
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
