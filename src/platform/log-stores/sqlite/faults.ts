import { basename } from 'node:path'
import { Fault, type FaultMaker } from '../../../kernel/fault.ts'
import { storeFaults } from '../../../lineage/faults.ts'

interface ErrorMapping {
  readonly fault: FaultMaker
  readonly message: string
  readonly fix?: string
}

const CHECK_FILE = 'Check the file, its folder, its permissions and the disk.'
const busy: ErrorMapping = { fault: storeFaults.busy, message: 'the log is locked by another process' }
const damaged: ErrorMapping = { fault: storeFaults.damaged, message: 'the file is damaged' }
const failing: ErrorMapping = {
  fault: storeFaults.unreachable,
  message: 'the file cannot be read or written',
  fix: CHECK_FILE,
}

/** https://sqlite.org/rescode.html: the last eight bits of a code are its family. */
const FAMILIES: Readonly<Record<number, ErrorMapping>> = {
  // Our statements never change, so SQL that is wrong means that the tables are not ours any more.
  1: damaged,
  3: failing,
  5: busy,
  6: busy,
  7: { fault: storeFaults.unreachable, message: 'there is no memory left', fix: 'Try again.' },
  8: failing,
  10: failing,
  11: damaged,
  13: { fault: storeFaults.full, message: 'the disk is full' },
  14: failing,
  15: busy,
  18: { fault: storeFaults.full, message: 'an entry is larger than the database can hold' },
  // Positions are checked before they are written: what is there already should not be.
  19: damaged,
  20: damaged,
  26: { fault: storeFaults.damaged, message: 'the file is not a database' },
}
const SHORT_READ = 522

// The package for Node 20 leaves the code out of what fails while many rows are read.
const FAMILY_BY_TEXT: Readonly<Record<string, number>> = {
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
  if (!(error instanceof Error)) return undefined
  const { code, errcode, message } = error as Error & { readonly code?: unknown; readonly errcode?: unknown }
  // A number too large for us was never written by us.
  if (code === 'ERR_OUT_OF_RANGE') return damaged
  return code === 'ERR_SQLITE_ERROR' ? FAMILIES[errorFamily(errcode, message)] : undefined
}

export const isBusy = (error: unknown): boolean =>
  mapError(error) === busy || (error instanceof Fault && error.code === storeFaults.busy.code)

/** What a caller may know of a failure. What is not in the table is a bug and stays what it is. */
export const sqliteFault = (error: unknown): unknown => {
  if (error instanceof Fault) return error
  const mapping = mapError(error)
  if (mapping === undefined) return error
  const { fault, message, fix } = mapping
  return fault(message, { cause: error, ...(fix !== undefined && { fix }) })
}

/** Runs `work`, and says of its failures what a caller may know. */
export const mapSqliteErrors = <T>(work: () => T): T => {
  try {
    return work()
  } catch (error) {
    throw sqliteFault(error)
  }
}

const FULL_CODES = ['ENOSPC', 'EDQUOT', 'EFBIG']

/** The same for the folder around it, before there is a file. */
export const folderFault = (error: unknown): unknown => {
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof Fault || code === undefined) return error
  if (FULL_CODES.includes(code)) return storeFaults.full('the disk is full', { cause: error })
  const fix = 'Give yourself the right to write there, or choose another place with --state-dir or --store.'
  return storeFaults.unreachable(`the state folder cannot be made (${code})`, { cause: error, fix })
}

/** The same for the file system's own failures, before there is a database. */
export const fileFault = (error: unknown, path: string): unknown => {
  const { code } = error as NodeJS.ErrnoException
  if (error instanceof Fault || code === undefined) return error
  if (FULL_CODES.includes(code)) return storeFaults.full('the disk is full', { cause: error })
  // By its name alone: where we live is not for a client to know that may sit elsewhere.
  const message = `${basename(path)} cannot be used as a file (${code})`
  return storeFaults.address(message, { cause: error, fix: CHECK_FILE })
}
