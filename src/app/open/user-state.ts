import { realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { errorCode, Fault } from '../../kernel/fault.ts'
import { storeFaults } from '../../lineage/faults.ts'
import {
  type LogMemory,
  type LogPoint,
  parseSeen,
  type SeenLog,
  writePoint,
} from '../../lineage/log-memory.ts'
import { EventLog } from '../../platform/files/event-log.ts'
import { placeFaults } from '../../platform/files/no-symlinks.ts'
import { privateState, userLine, userRecord } from '../../platform/files/user-state.ts'
import { lifecycleGit } from '../../platform/git/repository-places.ts'
import { systemClock } from '../../platform/system/clock.ts'
import type { Config } from '../config/settings.ts'

/** What Warrant keeps for this user outside of every repository: the signing key, what it saw of each log, and results of scans. */

export const signingKeyPath = (): string => {
  try {
    return privateState(process.env, 'signing.key')
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    throw placeFaults.unwritable('this user has no home folder for the signing key', { cause })
  }
}

/** The token that clients of `warrant serve` send. */
export const serveTokenPath = (): string => privateState(process.env, 'serve.token')

export const isStoreUrl = (store: string): boolean => /^postgres(ql)?:\/\//.test(store)

/** Path of the database in the state folder. */
const defaultDatabase = ({ stateDir }: Config, root: string): string => resolve(root, stateDir, 'lineage.db')

/**
 * Identifies a store: by path, and by number and birth of the root folder, because another repository may be mounted
 * or cloned at the same path later. Credentials of an address are not part of it.
 */
const storeIdentity = (config: Config, root: string): string => {
  const { store } = config
  if (store !== undefined && isStoreUrl(store)) {
    const { host, pathname } = new URL(store)
    return `postgres://${host}${pathname}`
  }
  const real = realpathSync(root)
  // The number alone may be used again. A file system that does not know the birth says 0.
  const { dev, ino, birthtimeNs } = statSync(real, { bigint: true })
  return `${dev}:${ino}:${birthtimeNs}:${store === undefined ? defaultDatabase(config, real) : resolve(real, store)}`
}

/** Path of what is remembered of a store, or of one log in it. */
const storeRecordPath = (config: Config, root: string, log = ''): string => {
  const name = digestBytes(`${storeIdentity(config, root)}\n${log}`).slice('sha256:'.length, 39)
  return join(privateState(process.env), 'logs', `${name}.json`)
}

const storeRecord = (config: Config, root: string) => userRecord(() => storeRecordPath(config, root))

/** Remembers the newest entry of a log that this machine saw. A read-only program remembers nothing. */
export const logMemory = (config: Config, root: string, log: string): LogMemory => {
  let known: string | undefined
  const path = () => (known ??= storeRecordPath(config, root, log))
  const record = userRecord(path)
  const newest = userLine(() => `${path().slice(0, -'.json'.length)}.newest`)
  const note = (point: LogPoint) => {
    if (!config.readOnly) newest.write(writePoint(point))
  }
  const write = async (other: Omit<SeenLog, keyof LogPoint>) => {
    if (!config.readOnly) await record.write({ log, ...other })
  }
  return {
    read: async () => parseSeen(await newest.read(), await record.read()),
    note,
    noteLost: (lost) => write({ lost }),
    adopt: (point) => {
      note(point)
      return write({ adopted: systemClock.now() })
    },
  }
}

/** Remembers that this machine uses the database in the state folder. */
export const rememberDatabase = async (config: Config, root: string): Promise<void> => {
  if (!config.readOnly) await storeRecord(config, root).write({ database: defaultDatabase(config, root) })
}

const SQLITE_SUFFIXES = ['', '-wal', '-shm', '-journal']

/** Also true when that cannot be found out: opening the file then says why. Nothing is below a file. */
const exists = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (cause) {
    return errorCode(cause) !== 'ENOTDIR'
  }
}

/**
 * Refuses a database in the state folder that git tracks: it came with the repository. Git is asked only once. Returns
 * whether there is a database.
 */
export const findOwnDatabase = async (config: Config, root: string): Promise<boolean> => {
  const database = defaultDatabase(config, root)
  const files = SQLITE_SUFFIXES.map((suffix) => `${database}${suffix}`).filter(exists)
  if (files.length === 0) return false
  if ((await storeRecord(config, root).read()) !== undefined) return true
  const git = lifecycleGit({
    folder: dirname(database),
    environment: process.env,
    gitFolders: config.gitFolders,
  })
  const folder = realpathSync(dirname(database))
  const [tracked] = await git.tracked(
    files.map((file) => join(folder, basename(file))),
    new AbortController().signal,
  )
  if (tracked !== undefined)
    throw storeFaults.tracked(`git tracks ${tracked}, so it came with the repository`)
  await rememberDatabase(config, root)
  return true
}

/** The file with the results of earlier scans of a repository. */
export const scanCachePath = (root: string, environment: NodeJS.ProcessEnv): string =>
  join(privateState(environment), 'scans', digestBytes(root).slice('sha256:'.length, 39))

/** The file with what earlier reports read of a folder. */
export const readingCachePath = (folder: string, environment: NodeJS.ProcessEnv): string =>
  join(privateState(environment), 'reports', digestBytes(folder).slice('sha256:'.length, 39))

const MAX_GUARD_BYTES = 1024 * 1024

/** What the hooks of agents saw of the git hooks and settings that make the gate run. */
export const guardRecord = (root: string, environment: NodeJS.ProcessEnv) => {
  const name = digestBytes(root).slice('sha256:'.length, 39)
  return userRecord(() => join(privateState(environment), 'guards', `${name}.json`), MAX_GUARD_BYTES)
}

/** What a command of a person sets up anew counts from now on. Commits that went past the hooks are still found. */
export const forgetGuard = async (root: string, environment: NodeJS.ProcessEnv): Promise<void> => {
  const record = guardRecord(root, environment)
  const known = await record.read()
  await record.write({ ...(isRecord(known) && known), files: {}, configs: {}, hooksPaths: {} })
}

/** What agents did in a repository, by day. */
export const eventLog = (root: string, environment: NodeJS.ProcessEnv): EventLog =>
  new EventLog(join(privateState(environment), 'events', digestBytes(root).slice('sha256:'.length, 39)))
