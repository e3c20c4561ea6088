import { storeFaults } from '../../../lineage/faults.ts'
import { BUSY_MS, type Database, rollbackQuietly, transact } from './database.ts'

/** 'wLog' in ASCII: identifies our database files. */
const APPLICATION_ID = 0x774c6f67
const VERSION = 1
const MAX_WAL_BYTES = 64 * 1024 * 1024
/** Page size of a new file. A commit writes many kilobytes in one row, and larger pages need fewer system calls. */
const PAGE_BYTES = 8 * 1024

/**
 * The key of a run combines the log's id and the number of its last entry in one integer (rowid), so that the table needs
 * no index and a commit writes one page less. Texts are blobs because Node truncates SQLite text at a NUL.
 */
export const LOG_SPAN = 2 ** 32
export const MAX_LOGS = 2 ** 20

const TABLES = `
CREATE TABLE logs (
  id INTEGER PRIMARY KEY CHECK (id BETWEEN 1 AND ${MAX_LOGS}),
  name TEXT NOT NULL UNIQUE,
  genesis BLOB NOT NULL,
  quarantine BLOB
) STRICT;
CREATE TABLE runs (
  id INTEGER PRIMARY KEY,
  sizes BLOB NOT NULL,
  bytes BLOB NOT NULL
) STRICT;
CREATE TABLE nodes (
  log INTEGER NOT NULL,
  level INTEGER NOT NULL,
  place INTEGER NOT NULL,
  hash BLOB NOT NULL,
  PRIMARY KEY (log, level, place)
) STRICT, WITHOUT ROWID;
CREATE TABLE snapshots (
  id INTEGER PRIMARY KEY,
  bytes BLOB NOT NULL
) STRICT;
PRAGMA application_id = ${APPLICATION_ID};
PRAGMA user_version = ${VERSION};
`

const readNumber = (db: Database, sql: string): number =>
  Number(Object.values(db.prepare(sql).get() ?? {})[0])

const EXPECTED_SCHEMA = TABLES.split(';')
  .map((sql) => sql.trim())
  .filter((sql) => sql.startsWith('CREATE TABLE'))
  .sort()
  .join('\n')

/**
 * A file with our application id may have come with a repository. A view or trigger in it would run inside our
 * statements, without a deadline. Reading `sqlite_schema` runs neither.
 */
const hasExpectedSchema = (db: Database): boolean => {
  const made = db.prepare('SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL').all()
  return (
    made
      .map(({ sql }) => String(sql))
      .sort()
      .join('\n') === EXPECTED_SCHEMA
  )
}

type FileState = 'empty' | 'ours'

/** Must run in a transaction, so that all values are from one point in time. */
const readState = (db: Database): FileState => {
  const application = readNumber(db, 'PRAGMA application_id')
  const version = readNumber(db, 'PRAGMA user_version')
  if (application === APPLICATION_ID) {
    if (version > VERSION)
      throw storeFaults.newer(`the file has format ${version}, this version reads format ${VERSION}`)
    if (version < VERSION) throw storeFaults.damaged(`the file has the unknown format ${version}`)
    if (!hasExpectedSchema(db))
      throw storeFaults.damaged('the file has tables, views or triggers that Warrant did not create')
    return 'ours'
  }
  if (application === 0 && version === 0 && readNumber(db, 'SELECT count(*) FROM sqlite_schema') === 0) {
    return 'empty'
  }
  throw storeFaults.address('the file is a database of another program')
}

/**
 * Whether the file is empty or has our tables; anything else is a fault. Read-only. The transaction gives a consistent
 * view while another process creates the tables.
 */
export const inspectSchema = (db: Database): FileState => {
  db.exec('BEGIN')
  try {
    return readState(db)
  } finally {
    rollbackQuietly(db)
  }
}

/** Settings of the connection. They do not change the file. */
export const configureConnection = (db: Database): void =>
  db.exec(`
PRAGMA busy_timeout = ${BUSY_MS};
PRAGMA synchronous = FULL;
PRAGMA fullfsync = ON;
PRAGMA secure_delete = ON;
PRAGMA cell_size_check = ON;
PRAGMA trusted_schema = OFF;
PRAGMA journal_size_limit = ${MAX_WAL_BYTES};
`)

export const createSqliteTables = (db: Database): void => {
  db.exec(`PRAGMA page_size = ${PAGE_BYTES}; PRAGMA journal_mode = WAL`)
  transact(db, () => {
    // Another process may have created them before we had the lock.
    if (readState(db) === 'empty') db.exec(TABLES)
  })
}
