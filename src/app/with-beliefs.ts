import { resolve } from 'node:path'
import type { Beliefs } from '../beliefs/beliefs.ts'
import type { LogStore } from '../lineage/store.ts'
import type { Invocation } from '../surfaces/cli/command.ts'
import { openStore } from './open-store.ts'
import { assembleHere, loadSettings } from './world.ts'

/** Opens the graph the settings name, for as long as `work` takes. */
export const withBeliefs = async (
  invocation: Invocation,
  work: (beliefs: Beliefs) => Promise<number>,
): Promise<number> => {
  const { beliefs, close } = await assembleHere(loadSettings(invocation))
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
