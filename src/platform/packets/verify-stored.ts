import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { forEachConcurrent } from '../../kernel/async/concurrency.ts'
import type { Digest } from '../../kernel/encoding/digest.ts'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import { Fault } from '../../kernel/fault.ts'
import { packetFaults } from '../../packets/faults.ts'
import { METADATA_FILE, type PlacedFile, placeFiles, readArtifact } from '../../packets/format/artifact.ts'
import { readMetadata } from '../../packets/format/metadata.ts'
import { safeName } from '../../packets/format/reference.ts'
import { confineAll } from '../../packets/format/safe-path.ts'
import { verifyBytes } from '../../packets/verify-stream.ts'
import { readRegularFile } from '../jail/async.ts'
import { diskFault, replaceStoreFile } from './drafts.ts'

const MAX_BYTES = 64 * 1024 * 1024

/** The manifest as the registry sent it; its digest is the folder's name. */
export const MANIFEST_FILE = 'oci-manifest.json'

interface ObjectFile {
  readonly path: string
  readonly size: number
  readonly regular: boolean
}

/** All files below a folder. Symlinks are not followed. */
export const objectFiles = async (folder: string, below = ''): Promise<readonly ObjectFile[]> => {
  const entries = await readdir(join(folder, below), { withFileTypes: true })
  const found = await Promise.all(
    entries.map(async (entry): Promise<readonly ObjectFile[]> => {
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory()) return objectFiles(folder, path)
      return [{ path, size: (await lstat(join(folder, path))).size, regular: entry.isFile() }]
    }),
  )
  return found.flat().sort((a, b) => (a.path < b.path ? -1 : 1))
}

const verifyFile = async (folder: string, { path, descriptor }: PlacedFile): Promise<readonly string[]> => {
  try {
    for await (const _ of verifyBytes(createReadStream(join(folder, path)), descriptor));
    return []
  } catch (cause) {
    return [`${path}: ${cause instanceof Fault ? cause.message : 'cannot be read'}`]
  }
}

/** The files that the manifest lists. The payload root comes from the metadata, which the manifest pins too. */
const expectedFiles = async (folder: string, manifest: Uint8Array): Promise<readonly PlacedFile[]> => {
  const document = readArtifact(manifest)
  if (document.kind === 'index') return []
  const metadata = await readRegularFile(join(folder, METADATA_FILE), MAX_BYTES).catch(() => undefined)
  return placeFiles(
    document.artifact,
    metadata === undefined ? 'payload' : readMetadata(metadata).payload_root,
  )
}

/** The problems of a stored packet. Independent of the code that wrote it, except for the hash. */
export const verifyStoredPacket = async (folder: string, digest: Digest): Promise<readonly string[]> => {
  const manifest = await readRegularFile(join(folder, MANIFEST_FILE), MAX_BYTES).catch(() => undefined)
  if (manifest === undefined) return ['it is not here']
  if (digestBytes(manifest) !== digest) return [`${MANIFEST_FILE}: is not the manifest of this digest`]
  try {
    const files = await expectedFiles(folder, manifest)
    const known = new Set([MANIFEST_FILE, ...files.map(({ path }) => path)])
    const present = await objectFiles(folder)
    // Only regular files are opened: a symlink leads elsewhere, and a FIFO would block.
    const regular = new Set(present.filter((one) => one.regular).map(({ path }) => path))
    const problems: (readonly string[])[] = []
    // With limited concurrency: running out of descriptors would look like damage.
    await forEachConcurrent([...files.entries()], async ([at, file]) => {
      problems[at] = regular.has(file.path) ? await verifyFile(folder, file) : [`${file.path}: is missing`]
    })
    const unknown = present.filter(({ path }) => !known.has(path) || !regular.has(path))
    return [...problems.flat(), ...unknown.map(({ path }) => `${path}: does not belong to the packet`)]
  } catch (cause) {
    if (cause instanceof Fault) return [cause.message]
    throw cause
  }
}

const STAMP_BYTES = 64

/**
 * A stamp of the packet's files from inode numbers and ctimes, which cannot be forged by copying: a copy, a
 * checkout or any write changes it.
 */
const computeStamp = async (folder: string): Promise<string> => {
  const hash = createHash('sha256')
  const files = await objectFiles(folder)
  // A packet may have been stored before these checks existed.
  confineAll(files.map(({ path }) => path))
  for (const { path } of files) {
    const { dev, ino, size, ctimeNs } = await lstat(join(folder, path), { bigint: true })
    hash.update(JSON.stringify([path, ...[dev, ino, size, ctimeNs].map(String)]))
  }
  return hash.digest('hex')
}

/**
 * Verifies stored packets against their digest. A store may come from a repository or a backup: a packet that
 * this process did not download is hashed before use, and stamped, so that the next process need not repeat it.
 */
export const verifiedStamps = (root: string) => {
  const stampFile = (digest: Digest) => join(root, 'index', safeName(digest), 'seal')
  const verdicts = new Map<Digest, Promise<readonly string[]>>()

  const verify = async (digest: Digest, folder: string): Promise<readonly string[]> => {
    const stored = await readRegularFile(stampFile(digest), STAMP_BYTES).catch(() => undefined)
    return stored?.toString('utf8') === (await computeStamp(folder)) ? [] : verifyStoredPacket(folder, digest)
  }

  /** Call after the index was hard-linked: linking changes the ctime that the stamp covers. */
  const stamp = async (digest: Digest, folder: string): Promise<void> => {
    const computed = await computeStamp(folder)
    const kept = await readRegularFile(stampFile(digest), STAMP_BYTES).catch(() => undefined)
    if (kept?.toString('utf8') === computed) return
    // Not durable: without its stamp a packet is verified again.
    await replaceStoreFile(stampFile(digest), Buffer.from(computed), { durable: false })
  }

  return {
    /** It was verified while it was downloaded. */
    arrived: (digest: Digest): void => void verdicts.set(digest, Promise.resolve([])),

    check: async (digest: Digest, folder: string): Promise<void> => {
      const verdict = verdicts.get(digest) ?? verify(digest, folder)
      verdicts.set(digest, verdict)
      const problem = await verdict.then(
        ([first]) => first,
        (cause: unknown) => {
          verdicts.delete(digest)
          throw diskFault(cause)
        },
      )
      if (problem === undefined) return
      // It may be repaired before the next call.
      verdicts.delete(digest)
      throw packetFaults.mismatch(`the stored packet differs from its digest: ${problem}`)
    },

    /** Whether a stored packet is what its digest says. An intact one is stamped, so that the next check is quick. */
    isIntact: async (digest: Digest, folder: string): Promise<boolean> => {
      const problems = await verify(digest, folder).catch((cause: unknown) => {
        throw diskFault(cause)
      })
      // When the stamp cannot be written, the next check takes longer.
      if (problems.length === 0) await stamp(digest, folder).catch(() => {})
      return problems.length === 0
    },

    stamp,
  }
}
