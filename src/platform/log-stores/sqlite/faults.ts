import { basename } from 'node:path'
import { isRecord } from '../../../kernel/encoding/json.ts'
import { Fault, type FaultMaker } from '../../../kernel/fault.ts'
import { optional } from '../../../kernel/optional.ts'
import { storeFaults, UNREADABLE_STORE } from '../../../lineage/faults.ts'

interface ErrorMapping {
  readonly fault: FaultMaker
  readonly message: string
  readonly fix?: string
}

const CHECK_FILE = 'Check the file, its folder, its permissions and the disk.'
const busy: ErrorMapping = { fault: storeFaults.busy, message: 'the log is locked by another process' }
const damaged: ErrorMapping = { fault: storeFaults.damaged, message: UNREADABLE_STORE }
const failing: ErrorMapping = {
  fault: storeFaults.unreachable,
  message: 'the file cannot be read or written',
  fix: CHECK_FILE,
}

/** Primary result codes: the lowest eight bits of a code, see https://sqlite.org/rescode.html. */
const FAMILIES: Readonly<Record<number, ErrorMapping>> = {
  // SQLITE_ERROR: our statements are fixed, so a failing one means that the tables were changed.
  1: damaged,
  3: failing,
  5: busy,
  6: busy,
  7: {
    fault: storeFaults.unreachable,
    message: 'SQLite is out of memory',
    fix: 'Free memory, then try again.',
  },
  8: failing,
  10: failing,
  11: damaged,
  13: { fault: storeFaults.full, message: 'the disk is full' },
  14: failing,
  15: busy,
  18: { fault: storeFaults.full, message: 'an entry is larger than the database can hold' },
  // SQLITE_CONSTRAINT: positions are checked before they are written, so a duplicate key is damage.
  19: damaged,
  20: damaged,
  26: {
    fault: storeFaults.damaged,
    message: 'the file is not a database',
  },
}
const SHORT_READ = 522

// @photostructure/sqlite, used on Node 20, gives no code for errors while several rows are read.
const FAMILY_BY_TEXT: Readonly<Record<string, number>> = {
  'attempt to write a readonly database': 8,
  'database is locked': 5,
  'out of memory': 7,
  'disk I/O error': 10,
  'unable to open database file': 14,
  'file is not a database': 26,
}

const errorFamily = (code: unknown, message: string): number => {
  if (typeof code !== 'number') return FAMILY_BY_TEXT[message] ?? 11
  return code === SHORT_READ ? 11 : code & 0xff
}

const mapError = (error: unknown): ErrorMapping | undefined => {
  if (!(error instanceof Error && isRecord(error))) return undefined
  const { code, errcode, message } = error
  // We never write such large numbers, so this is damage.
  if (code === 'ERR_OUT_OF_RANGE') return damaged
  return code === 'ERR_SQLITE_ERROR' ? FAMILIES[errorFamily(errcode, message)] : undefined
}

export const isBusy = (error: unknown): boolean =>
  mapError(error) === busy || (error instanceof Fault && error.code === storeFaults.busy.code)

const READ_ONLY = 8

/** Whether the fault of a write says that the connection can only read. */
export const isReadOnly = (fault: unknown): boolean =>
  fault instanceof Fault &&
  isRecord(fault.cause) &&
  errorFamily(fault.cause.errcode, String(fault.cause.message)) === READ_ONLY

/** The fault for an SQLite error. Errors that are not in the table are bugs and are returned unchanged. */
export const sqliteFault = (error: unknown): unknown => {
  if (error instanceof Fault) return error
  const mapping = mapError(error)
  if (mapping === undefined) return error
  const { fault, message, fix } = mapping
  return fault(message, { cause: error, ...optional({ fix }) })
}

/** Runs `work` and converts its SQLite errors to faults. */
const mapSqliteErrors = <T>(work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw sqliteFault(error)
  }
}

/**
 * Runs a read and converts its SQLite errors to faults. SQLite also reports a page that could not be read as damaged:
 * what looks damaged is read a second time.
 */
export const readSqlite = <T>(read: () => T): T => {
  try {
    return read()
  } catch (error) {
    if (mapError(error) === damaged) return mapSqliteErrors(read)
    throw sqliteFault(error)
  }
}

const FULL_CODES = ['ENOSPC', 'EDQUOT', 'EFBIG']

/** The fault for a file system error: a full disk, or else the result of `otherwise`. */
const diskFault = (error: unknown, otherwise: (code: string) => Fault): unknown => {
  const code = isRecord(error) ? error.code : undefined
  if (error instanceof Fault || typeof code !== 'string') return error
  return FULL_CODES.includes(code) ? storeFaults.full('the disk is full', { cause: error }) : otherwise(code)
}

/** The fault for an error while the state folder is created. */
export const folderFault = (cause: unknown): unknown =>
  diskFault(cause, (code) => {
    const fix = 'Give this user write permission there, or choose another place with --state-dir or --store.'
    return storeFaults.unreachable(`the state folder cannot be created (${code})`, { cause, fix })
  })

/** Codes of a path that cannot name a file. Any other error may pass. */
const WRONG_PATH = ['ENOENT', 'ENOTDIR', 'EISDIR', 'ELOOP', 'ENAMETOOLONG', 'EINVAL']

/** The fault for an error while the database file is created or checked. */
export const fileFault = (cause: unknown, path: string): unknown =>
  diskFault(cause, (code) => {
    // Only the base name: a remote client must not learn the path.
    const message = `${basename(path)} cannot be used as a database file (${code})`
    const fault = WRONG_PATH.includes(code) ? storeFaults.address : storeFaults.unreachable
    return fault(message, { cause, fix: CHECK_FILE })
  })
