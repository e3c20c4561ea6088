import { resolve } from 'node:path'
import { Beliefs } from '../../beliefs/beliefs.ts'
import { beliefFaults } from '../../beliefs/faults.ts'
import { DEFAULT_CONFIG } from '../../beliefs/graph/graph.ts'
import { GraphStore } from '../../beliefs/log/graph-store.ts'
import { fixedTimestamps, wallTimestamps } from '../../beliefs/log/timestamps.ts'
import { ENTRY_FILES, HOME_ENTRY_FILES, OWN_FILES } from '../../hooks/own-files.ts'
import { DECISION_LOG } from '../../lineage/origin.ts'
import type { LogStore } from '../../lineage/store.ts'
import type { ServerBasics } from '../../mcp/handshake.ts'
import { exportFolder } from '../../platform/files/export-file.ts'
import { fixedSalts, randomSalts } from '../../platform/system/salts.ts'
import type { Config } from '../config/settings.ts'
import { openStore } from './store.ts'
import { isStoreUrl, logMemory } from './user-state.ts'

/** Paths that are not for exports: state, store, git, and what the hooks of agents keep from them. */
const protectedPaths = ({ store, stateDir }: Config, root: string): string[] => {
  const own = [stateDir, '.git', ...OWN_FILES, ...ENTRY_FILES, ...HOME_ENTRY_FILES]
  const folders = own.map((path) => resolve(root, path))
  if (store === undefined || store === 'memory' || isStoreUrl(store)) return folders
  const database = resolve(root, store)
  return [...folders, ...['', '-wal', '-shm', '-journal'].map((suffix) => `${database}${suffix}`)]
}

/** How the entries of a log, and the file for the stand-alone verifier, begin. */
const EXPORT_START = /^(?:\[\]\n$|\[\n {2}\{\n {4}"checksum": "[0-9a-f]{8}|\{\n {2}"genesis": ")/

/** Writes files below the export root, and nowhere else. */
export const exportWriter = (config: Config, root: string) =>
  exportFolder(resolve(root, config.exportRoot), {
    reserved: protectedPaths(config, root),
    isOwn: (start) => EXPORT_START.test(start),
  })

export const graphConfig = ({ allowCycles }: Config) => ({ ...DEFAULT_CONFIG, allowCycles })

interface OpenBeliefs {
  readonly beliefs: Beliefs
  /** Size of the store. */
  readonly bytes: () => Promise<number>
  /** Rejects when nothing can be written. */
  readonly check: () => Promise<void>
  /** Whether the store has to be opened anew. */
  readonly isReplaced: () => boolean
  readonly close: () => Promise<void>
}

/** The configured store. In read-only mode a graph that does not exist is an empty one in memory, not a new log. */
const openExisting = async (config: Config, root: string): Promise<LogStore> => {
  const store = await openStore(config, root)
  if (!config.readOnly || (await store.find(config.graph)) !== undefined) return store
  await store.close()
  return openStore({ ...config, store: 'memory' }, root)
}

export const openBeliefs = async (
  config: Config,
  root: string,
  handshake: ServerBasics,
): Promise<OpenBeliefs> => {
  // A graph of this name would take the log of the gate's decisions, which could then never be opened.
  if (config.graph === DECISION_LOG)
    throw beliefFaults.config_invalid(`graph: ${DECISION_LOG} is reserved for the decisions of the gate`)
  const fixed = config.clock === 'deterministic'
  const store = await openExisting(config, root)
  try {
    const graphStore = await GraphStore.open({
      store,
      name: config.graph,
      config: graphConfig(config),
      clockMode: config.clock,
      timestamps: fixed ? fixedTimestamps : wallTimestamps(handshake.clock),
      salt: fixed ? fixedSalts : randomSalts,
      logger: handshake.log,
      snapshotEvery: config.readOnly ? Number.MAX_SAFE_INTEGER : config.snapshotEvery,
      readOnly: config.readOnly,
      ...(config.store !== 'memory' && { memory: logMemory(config, root, config.graph) }),
    })
    if (!config.readOnly) await graphStore.liftReadFailure()
    const writeFile = exportWriter(config, root)
    const beliefs = new Beliefs({ graphStore, version: handshake.identity.version, writeFile })
    return {
      beliefs,
      bytes: () => store.bytes(),
      check: async () => {
        if (!config.readOnly) await store.check?.()
      },
      isReplaced: () => store.isReplaced?.() ?? false,
      close: async () => {
        // Closing a graph store saves a snapshot.
        try {
          await (config.readOnly ? graphStore.replica.close() : graphStore.close())
        } finally {
          await store.close()
        }
      },
    }
  } catch (cause) {
    await store.close()
    throw cause
  }
}
