import { link, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Digest } from '../../../kernel/encoding/digest.ts'
import type { Clock } from '../../../kernel/ports.ts'
import type { OpenPacket } from '../../../packets/ask/retrieve.ts'
import { embedWindows, scaledVector } from '../../../packets/build/embed-docs.ts'
import { WindowInputs } from '../../../packets/build/window-inputs.ts'
import type { Embedder } from '../../../packets/embed.ts'
import { packetFaults } from '../../../packets/faults.ts'
import { FLAT_HEADER, memorySource, writeFlatIndex } from '../../../packets/format/faiss.ts'
import { fingerprint, type Manifest } from '../../../packets/format/manifest.ts'
import { safeName } from '../../../packets/format/reference.ts'
import { readVectors, readWindowRows, writeWindowRows } from '../../../packets/format/vectors.ts'
import { ByteWriter } from '../../../packets/search/varint.ts'
import { searchByWindow, type VectorIndex } from '../../../packets/search/vector-index.ts'
import { withLock } from '../../files/file-lock.ts'
import { makeFolders } from '../../files/make-folders.ts'
import { readRegularFile } from '../../jail/async.ts'
import { readChunks, replaceStoreFile } from '../drafts.ts'
import { MAX_DOCS, type Payload } from '../payload.ts'
import type { OpenVectors } from './vector-file.ts'

/** Indexes are opened without a checksum: a crash must not leave one with missing bytes. */
const UNCHECKED = { durable: true }

/** Hard-links a file into the index folder, or copies it where links are not possible. */
const share = async (from: string, to: string): Promise<void> => {
  makeFolders(dirname(to))
  await link(from, to).catch(async (cause: NodeJS.ErrnoException) => {
    if (cause.code === 'EEXIST') return
    await replaceStoreFile(to, readChunks(from), UNCHECKED)
  })
}

/** Places an index of a packet in the index folder and returns its path; undefined when the packet has none. */
const provideIndex = async (payload: Payload, target: string, path: string): Promise<string | undefined> => {
  if ((await stat(target).catch(() => undefined)) !== undefined) return target
  if ((await payload.size(path)) === undefined) return undefined
  const original = payload.place(path)
  const shared = share(original, target).then(() => target)
  // Without write permission the packet's own file is used.
  return shared.catch(() => original)
}

/** The index of a packet with one vector for each row, made from the half-precision vectors where it is missing. */
const provideRowIndex = async (
  payload: Payload,
  target: string,
  { files, embedding }: Manifest,
): Promise<string | undefined> => {
  const index = await provideIndex(payload, target, files?.index?.path ?? 'faiss/index.faiss')
  if (index !== undefined) return index
  const halves = await payload.read(files?.vectors?.path ?? 'vectors.f16.bin')
  if (halves === undefined) return undefined
  await replaceStoreFile(target, writeFlatIndex(readVectors(halves, embedding.dim)), UNCHECKED)
  return target
}

interface VectorPlaces {
  readonly root: string
  readonly digest: Digest
  readonly manifest: Manifest
  readonly rows: number
  readonly open: OpenVectors
}

/** The vectors of windows, where the packet has them. */
const openWindows = async (
  payload: Payload,
  place: string,
  { manifest, rows, open }: VectorPlaces,
): Promise<VectorIndex | undefined> => {
  const { files, counts, embedding } = manifest
  if (files?.windows == null) return undefined
  const bytes = await payload.read(files.windows.rows)
  const index = await provideIndex(payload, join(place, 'windows.faiss'), files.windows.path)
  if (bytes === undefined || index === undefined) return undefined
  const windows = counts?.windows ?? 0
  const firsts = readWindowRows(bytes, rows, windows)
  const vectors = await open(
    { index, table: join(place, 'windows.i8') },
    { rows: windows, dim: embedding.dim },
  )
  return searchByWindow(vectors, firsts)
}

