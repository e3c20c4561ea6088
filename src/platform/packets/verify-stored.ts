import { createReadStream } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { forEachConcurrent } from '../../kernel/async/concurrency.ts'
import type { Digest } from '../../kernel/encoding/digest.ts'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import { Fault } from '../../kernel/fault.ts'
import { METADATA_FILE, type PlacedFile, placeFiles, readArtifact } from '../../packets/format/artifact.ts'
import { readMetadata } from '../../packets/format/metadata.ts'
import { verifyBytes } from '../../packets/verify-stream.ts'
import { readRegularFile } from '../jail/async.ts'

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
