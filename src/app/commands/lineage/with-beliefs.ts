import { resolve } from 'node:path'
import type { Beliefs } from '../../../beliefs/beliefs.ts'
import { storeFaults } from '../../../lineage/faults.ts'
import type { LineageLog, LogStore } from '../../../lineage/store.ts'
import type { Invocation } from '../../../surfaces/cli/command.ts'
import { openStore } from '../../open/store.ts'
import { assembleServer, loadSettings } from '../../process-context.ts'

/**
 * Opens the graph the settings name, for as long as `work` takes. One that is not there is not made: to an
 * operator who mistyped its name it would look empty and healthy.
 */
export const withBeliefs = async (
  invocation: Invocation,
  work: (beliefs: Beliefs) => Promise<number>,
): Promise<number> => {
  await withLog(invocation, async () => 0)
  const { beliefs, close } = await assembleServer(loadSettings(invocation))
  try {
    return await work(await beliefs())
  } finally {
    await close()
  }
}

/** The same for the store alone. */
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

/** The same for the log alone, whatever was recorded in it. */
export const withLog = (
  invocation: Invocation,
  work: (log: LineageLog) => Promise<number>,
): Promise<number> =>
  withStore(invocation, async (store) => {
    const { graph } = loadSettings(invocation).config
    const log = await store.find(graph)
    if (log === undefined) throw storeFaults.unknown(`there is no graph ${JSON.stringify(graph)} here`)
    return work(log)
  })
