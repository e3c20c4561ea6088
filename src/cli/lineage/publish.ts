import { resolve } from 'node:path'
import { openPublishedLog } from '../../app/open/lineage/published-log.ts'
import { loadSettings } from '../../app/process-context.ts'
import { defineFaults } from '../../kernel/fault.ts'
import { storeFaults } from '../../lineage/faults.ts'
import { rootAt } from '../../lineage/proof.ts'
import type { LogReader } from '../../lineage/store.ts'
import { openSignedCheckpoint } from '../../lineage/tlog/note.ts'
import { isFullTile, partialFolder, readTile, tilePath, tilesOf } from '../../lineage/tlog/tiles.ts'
import { withPublishedFolder } from '../../platform/files/published-folder.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { usageFaults } from '../command/command.ts'
import type { Subcommand } from '../command/subcommand.ts'
import { printProof } from './proofs.ts'
import { locateLog } from './with-beliefs.ts'

export const publishFaults = defineFaults('publish', {
  occupied: {
    kind: 'conflict',
    fix: 'Publish to an empty folder, or to one that this machine published the same log to.',
  },
})

const CHECKPOINT = 'checkpoint'
const MAX_NOTE_BYTES = 256 * 1024

interface NewCheckpoint {
  readonly origin: string
  readonly verifier: string
  readonly size: number
  readonly root: string
}

/** Refuses to replace a checkpoint that the log does not continue. Returns the size that is published already. */
const checkPublished = async (
  log: LogReader,
  note: string,
  { origin, verifier, size, root }: NewCheckpoint,
): Promise<number> => {
  const older = openSignedCheckpoint(note, [verifier])
  if (older === undefined)
    throw publishFaults.occupied('the folder has a checkpoint that the key of this machine did not sign')
  if (older.origin !== origin)
    throw publishFaults.occupied(`the folder has the log ${older.origin}, and this one is ${origin}`)
  const both = `${older.size} ${older.root} is published, the log has ${size} ${root}`
  if (older.size > size) throw storeFaults.changed(`the log was cut: ${both}`)
  if ((await rootAt(log, older.size)).root !== older.root)
    throw storeFaults.changed(`the log was rewritten: ${both}`)
  return older.size
}

/** Writes a log as tiles: what is new of it, then the checkpoint that needs them. */
export const publishLog: Subcommand = async (invocation, [path]) => {
  if (path === undefined) throw usageFaults.argument('name the folder to write: lineage publish DIR')
  const { config } = loadSettings(invocation)
  const { name, root } = await locateLog(invocation)
  const published = openPublishedLog(config, root, name)
  try {
    const opened = await published.get()
    if (opened === undefined)
      throw storeFaults.unknown(`there is no log ${JSON.stringify(name)} in this store`)
    const { log, signer, checkpoints } = opened
    const { note, ...newest } = await checkpoints.newest()
    const origin = signer.name
    return await withPublishedFolder(
      { root, path: resolve(config.root, path), clock: systemClock },
      async (folder) => {
        const existing = (await folder.read(CHECKPOINT, MAX_NOTE_BYTES))?.toString('utf8')
        const before =
          existing === undefined
            ? undefined
            : await checkPublished(log, existing, { ...newest, origin, verifier: signer.verifier })
        let written = 0
        const full: string[] = []
        for (const tile of tilesOf(newest.size)) {
          if (await folder.has(tilePath(tile))) continue
          const bytes = await readTile(log, tile, newest.size)
          if (bytes === undefined) throw storeFaults.damaged(`the log has no ${tilePath(tile)}`)
          await folder.write(tilePath(tile), bytes)
          written += 1
          if (isFullTile(tile)) full.push(partialFolder(tile))
        }
        // Last, so that a reader never finds a checkpoint whose tiles are missing.
        if (before !== newest.size) await folder.write(CHECKPOINT, note)
        for (const partial of full) await folder.remove(partial)
        return printProof(invocation, {
          outcome: 'published',
          path,
          origin,
          ...newest,
          written,
          verifier: signer.verifier,
        })
      },
    )
  } finally {
    await published.close()
  }
}
