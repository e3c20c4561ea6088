import type { LogStore } from '../../lineage/store.ts'
import { requireNoSymlinks, requireRegularDatabase } from '../../platform/files/no-symlinks.ts'
import { makeState } from '../../platform/files/state-folder.ts'
import { findRepositoryRoot } from '../../platform/git/find-root.ts'
import type { Config } from '../config/settings.ts'
import { findOwnDatabase, isStoreUrl, rememberDatabase } from './user-state.ts'

/**
 * The folder of the log of decisions: the top of the repository, for every program that is started in one. A root that
 * the operator named has a log of its own.
 */
export const locateDecisions = async (
  { root: named }: Pick<Config, 'root'>,
  folder: string,
): Promise<string> => (named === '.' ? ((await findRepositoryRoot(folder)) ?? folder) : folder)

/** Loads the SQLite driver ahead of time and opens nothing. Errors show again when the store is opened. */
export const preloadStore = async ({ store }: Config): Promise<void> => {
  if (store === 'memory' || (store !== undefined && isStoreUrl(store))) return
  const { loadSqlite } = await import('../../platform/log-stores/sqlite/log.ts')
  try {
    loadSqlite()
  } catch {}
}

/** Opens the configured store, and loads only the driver it needs. */
export const openStore = async (config: Config, root: string): Promise<LogStore> => {
  const { store, stateDir } = config
  if (store === 'memory') return (await import('../../platform/log-stores/memory.ts')).memoryLogs()
  if (store !== undefined && isStoreUrl(store)) {
    return (await import('../../platform/log-stores/postgres/log.ts')).postgresLogs(store)
  }
  const { sqliteLogs } = await import('../../platform/log-stores/sqlite/log.ts')
  if (store !== undefined) return sqliteLogs(requireRegularDatabase(root, store))
  const database = requireRegularDatabase(root, stateDir, 'lineage.db')
  const isThere = await findOwnDatabase(config, root)
  return sqliteLogs(database, async () => {
    await makeState(requireNoSymlinks(root, stateDir))
    if (!isThere) await rememberDatabase(config, root)
  })
}
