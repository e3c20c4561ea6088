import { link, mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Digest } from '../../kernel/encoding/digest.ts'
import type { Clock } from '../../kernel/ports.ts'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import type { OpenPacket, VectorIndex } from '../../packets/ask/retrieve.ts'
import { fingerprint } from '../../packets/build/fingerprint.ts'
import type { Embedder } from '../../packets/embed.ts'
import { packetFaults } from '../../packets/faults.ts'
import { writeFlatIndex } from '../../packets/format/faiss.ts'
import { type Manifest, readManifest } from '../../packets/format/manifest.ts'
import { safeName } from '../../packets/format/reference.ts'
import { type Matrix, readVectors } from '../../packets/format/vectors.ts'
import { noProgress, type ProgressListener } from '../../packets/progress.ts'
import { IndexedDocs } from '../../packets/search/indexed-docs.ts'
import { FIELD_RANKING } from '../../packets/search/word-fields.ts'
import { withLock } from '../files/file-lock.ts'
import { type OpenedFile, openAsyncJail } from '../jail/async.ts'
import { diskFaults, readChunks, replaceStoreFile } from './drafts.ts'
import { openedSource } from './file-source.ts'
import { MAX_DOCS, Payload } from './payload.ts'
import { type OpenVectors, openVectors } from './vector-file.ts'
import { PacketWords } from './word-index-file.ts'

/** Indexes are opened without a checksum: a crash must not leave one with missing bytes. */
const UNCHECKED = { durable: true }
/** Bytes of the statistics of a quantized row. */
const ROW_FACTS = 12

const openDocs = async (payload: Payload, manifest: Manifest): Promise<OpenedFile> => {
  const docs = await payload.open(manifest.files?.docs ?? 'docs.jsonl')
  if (docs === undefined) throw packetFaults.no_docs('unable to generate index from docs.jsonl')
  if (docs.size <= MAX_DOCS) return docs
  await docs.file.close()
  throw packetFaults.too_large(`docs.jsonl has ${docs.size} bytes`)
}

interface WordPlace {
  readonly path: string
  readonly clock: Clock
  readonly watch: ProgressListener
}

/** Opens the word index, which also knows where the chunks are. */
const openWords = async (payload: Payload, manifest: Manifest, { path, clock, watch }: WordPlace) => {
  const docs = await openDocs(payload, manifest)
  try {
    const words = await PacketWords.open({
      path,
      clock,
      kind: manifest.lexical?.ranking === FIELD_RANKING ? 'fields' : 'plain',
      docs,
      openSparse: () => payload.open('sparse/bm25.json'),
      promised: manifest.counts?.docs,
      progress: (done, total) => watch('index', done, total),
    })
    return { words, docs: new IndexedDocs(openedSource(docs), words) }
  } catch (thrown) {
    await docs.file.close()
    throw thrown
  }
}

/** Hard-links a file into the index folder, or copies it where links are not possible. */
const share = async (from: string, to: string): Promise<void> => {
  await mkdir(dirname(to), { recursive: true })
  await link(from, to).catch(async (cause: NodeJS.ErrnoException) => {
    if (cause.code === 'EEXIST') return
    await replaceStoreFile(to, readChunks(from), UNCHECKED)
  })
}

/** Places the index of a packet in the index folder and returns its path. */
const provideIndex = async (
  payload: Payload,
  target: string,
  manifest: Manifest,
): Promise<string | undefined> => {
  const { files, embedding } = manifest
  if ((await stat(target).catch(() => undefined)) !== undefined) return target
  const index = files?.index?.path ?? 'faiss/index.faiss'
  if ((await payload.size(index)) !== undefined) {
    const original = payload.place(index)
    const shared = share(original, target).then(() => target)
    // Without write permission the packet's own file is used.
    return shared.catch(() => original)
  }
  const halves = await payload.read(files?.vectors?.path ?? 'vectors.f16.bin')
  if (halves === undefined) return undefined
  await replaceStoreFile(target, writeFlatIndex(readVectors(halves, embedding.dim)), UNCHECKED)
  return target
}

interface PacketLocation {
  readonly root: string
  readonly digest: Digest
  readonly manifest: Manifest
}

/** The path of vectors rebuilt with another model. */
const rebuiltIndex = (
  { root, digest, manifest: { embedding } }: PacketLocation,
  model: string,
  dim: number,
): string =>
  join(
    root,
    'index',
    safeName(digest),
    fingerprint({ embedding: { ...embedding, model, dim, normalized: true } }),
    'index.faiss',
  )

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
const BATCH = 256

