import { accessSync, closeSync, constants, openSync, type Stats, statfsSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { errorCode, Fault } from '../../../kernel/fault.ts'
import { storeFaults } from '../../../lineage/faults.ts'
import { makeFolders } from '../../files/make-folders.ts'
import { type Database, openDatabase, openUnchanging } from './database.ts'
import { fileFault, isBusy, sqliteFault } from './faults.ts'
import { retryWhenBusy } from './retry.ts'
import { configureConnection, createSqliteTables, inspectSchema } from './schema.ts'

/** One open database file. */
export interface SqliteFile {
  readonly db: Database
  /** Whether the path names another file than the open one. Throws when that shrank, which SQLite never lets it do. */
  isReplaced(): boolean
}

const statIfExists = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false })

const createFile = (path: string): void => {
  try {
    makeFolders(dirname(path), 0o700)
    // Exclusive: closing a file that SQLite has open would release its POSIX locks.
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}

/** Whether there is a database to open. With `create` an empty file is created first. */
const findFile = (path: string, create: boolean): boolean => {
  try {
    const found = statIfExists(path)
    if (found?.isFile() === false) throw storeFaults.address(`${basename(path)} is not a file`)
    // SQLite deletes a WAL without a database, but it may hold entries. The database is checked a second time, because
    // another process may be creating both files.
    if (!found?.size && statIfExists(`${path}-wal`)?.size && !statIfExists(path)?.size) {
      throw storeFaults.damaged('the database file is missing or empty, but its write-ahead log is not')
    }
    if (create) createFile(path)
    return create || Boolean(found?.size)
  } catch (error) {
    throw fileFault(error, path)
  }
}

const replacementCheck = (path: string): (() => boolean) => {
  const statFile = () => {
    try {
      return statIfExists(path)
    } catch (error) {
      throw fileFault(error, path)
    }
  }
  let last = statFile()
  return () => {
    const now = statFile()
    if (now?.ino !== last?.ino || now?.dev !== last?.dev) return true
    if ((now?.size ?? 0) < (last?.size ?? 0))
      throw storeFaults.damaged('the database file was cut while it was open')
    last = now
    return false
  }
}

// Undefined for an empty file without `create`.
const prepareFile = async (db: Database, path: string, create: boolean): Promise<SqliteFile | undefined> => {
  configureConnection(db)
  const state = await retryWhenBusy(() => inspectSchema(db))
  if (state === 'empty' && !create) return undefined
  // SQLite may report busy without waiting while another process creates the tables.
  try {
    if (state === 'empty') await retryWhenBusy(() => createSqliteTables(db))
  } catch (error) {
    if (isBusy(error)) throw storeFaults.damaged('the database file was emptied while it was open')
    throw error
  }
  return { db, isReplaced: replacementCheck(path) }
}

/** Whether the disk is mounted read-only, and all entries are in the database itself. */
const isUnchanging = (path: string): boolean => {
  try {
    accessSync(dirname(path), constants.W_OK)
    return false
  } catch (cause) {
    return errorCode(cause) === 'EROFS' && !statIfExists(`${path}-wal`)?.size
  }
}

const isFull = (path: string): boolean => {
  try {
    return statfsSync(dirname(path)).bavail === 0
  } catch {
    return false
  }
}

/** Opens the database; undefined when it does not exist or is empty and `create` is false. */
export const openFile = async (path: string, create: boolean): Promise<SqliteFile | undefined> => {
  if (!findFile(path, create)) return undefined
  let db: Database | undefined
  let file: SqliteFile | undefined
  try {
    db = await (!create && isUnchanging(path) ? openUnchanging : openDatabase)(path)
    file = await prepareFile(db, path, create)
    return file
  } catch (error) {
    const fault = sqliteFault(error)
    // SQLite does not say why it cannot make the files that it needs.
    const isUnavailable = fault instanceof Fault && fault.kind === 'unavailable'
    throw isUnavailable && isFull(path) ? storeFaults.full('the disk is full', { cause: error }) : fault
  } finally {
    if (file === undefined) db?.close()
  }
}