/** The vectors that were published with a packet; undefined when there are none. */
export const openOwnVectors = async (
  payload: Payload,
  place: string,
  location: VectorPlaces,
): Promise<VectorIndex | undefined> => {
  const { manifest, rows, open } = location
  const { dim } = manifest.embedding
  if (dim === 0) return undefined
  // Also where windows are searched: other programs take a packet with this file for one that is ready.
  const index = await provideRowIndex(payload, join(place, 'index.faiss'), manifest)
  const windows = await openWindows(payload, place, location)
  if (windows !== undefined) return windows
  return index === undefined ? undefined : open({ index, table: join(place, 'index.i8') }, { rows, dim })
}

/** The folder of vectors rebuilt with another model. */
const rebuiltFolder = (
  { root, digest, manifest: { embedding } }: Pick<VectorPlaces, 'root' | 'digest' | 'manifest'>,
  model: string,
  dim: number,
): string =>
  join(
    root,
    'index',
    safeName(digest),
    fingerprint({ embedding: { ...embedding, model, dim, normalized: true } }),
  )

/** Opens vectors that were rebuilt with another model; undefined when there are none. */
export const openRebuilt = async (
  location: VectorPlaces,
  model: string,
  dim: number,
): Promise<VectorIndex | undefined> => {
  const folder = rebuiltFolder(location, model, dim)
  const index = join(folder, 'index.faiss')
  const found = await stat(index).catch(() => undefined)
  if (found === undefined) return undefined
  const { rows, open } = location
  const files = { index, table: join(folder, 'index.i8') }
  const bytes = await readRegularFile(join(folder, 'windows.bin'), MAX_DOCS).catch(() => undefined)
  if (bytes === undefined) return open(files, { rows, dim })
  const windows = Math.floor((found.size - FLAT_HEADER) / (4 * dim))
  return searchByWindow(await open(files, { rows: windows, dim }), readWindowRows(bytes, rows, windows))
}

interface VectorRebuild {
  readonly root: string
  readonly clock: Clock
  readonly digest: Digest
  readonly packet: Pick<OpenPacket, 'manifest' | 'docs'>
  readonly embedder: Embedder
  readonly signal: AbortSignal
  readonly progress: (done: number, total: number) => void
}

const REBUILD_MS = 600_000

/** The windows of all chunks of a packet, and the text of the first one. */
const collectWindows = async ({ packet, embedder }: VectorRebuild) => {
  const scratch = new ByteWriter()
  const inputs = new WindowInputs(embedder, { write: (bytes) => scratch.append(bytes), end: () => {} })
  const sample: string[] = []
  for await (const doc of packet.docs) {
    inputs.add(doc)
    if (sample.length === 0) sample.push(doc.text)
  }
  return { inputs, scratch: memorySource(scratch.written), sample }
}

/**
 * Makes the vectors of another model for a stored packet, once: concurrent processes wait for a lock. The
 * packet itself does not change.
 */
export const rebuildVectors = async (rebuild: VectorRebuild): Promise<void> => {
  const { root, clock, digest, packet, embedder, signal, progress } = rebuild
  const { inputs, scratch, sample } = await collectWindows(rebuild)
  // The path depends on the vector length, which only the server knows.
  const { dim } = await embedder.embed(sample, 'document', signal)
  const folder = rebuiltFolder({ root, digest, manifest: packet.manifest }, embedder.model, dim)
  const target = join(folder, 'index.faiss')
  const exists = async () => (await stat(target).catch(() => undefined)) !== undefined
  if (await exists()) return
  await withLock(`${target}.lock`, { clock, waitMs: REBUILD_MS }, async () => {
    if (await exists()) return
    const { windows, firsts } = inputs
    const values = new Float32Array(windows * dim)
    let next = 0
    for await (const group of embedWindows(inputs, scratch, { embedder, progress }, signal))
      for (const window of group) {
        if (window.vector.length !== dim)
          throw packetFaults.embedder_answer('the vectors of the server differ in length')
        values.set(scaledVector(window), next)
        next += dim
      }
    // The index last: it shows that the vectors are complete.
    if (windows !== firsts.length)
      await replaceStoreFile(join(folder, 'windows.bin'), writeWindowRows(firsts), UNCHECKED)
    await replaceStoreFile(target, writeFlatIndex({ rows: windows, dim, values }), UNCHECKED)
  })
}
