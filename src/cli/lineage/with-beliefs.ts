import { resolve } from 'node:path'
import { locateRepository } from '../../app/open/repository.ts'
import { locateDecisions, openStore } from '../../app/open/store.ts'
import { logMemory } from '../../app/open/user-state.ts'
import { loadServer, loadSettings } from '../../app/process-context.ts'
import type { Beliefs } from '../../beliefs/beliefs.ts'
import { nameLog, storeFaults } from '../../lineage/faults.ts'
import { DECISION_LOG } from '../../lineage/origin.ts'
import type { LineageLog, LogStore } from '../../lineage/store.ts'
import type { Invocation } from '../command/command.ts'

/**
 * Opens the configured graph while `work` runs. A graph that does not exist is not created: a mistyped name would
 * look like an empty, healthy graph.
 */
export const withBeliefs = async <T>(
  invocation: Invocation,
  work: (beliefs: Beliefs) => Promise<T>,
): Promise<T> => {
  await withLog(invocation, async () => 0)
  const { beliefs, close } = await loadServer(loadSettings(invocation))
  try {
    return await work(await beliefs())
  } finally {
    await close()
  }
}

/** The folder of the configured log: that of decisions is at the top of the repository. */
export const logFolder = async (invocation: Invocation): Promise<string> => {
  const { config } = loadSettings(invocation)
  const folder = resolve(config.root)
  return config.graph === DECISION_LOG ? locateDecisions(config, folder) : folder
}

/** Opens the configured store while `work` runs. */
export const withStore = async <T>(
  invocation: Invocation,
  work: (store: LogStore) => Promise<T>,
): Promise<T> => {
  const { config } = loadSettings(invocation)
  const store = await openStore(config, await logFolder(invocation))
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

/** The log of decisions of the repository around the root, or the log of the graph that the operator names. */
export const locateLog = async (
  invocation: Invocation,
): Promise<{ readonly name: string; readonly root: string }> => {
  const { config, sources } = loadSettings(invocation)
  const folder = resolve(config.root)
  const name = sources.get('graph') === 'default' ? DECISION_LOG : config.graph
  // Commands of the gate keep the log at the top of the repository.
  const root = name === DECISION_LOG ? ((await locateRepository(config, folder)) ?? folder) : folder
  return { name, root }
}

/** Opens that log while `work` runs. It may not exist. */
export const withOptionalLog = async (
  invocation: Invocation,
  work: (log: LineageLog | undefined, name: string) => Promise<number>,
): Promise<number> => {
  const { config } = loadSettings(invocation)
  const { name, root } = await locateLog(invocation)
  const store = await openStore(config, root)
  try {
    return await work(await store.find(name), name)
  } finally {
    await store.close()
  }
}

/** The same for a log that has to exist. */
export const withAuditLog = (
  invocation: Invocation,
  work: (log: LineageLog, name: string) => Promise<number>,
): Promise<number> =>
  withOptionalLog(invocation, (log, name) => {
    if (log === undefined) throw storeFaults.unknown(`there is no log ${JSON.stringify(name)} in this store`)
    return work(log, name)
  })

/** What a person does about a log that does not verify. */
export const mendFix = (graph: string): string => nameLog(storeFaults.damaged(''), graph).fix

/** The fault for a log that is not there: it never was, or it is gone. */
export const absentLog = async (invocation: Invocation) => {
  const { config } = loadSettings(invocation)
  const { graph } = config
  const seen = await logMemory(config, await logFolder(invocation), graph).read()
  return seen?.size
    ? storeFaults.changed(`the log is gone: this machine saw ${seen.size} entries of it`)
    : storeFaults.unknown(`there is no graph ${JSON.stringify(graph)} in this store`)
}

/** Opens the log of the configured graph while `work` runs. */
export const withLog = <T>(
  invocation: Invocation,
  work: (log: LineageLog, store: LogStore) => Promise<T>,
): Promise<T> =>
  withStore(invocation, async (store) => {
    const log = await store.find(loadSettings(invocation).config.graph)
    if (log === undefined) throw await absentLog(invocation)
    return work(log, store)
  })
