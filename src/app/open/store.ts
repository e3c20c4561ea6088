import type { LogStore } from '../../lineage/store.ts'
import { requireNoSymlinks, requireRegularDatabase } from '../../platform/files/no-symlinks.ts'
import { makeState } from '../../platform/files/state-folder.ts'
import type { Config } from '../config/settings.ts'

export const isStoreUrl = (store: string): boolean => /^postgres(ql)?:\/\//.test(store)

/** Loads the SQLite driver ahead of time and opens nothing. Errors show again when the store is opened. */
export const preloadStore = async ({ store }: Config): Promise<void> => {
  if (store === 'memory' || (store !== undefined && isStoreUrl(store))) return
  const { loadSqlite } = await import('../../platform/log-stores/sqlite/log.ts')
  try {
    loadSqlite()
  } catch {}
}

/** Opens the configured store, and loads only the driver it needs. */
export const openStore = async ({ store, stateDir }: Config, root: string): Promise<LogStore> => {
  if (store === 'memory') return (await import('../../platform/log-stores/memory.ts')).memoryLogs()
  if (store !== undefined && isStoreUrl(store)) {
    return (await import('../../platform/log-stores/postgres/log.ts')).postgresLogs(store)
  }
  const { sqliteLogs } = await import('../../platform/log-stores/sqlite/log.ts')
  if (store !== undefined) return sqliteLogs(requireRegularDatabase(root, store))
  return sqliteLogs(requireRegularDatabase(root, stateDir, 'lineage.db'), () =>
    makeState(requireNoSymlinks(root, stateDir)),
  )
}
