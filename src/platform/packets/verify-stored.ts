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

/** More than any manifest or metadata has. */
const MAX_BYTES = 64 * 1024 * 1024

/** The manifest as the registry gave it; its hash is the name of the folder. */
export const MANIFEST_FILE = 'oci-manifest.json'

export interface ObjectFile {
  readonly path: string
  readonly size: number
  readonly plain: boolean
}

/** Every file below a folder, links not followed. */
export const objectFiles = async (folder: string, below = ''): Promise<readonly ObjectFile[]> => {
  const entries = await readdir(join(folder, below), { withFileTypes: true })
  const found = await Promise.all(
    entries.map(async (entry): Promise<readonly ObjectFile[]> => {
      const path = below === '' ? entry.name : `${below}/${entry.name}`
      if (entry.isDirectory()) return objectFiles(folder, path)
      return [{ path, size: (await lstat(join(folder, path))).size, plain: entry.isFile() }]
    }),
  )
  return found.flat().sort((a, b) => (a.path < b.path ? -1 : 1))
}

const judgeFile = async (folder: string, { path, descriptor }: PlacedFile): Promise<readonly string[]> => {
  try {
    for await (const _ of verifyBytes(createReadStream(join(folder, path)), descriptor));
    return []
  } catch (cause) {
    return [`${path}: ${cause instanceof Fault ? cause.message : 'cannot be read'}`]
  }
}

/** What the manifest says must be here. The payload's root is in the metadata, which it pins as well. */
const promised = async (folder: string, manifest: Uint8Array): Promise<readonly PlacedFile[]> => {
  const document = readArtifact(manifest)
  if (document.kind === 'index') return []
  const metadata = await readRegularFile(join(folder, METADATA_FILE), MAX_BYTES).catch(() => undefined)
  return placeFiles(
    document.artifact,
    metadata === undefined ? 'payload' : readMetadata(metadata).payload_root,
  )
}

/** Everything wrong with a stored packet. It shares only the hash with the code that wrote it. */
export const verifyStoredPacket = async (folder: string, digest: Digest): Promise<readonly string[]> => {
  const manifest = await readRegularFile(join(folder, MANIFEST_FILE), MAX_BYTES).catch(() => undefined)
  if (manifest === undefined) return ['it is not here']
  if (digestBytes(manifest) !== digest) return [`${MANIFEST_FILE}: not the manifest of this digest`]
  try {
    const files = await promised(folder, manifest)
    const known = new Set([MANIFEST_FILE, ...files.map(({ path }) => path)])
    const present = await objectFiles(folder)
    // Only plain files are opened: a link leads elsewhere, and a pipe would never end.
    const plain = new Set(present.filter((one) => one.plain).map(({ path }) => path))
    const problems: (readonly string[])[] = []
    // A few at a time: what cannot be opened for want of descriptors would count as damaged.
    await forEachConcurrent([...files.entries()], async ([at, file]) => {
      problems[at] = plain.has(file.path) ? await judgeFile(folder, file) : [`${file.path}: is missing`]
    })
    const unknown = present.filter(({ path }) => !known.has(path) || !plain.has(path))
    return [...problems.flat(), ...unknown.map(({ path }) => `${path}: does not belong here`)]
  } catch (cause) {
    if (cause instanceof Fault) return [cause.message]
    throw cause
  }
}