const embedAll = async (
  { embedder, signal, progress }: VectorRebuild,
  texts: readonly string[],
  dim: number,
): Promise<Matrix> => {
  const values = new Float32Array(texts.length * dim)
  for (let at = 0; at < texts.length; at += BATCH) {
    const part = await embedder.embed(texts.slice(at, at + BATCH), 'document', signal)
    if (part.dim !== dim) throw packetFaults.embedder_answer('the vectors of the server differ in length')
    values.set(part.values, at * dim)
    progress(Math.min(at + BATCH, texts.length), texts.length)
  }
  return { rows: texts.length, dim, values }
}

/**
 * Makes the vectors of another model for a stored packet, once: concurrent processes wait for a lock. The
 * packet itself does not change.
 */
export const rebuildVectors = async (rebuild: VectorRebuild): Promise<void> => {
  const { root, clock, digest, packet, embedder, signal } = rebuild
  const texts: string[] = []
  for await (const { text } of packet.docs) texts.push(text)
  // The path depends on the vector length, which only the server knows.
  const { dim } = await embedder.embed(texts.slice(0, 1), 'document', signal)
  const target = rebuiltIndex({ root, digest, manifest: packet.manifest }, embedder.model, dim)
  const exists = async () => (await stat(target).catch(() => undefined)) !== undefined
  if (await exists()) return
  await withLock(`${target}.lock`, { clock, waitMs: REBUILD_MS }, async () => {
    if (await exists()) return
    await replaceStoreFile(target, writeFlatIndex(await embedAll(rebuild, texts, dim)), UNCHECKED)
  })
}

export const packetReader =
  (root: string, clock: Clock, open: OpenVectors = (files, shape) => openVectors(files, shape, clock)) =>
  async (digest: Digest, folder: string, watch = noProgress): Promise<OpenPacket> => {
    // In read-only mode the indexes are kept elsewhere than the packet.
    const jail = openAsyncJail(isPathInside(root, folder) ? root : dirname(dirname(folder)))
    const payload = new Payload(jail, folder)
    const bytes = await payload.read('manifest.json')
    if (bytes === undefined) throw diskFaults.absent('the packet has no manifest.json')
    const manifest = readManifest(bytes)
    const place = join(root, 'index', safeName(digest), fingerprint(manifest))
    const { words, docs } = await openWords(payload, manifest, {
      path: join(place, 'words.bin'),
      clock,
      watch,
    })
    const { dim } = manifest.embedding
    const openOwn = async (): Promise<VectorIndex | undefined> => {
      const index = dim > 0 ? await provideIndex(payload, join(place, 'index.faiss'), manifest) : undefined
      if (index === undefined) return undefined
      return open({ index, table: join(place, 'index.i8') }, { rows: docs.rows, dim })
    }
    const vectors = await openOwn().catch(async (thrown: unknown) => {
      await words.close()
      throw thrown
    })
    const others = new Map<string, Promise<VectorIndex | undefined>>()
    const openOther = async (model: string, dim: number): Promise<VectorIndex | undefined> => {
      const index = rebuiltIndex({ root, digest, manifest }, model, dim)
      if ((await stat(index).catch(() => undefined)) === undefined) return undefined
      return open({ index, table: join(dirname(index), 'index.i8') }, { rows: docs.rows, dim })
    }
    return {
      manifest,
      docs,
      lexical: words,
      ...(vectors !== undefined && { vectors }),
      warnings: words.warnings,
      bytes: words.bytes + (vectors === undefined ? 0 : docs.rows * (dim + ROW_FACTS)),
      rebuilt: async (model, dim) => {
        const key = JSON.stringify([model, dim])
        const opening = others.get(key) ?? openOther(model, dim)
        others.set(key, opening)
        const found = await opening.catch((thrown: unknown) => {
          others.delete(key)
          throw thrown
        })
        // Absence is not cached: another process may be rebuilding.
        if (found === undefined) others.delete(key)
        return found
      },
      rebuild: (embedder, signal, watch) => {
        const progress = (done: number, total: number) => watch('embed', done, total)
        return rebuildVectors({ root, clock, digest, packet: { manifest, docs }, embedder, signal, progress })
      },
      close: () => {
        vectors?.close()
        void words.close().catch(() => {})
        // An index that failed to open was reported by the call that needed it.
        for (const other of others.values()) other.then((one) => one?.close()).catch(() => {})
      },
    }
  }
