import { resolve } from 'node:path'
import { Beliefs } from '../../beliefs/beliefs.ts'
import { beliefFaults } from '../../beliefs/faults.ts'
import { DEFAULT_CONFIG } from '../../beliefs/graph/graph.ts'
import { GraphStore } from '../../beliefs/log/graph-store.ts'
import { fixedTimestamps, wallTimestamps } from '../../beliefs/log/timestamps.ts'
import { DECISION_LOG } from '../../lineage/decisions.ts'
import { exportFolder } from '../../platform/files/export-file.ts'
import { fixedSalts, randomSalts } from '../../platform/system/salts.ts'
import type { Handshake } from '../../surfaces/mcp/handshake.ts'
import type { Config } from '../config/settings.ts'
import { isStoreUrl, openStore } from './store.ts'

/** Where our own data lies, and git's: an agent that could write there could rewrite what happened. */
const ownPlaces = ({ store, stateDir }: Config, root: string): string[] => {
  const kept = [resolve(root, stateDir), resolve(root, '.git')]
  if (store === undefined || store === 'memory' || isStoreUrl(store)) return kept
  return [...kept, ...['', '-wal', '-shm', '-journal'].map((ending) => `${resolve(root, store)}${ending}`)]
}

/** Writes whole files under the export root, and nothing anywhere else. */
export const exportWriter = (config: Config, root: string) =>
  exportFolder(resolve(root, config.exportRoot), ownPlaces(config, root))

export const graphConfig = ({ allowCycles }: Config) => ({ ...DEFAULT_CONFIG, allowCycles })

export interface OpenBeliefs {
  readonly beliefs: Beliefs
  /** Room that the store takes. */
  readonly bytes: () => Promise<number>
  readonly close: () => Promise<void>
}

export const openBeliefs = async (
  config: Config,
  root: string,
  handshake: Handshake,
): Promise<OpenBeliefs> => {
  // The first graph of that name would leave the gate without a place for its decisions, for good.
  if (config.graph === DECISION_LOG)
    throw beliefFaults.config_invalid(
      `graph: ${DECISION_LOG} holds the decisions of the gate, and no beliefs`,
    )
  const fixed = config.clock === 'deterministic'
  const store = await openStore(config, root)
  try {
    const graphStore = await GraphStore.open({
      store,
      name: config.graph,
      config: graphConfig(config),
      clockMode: config.clock,
      timestamps: fixed ? fixedTimestamps : wallTimestamps(handshake.clock),
      salt: fixed ? fixedSalts : randomSalts,
      logger: handshake.log,
      snapshotEvery: config.snapshotEvery,
    })
    const writeFile = exportWriter(config, root)
    const beliefs = new Beliefs({ graphStore, version: handshake.identity.version, writeFile })
    return {
      beliefs,
      bytes: () => store.bytes(),
      close: async () => {
        await graphStore.close()
        await store.close()
      },
    }
  } catch (cause) {
    await store.close()
    throw cause
  }
}
