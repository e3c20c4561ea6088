import { resolve } from 'node:path'
import type { Beliefs } from '../../../beliefs/beliefs.ts'
import { storeFaults } from '../../../lineage/faults.ts'
import type { LineageLog, LogStore } from '../../../lineage/store.ts'
import type { Invocation } from '../../../surfaces/cli/command.ts'
import { openStore } from '../../open/store.ts'
import { loadServer, loadSettings } from '../../process-context.ts'

/**
 * Opens the configured graph while `work` runs. A graph that does not exist is not created: a mistyped name would
 * look like an empty, healthy graph.
 */
export const withBeliefs = async (
  invocation: Invocation,
  work: (beliefs: Beliefs) => Promise<number>,
): Promise<number> => {
  await withLog(invocation, async () => 0)
  const { beliefs, close } = await loadServer(loadSettings(invocation))
  try {
    return await work(await beliefs())
  } finally {
    await close()
  }
}

/** Opens the configured store while `work` runs. */
export const withStore = async (
  invocation: Invocation,
  work: (store: LogStore) => Promise<number>,
): Promise<number> => {
  const { config } = loadSettings(invocation)
  const store = await openStore(config, resolve(config.root))
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** Opens the log of the configured graph while `work` runs. */
export const withLog = (
  invocation: Invocation,
  work: (log: LineageLog) => Promise<number>,
): Promise<number> =>
  withStore(invocation, async (store) => {
    const { graph } = loadSettings(invocation).config
    const log = await store.find(graph)
    if (log === undefined)
      throw storeFaults.unknown(`there is no graph ${JSON.stringify(graph)} in this store`)
    return work(log)
  })
