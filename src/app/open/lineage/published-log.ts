import { lazyAsync } from '../../../kernel/async/once.ts'
import { type CheckpointSigner, checkpointSigner } from '../../../lineage/checkpoint.ts'
import { CheckpointSource } from '../../../lineage/checkpoint-source.ts'
import { DECISION_LOG, logOrigin } from '../../../lineage/origin.ts'
import type { LogReader } from '../../../lineage/store.ts'
import { parseTilePath, readTile } from '../../../lineage/tlog/tiles.ts'
import type { Config } from '../../config/settings.ts'
import { findReceiptSigner, noteKeyOf, openReceiptSigner } from '../receipts/signing-key.ts'
import { locateDecisions, openStore } from '../store.ts'
import { logMemory } from '../user-state.ts'

interface PublishedLog {
  readonly log: LogReader
  readonly signer: CheckpointSigner
  readonly checkpoints: CheckpointSource
}

/** A log that is published, opened by the first request. Nothing here changes the log. */
export const openPublishedLog = (config: Config, root: string, name: string) => {
  const place = lazyAsync(async () => (name === DECISION_LOG ? locateDecisions(config, root) : root))
  const store = lazyAsync(async () => openStore(config, await place.get()))
  let published: PublishedLog | undefined
  /** Undefined while there is no log, or no key in read-only mode, where none is created. Both may come later. */
  const get = async (): Promise<PublishedLog | undefined> => {
    if (published !== undefined) return published
    const log = await (await store.get()).find(name)
    if (log === undefined || (await log.head()).size === 0) return undefined
    const folder = await place.get()
    const key = await (config.readOnly ? findReceiptSigner : openReceiptSigner)(config, folder)
    if (key === undefined) return undefined
    const signer = checkpointSigner(await logOrigin(name, log), noteKeyOf(key))
    const memory = logMemory(config, folder, name)
    published ??= { log, signer, checkpoints: new CheckpointSource({ log, signer, memory }) }
    return published
  }
  return { get, close: async () => (await store.peek())?.close() }
}

/** The same for the routes of a server. */
export const publishedFiles = (published: ReturnType<typeof openPublishedLog>) => ({
  checkpoint: async (): Promise<string | undefined> =>
    (await (await published.get())?.checkpoints.newest())?.note,
  /** The bytes of a tile or an entry bundle by its path. */
  tile: async (path: string): Promise<Buffer | undefined> => {
    const tile = parseTilePath(path)
    const { log } = (tile && (await published.get())) ?? {}
    return tile && log && readTile(log, tile, (await log.head()).size)
  },
})
