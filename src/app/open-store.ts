import type { LogStore } from '../lineage/store.ts'
import { isThere, ownDatabase, ownPlace } from '../platform/own-place.ts'
import { makeState } from '../platform/state-folder.ts'
import type { Config } from './config.ts'

export const isAddress = (store: string): boolean => /^postgres(ql)?:\/\//.test(store)

const databaseOf = ({ store, stateDir }: Config, root: string): string =>
  store === undefined ? ownDatabase(root, stateDir, 'lineage.db') : ownDatabase(root, store)

/** Whether there is anything to look into. Looking must not leave a database where there was none. */
export const storeExists = (config: Config, root: string): boolean => {
  const { store } = config
  if (store === 'memory') return false
  return (store !== undefined && isAddress(store)) || isThere(databaseOf(config, root))
}

/** Loads ahead what a file will need. Nothing is opened; what cannot be loaded is heard when the store is. */
export const warmStore = async ({ store }: Config): Promise<void> => {
  if (store === 'memory' || (store !== undefined && isAddress(store))) return
  const { loadSqlite } = await import('../platform/sqlite-log.ts')
  try {
    loadSqlite()
  } catch {}
}

/** The store the settings name. Only the driver it needs is loaded. */
export const openStore = async (config: Config, root: string): Promise<LogStore> => {
  const { store, stateDir } = config
  if (store === 'memory') return (await import('../platform/memory-log.ts')).memoryLogs()
  if (store !== undefined && isAddress(store)) {
    return (await import('../platform/postgres-log.ts')).postgresLogs(store)
  }
  const { sqliteLogs } = await import('../platform/sqlite-log.ts')
  const database = databaseOf(config, root)
  if (store !== undefined) return sqliteLogs(database)
  return sqliteLogs(database, () => makeState(ownPlace(root, stateDir)))
}
