import type { LogStore } from '../../lineage/store.ts'
import { ownDatabase, ownPlace } from '../../platform/files/no-symlinks.ts'
import { makeState } from '../../platform/files/state-folder.ts'
import type { Config } from '../config/settings.ts'

export const isAddress = (store: string): boolean => /^postgres(ql)?:\/\//.test(store)

/** Loads ahead what a file will need. Nothing is opened; what cannot be loaded is heard when the store is. */
export const warmStore = async ({ store }: Config): Promise<void> => {
  if (store === 'memory' || (store !== undefined && isAddress(store))) return
  const { loadSqlite } = await import('../../platform/log-stores/sqlite/log.ts')
  try {
    loadSqlite()
  } catch {}
}

/** The store the settings name. Only the driver it needs is loaded. */
export const openStore = async ({ store, stateDir }: Config, root: string): Promise<LogStore> => {
  if (store === 'memory') return (await import('../../platform/log-stores/memory.ts')).memoryLogs()
  if (store !== undefined && isAddress(store)) {
    return (await import('../../platform/log-stores/postgres/log.ts')).postgresLogs(store)
  }
  const { sqliteLogs } = await import('../../platform/log-stores/sqlite/log.ts')
  if (store !== undefined) return sqliteLogs(ownDatabase(root, store))
  return sqliteLogs(ownDatabase(root, stateDir, 'lineage.db'), () => makeState(ownPlace(root, stateDir)))
}
