import { closeSync, mkdirSync, openSync, type Stats, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { storeFaults } from '../../../lineage/faults.ts'
import { type Database, openDatabase } from './database.ts'
import { fileFault, sqliteFault } from './faults.ts'
import { retryWhenBusy } from './retry.ts'
import { configureConnection, createSqliteTables, inspectSchema } from './schema.ts'

/** One open database file. */
export interface SqliteFile {
  readonly db: Database
  /** A fault when the path no longer leads to the file that is open. */
  requireSameFile(): void
}

const statIfExists = (path: string): Stats | undefined => statSync(path, { throwIfNoEntry: false })

const createFile = (path: string): void => {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    // Only ever a new file: closing one that SQLite has open would drop its locks.
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Whether there is a file to open, which is made when it shall be. */
const findFile = (path: string, create: boolean): boolean => {
  try {
    const found = statIfExists(path)
    if (found?.isFile() === false) throw storeFaults.address(`${basename(path)} is not a file`)
    // SQLite throws a journal away that has no database beside it; there may be entries in it.
    // Looked at again once the journal is seen: another process may just be making both.
    if (!found?.size && statIfExists(`${path}-wal`)?.size && !statIfExists(path)?.size) {
      throw storeFaults.damaged('the file is gone or empty, and the journal beside it is not')
    }
    if (create) createFile(path)
    return create || Boolean(found?.size)
  } catch (error) {
    throw fileFault(error, path)
  }
}

const sameFileCheck = (path: string): (() => void) => {
  const { dev, ino } = statSync(path)
  return () => {
    const now = statIfExists(path)
    if (now?.ino !== ino || now.dev !== dev) {
      throw storeFaults.unreachable('the file was moved or removed while it was open', {
        fix: 'Put it back, or start again.',
      })
    }
  }
}

// Undefined when there is nothing in it and nothing shall be made.
const prepareFile = async (db: Database, path: string, create: boolean): Promise<SqliteFile | undefined> => {
  configureConnection(db)
  const state = await retryWhenBusy(() => inspectSchema(db))
  if (state === 'empty' && !create) return undefined
  // Even where it would wait, SQLite may say busy at once while another process makes the tables.
  if (state === 'empty') await retryWhenBusy(() => createSqliteTables(db))
  return { db, requireSameFile: sameFileCheck(path) }
}

/** Opens the file; undefined when there is nothing in it yet and nothing shall be made. */
export const openFile = async (path: string, create: boolean): Promise<SqliteFile | undefined> => {
  if (!findFile(path, create)) return undefined
  let db: Database | undefined
  let file: SqliteFile | undefined
  try {
    db = await openDatabase(path)
    file = await prepareFile(db, path, create)
    return file
  } catch (error) {
    throw sqliteFault(error)
  } finally {
    if (file === undefined) db?.close()
  }
}
