import { HeadCache } from './cache.ts'
import type { Statement } from './database.ts'
import { readSqlite } from './faults.ts'
import { openFile, type SqliteFile } from './file.ts'

const SQL = {
  logNamed: 'SELECT id, genesis FROM logs WHERE name = ?',
  logNames: 'SELECT name FROM logs ORDER BY name',
  addLog: 'INSERT INTO logs (name, genesis) VALUES (?, ?)',
  lastId: 'SELECT id FROM runs WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1',
  newest: 'SELECT id, sizes, bytes FROM runs WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 1',
  page: 'SELECT id, sizes, bytes FROM runs WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ?',
  addRun: 'INSERT INTO runs (id, sizes, bytes) VALUES (?, ?, ?)',
  changeRun: 'UPDATE runs SET sizes = ?, bytes = ? WHERE id = ?',
  clearJournal: 'PRAGMA wal_checkpoint(TRUNCATE)',
  changedRows: 'SELECT total_changes() AS count',
  node: 'SELECT hash FROM nodes WHERE log = ? AND level = ? AND place = ?',
  addNode: 'INSERT INTO nodes (log, level, place, hash) VALUES (?, ?, ?, ?)',
  snapshots: 'SELECT id, bytes FROM snapshots WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT 2',
  dropOldSnapshot: `DELETE FROM snapshots WHERE id BETWEEN ?1 AND ?3 - 1 AND id NOT IN
    (SELECT id FROM snapshots WHERE id BETWEEN ?1 AND ?2 AND id <> ?3 ORDER BY id DESC LIMIT 1)`,
  saveSnapshot: 'INSERT OR REPLACE INTO snapshots (id, bytes) VALUES (?, ?)',
  dropSnapshots: `DELETE FROM snapshots WHERE id BETWEEN ?1 AND ?2 AND id NOT IN
    (SELECT id FROM snapshots WHERE id BETWEEN ?1 AND ?2 ORDER BY id DESC LIMIT 2)`,
  clearSnapshots: 'DELETE FROM snapshots WHERE id BETWEEN ? AND ?',
  version: 'PRAGMA data_version',
  quarantine: 'SELECT quarantine FROM logs WHERE id = ?',
  setQuarantine: 'UPDATE logs SET quarantine = ? WHERE id = ?',
} as const

type Statements = Readonly<Record<keyof typeof SQL, Statement>>

interface PreparedFile extends SqliteFile {
  readonly sql: Statements
  readonly cache: HeadCache
}

/** An open database with its prepared statements, which are others after it was opened again. */
export interface SqliteConnection extends PreparedFile {
  reopen(): Promise<void>
}

const prepareAll = (file: SqliteFile): PreparedFile => {
  const prepare = ([name, text]: [string, string]) => [name, file.db.prepare(text)]
  try {
    const sql = Object.fromEntries(Object.entries(SQL).map(prepare)) as Statements
    return { ...file, sql, cache: new HeadCache(sql.version) }
  } catch (error) {
    file.db.close()
    throw error
  }
}

/** Undefined when the database does not exist or is empty and `create` is false. */
export const connect = async (path: string, create: boolean): Promise<SqliteConnection | undefined> => {
  const open = async () => {
    const file = await openFile(path, create)
    return file && readSqlite(() => prepareAll(file))
  }
  const prepared = await open()
  if (prepared === undefined) return undefined
  const reopen = async () => {
    const again = await open()
    if (again === undefined) return
    connection.db.close()
    Object.assign(connection, again)
  }
  const connection: SqliteConnection = { ...prepared, reopen }
  return connection
}
