import { readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { forEachConcurrent } from '../../kernel/async/concurrency.ts'
import type { Digest } from '../../kernel/encoding/digest.ts'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import { packetFaults } from '../../packets/faults.ts'
import type { PlacedFile } from '../../packets/format/artifact.ts'
import { safeName } from '../../packets/format/reference.ts'
import type { NewObject, ObjectVerdict, OpenBlob, PacketStore, StoredObject } from '../../packets/ports.ts'
import { verifyBytes } from '../../packets/verify-stream.ts'
import { draftName, fsyncDir, sweepDrafts } from '../files/atomic-write.ts'
import { makeFolders } from '../files/make-folders.ts'
import { hideFolder } from '../files/state-folder.ts'
import { diskFault, writeNew } from './drafts.ts'
import { MANIFEST_FILE, objectFiles, verifyStoredPacket } from './verify-stored.ts'

const folderTree = (draft: string, files: NewObject['files']): readonly string[] => [
  ...new Set([draft, ...files.map(({ path }) => dirname(join(draft, path)))]),
]

/** Largest first, so that the last download to end is a short one. */
const bySize = (a: PlacedFile, b: PlacedFile): number => b.descriptor.size - a.descriptor.size

const fillDraft = async (draft: string, object: NewObject, open: OpenBlob): Promise<void> => {
  makeFolders(join(draft, 'payload'), 0o755)
  const files = [...object.files].sort(bySize).map(
    ({ path, descriptor }) =>
      (signal: AbortSignal) =>
        writeNew(join(draft, path), verifyBytes(open(descriptor, signal), descriptor)),
  )
  const manifest = () => writeNew(join(draft, MANIFEST_FILE), [object.manifest])
  await forEachConcurrent([...files, manifest], (write, signal) => write(signal))
  await Promise.all(folderTree(draft, object.files).map(fsyncDir))
}

const folderDigest = (name: string): Digest | undefined =>
  /^sha256_[0-9a-f]{64}$/.test(name) ? name.replace('_', ':') : undefined

const describeObject = async (folder: string, digest: Digest): Promise<StoredObject> => {
  const files = await objectFiles(folder)
  const { mtimeMs } = await stat(join(folder, MANIFEST_FILE))
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  return { digest, files: files.length, bytes, storedAt: Math.round(mtimeMs) }
}

/** The packet store: `cas/` in a packet folder, with a folder for each digest. */
export const packetStore = (root: string): PacketStore => {
  const cas = join(root, 'cas')
  const place = (digest: Digest): string => join(cas, safeName(digest))

  const find = async (digest: Digest): Promise<string | undefined> => {
    const folder = place(digest)
    const whole = await stat(join(folder, MANIFEST_FILE)).then(
      (found) => found.isFile(),
      () => false,
    )
    return whole ? folder : undefined
  }

  const list = async (): Promise<readonly StoredObject[]> => {
    const names = (await readdir(cas).catch(() => [])).sort()
    const found = await Promise.all(
      names.flatMap((name) => {
        const digest = folderDigest(name)
        // Pruned meanwhile.
        return digest === undefined ? [] : describeObject(join(cas, name), digest).catch(() => [])
      }),
    )
    return found.flat()
  }

  const remove = async (digest: Digest): Promise<void> => {
    // Renamed first, so that a reader sees all of it or nothing.
    const draft = join(cas, draftName())
    await rename(place(digest), draft)
    const index = join(root, 'index', safeName(digest))
    for (const one of [draft, index, join(root, 'meta', safeName(digest))])
      await rm(one, { recursive: true, force: true })
  }

  const add = async (object: NewObject, open: OpenBlob): Promise<string> => {
    const there = object.replace ? undefined : await find(object.digest)
    if (there !== undefined) return there
    if (digestBytes(object.manifest) !== object.digest)
      throw packetFaults.mismatch(`the manifest received as ${object.digest} has another digest`)
    const draft = join(cas, draftName())
    try {
      await hideFolder(root)
      makeFolders(cas, 0o755)
      await sweepDrafts(cas)
      await fillDraft(draft, object, open)
      if (object.replace) await remove(object.digest)
      await settle(draft, place(object.digest))
    } catch (cause) {
      await rm(draft, { recursive: true, force: true }).catch(() => {})
      throw diskFault(cause)
    }
    return place(object.digest)
  }

  /** When two processes store the same packet the first rename wins, and both succeed. */
  const settle = async (draft: string, target: string): Promise<void> => {
    const clear = async () => {
      // A folder without a manifest was left by another tool and cannot be verified: replace it.
      if ((await stat(join(target, MANIFEST_FILE)).catch(() => undefined)) !== undefined) return false
      await rm(target, { recursive: true, force: true })
      return true
    }
    await rename(draft, target).catch(async (cause: NodeJS.ErrnoException) => {
      if (!['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(cause.code ?? '')) throw cause
      if (await clear()) await rename(draft, target)
      else await rm(draft, { recursive: true, force: true })
    })
    await fsyncDir(cas)
  }

  return {
    find,
    add,
    list,
    verify: async (digests) => {
      const verdicts: ObjectVerdict[] = []
      await forEachConcurrent([...digests.entries()], async ([at, digest]) => {
        verdicts[at] = { digest, problems: await verifyStoredPacket(place(digest), digest) }
      })
      return verdicts
    },
    prune: async (digests) => {
      for (const folder of [cas, join(root, 'cache/metadata'), join(root, 'cache/metadata_alias')])
        await sweepDrafts(folder)
      const gone = []
      for (const digest of digests) {
        if ((await find(digest)) === undefined) continue
        await remove(digest).catch((cause: unknown) => {
          throw diskFault(cause)
        })
        gone.push(digest)
      }
      return gone
    },
  }
}
