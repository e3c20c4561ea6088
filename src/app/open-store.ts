import type { LogStore } from '../lineage/store.ts'
import { ownDatabase } from '../platform/own-place.ts'
import type { Config } from './config.ts'

export const isAddress = (store: string): boolean => /^postgres(ql)?:\/\//.test(store)

/** The store the settings name. Only the driver it needs is loaded. */
export const openStore = async ({ store, stateDir }: Config, root: string): Promise<LogStore> => {
  if (store === 'memory') return (await import('../platform/memory-log.ts')).memoryLogs()
  if (store !== undefined && isAddress(store)) {
    return (await import('../platform/postgres-log.ts')).postgresLogs(store)
  }
  const file = store === undefined ? ownDatabase(root, stateDir, 'lineage.db') : ownDatabase(root, store)
  return (await import('../platform/sqlite-log.ts')).sqliteLogs(file)
}
