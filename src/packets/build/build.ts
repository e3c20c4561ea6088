import { createHash } from 'node:crypto'
import type { Fault } from '../../kernel/fault.ts'
import type { Embedder } from '../embed.ts'
import { packetFaults } from '../faults.ts'
import { inferTags, writeCard } from '../format/card.ts'
import { type Doc, writeDocs } from '../format/docs.ts'
import { writeFlatIndex } from '../format/faiss.ts'
import { type Lock, lockDrift, writeLock } from '../format/lockfile.ts'
import { writeManifest } from '../format/manifest.ts'
import { checkPacketName, versionTag } from '../format/reference.ts'
import { writeVectors } from '../format/vectors.ts'
import { writeWindowRows } from '../format/windows.ts'
import { writeSparse } from '../search/sparse-file.ts'
import { buildLock, buildManifest, EPOCH, WINDOW_FILES } from './build-records.ts'
import { CHUNK_SIZES, type ChunkSizes, chunkText, type Span } from './chunk.ts'
import { tryEmbedding } from './embed-docs.ts'

/** A file to be packed, with its path relative to the source folder. */
export interface SourceFile {
  readonly path: string
  readonly extension: string
  readonly text: string
  readonly sha256: string
  /** Starts of functions, classes or sections; empty when unknown. */
  readonly spans: readonly Span[]
}

export interface BuildOptions {
  readonly name: string
  readonly version: string
  readonly description?: string
  readonly kind?: string
  readonly capabilities?: readonly string[]
  readonly compat?: {
    readonly os?: string[]
    readonly arch?: string[]
    readonly cpm_min_version?: string
  }
  readonly sizes?: ChunkSizes
  /** Value of `created_at`. Not the current time: the same sources must give the same packet. */
  readonly createdAt?: string
  readonly embedder: Embedder
  readonly builderVersion: string
  /** Vectors of an earlier build by the hash of their text. */
  readonly known?: ReadonlyMap<string, Float32Array>
  readonly progress?: (done: number, total: number) => void
  /** The lock of an earlier build. `lock` says how strictly it applies. */
  readonly held?: Lock
  readonly lock?: 'keep' | 'update' | 'frozen'
}

interface BuiltPacket {
  /** Every file of the packet, by its path. */
  readonly files: ReadonlyMap<string, Uint8Array>
  readonly chunks: number
  /** How many of them each source has, by path. */
  readonly chunksOf: ReadonlyMap<string, number>
  readonly embedded: number
  /** Set when the embedder failed and the packet has no vectors. */
  readonly failure?: Fault
}

const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

const collectDocs = (files: readonly SourceFile[], sizes: ChunkSizes): readonly Doc[] => {
  const docs: Doc[] = []
  for (const { path, extension, text, spans } of files) {
    for (const chunk of chunkText(text, spans, sizes)) {
      docs.push({
        // Numbered over the whole packet, because old readers use the number as the row.
        id: `${path}:${docs.length}`,
        text: chunk.text,
        hash: sha256(chunk.text),
        metadata: {
          path,
          ext: extension,
          line_start: chunk.start,
          line_end: chunk.end,
          ...(chunk.symbol !== undefined && { symbol: chunk.symbol }),
          ...(chunk.headings !== undefined && { headings: chunk.headings }),
        },
      })
    }
  }
  return docs
}

const countChunks = (docs: readonly Doc[]): ReadonlyMap<string, number> => {
  const counts = new Map<string, number>()
  for (const { metadata } of docs) {
    const path = String(metadata.path)
    counts.set(path, (counts.get(path) ?? 0) + 1)
  }
  return counts
}

/** Rejects a build that differs from its lock, unless the lock is to be updated. */
const checkLock = ({ held, lock = 'keep' }: BuildOptions, now: Lock): void => {
  if (lock === 'frozen' && held === undefined)
    throw packetFaults.lock_drift('--frozen-lockfile needs a packet.lock.json')
  if (held === undefined || lock === 'update') return
  const drift = lockDrift(held, now)
  if (drift.length > 0)
    throw packetFaults.lock_drift(`the build differs from packet.lock.json in: ${drift.join(', ')}`)
  const loose = [...held.pipeline, ...held.models].some((one) => one.non_deterministic === true)
  if (lock === 'frozen' && loose)
    throw packetFaults.lock_drift('packet.lock.json has a non-deterministic step')
}

/** Builds the files of a packet, deterministically. */
export const buildPacket = async (
  sources: readonly SourceFile[],
  options: BuildOptions,
  signal: AbortSignal,
): Promise<BuiltPacket> => {
  checkPacketName(options.name)
  versionTag(options.version)
  const sizes = options.sizes ?? CHUNK_SIZES
  const files = [...sources].sort((a, b) => (a.path < b.path ? -1 : 1))
  const docs = collectDocs(files, sizes)
  if (docs.length === 0) throw packetFaults.no_sources('the folder has no text to build a packet from')
  checkLock(options, buildLock(files, options, sizes, new Map()))
  const embedded = await tryEmbedding(docs, options, signal)
  const written = new Map<string, Uint8Array>()
  const card = {
    ...options,
    description: options.description ?? '',
    tags: inferTags(files.map(({ extension }) => extension)),
    entrypoints: ['query'],
    model: options.embedder.model,
    dim: embedded.matrix.dim,
    normalized: true,
    createdAt: options.createdAt ?? EPOCH,
  }
  written.set('cpm.yml', Buffer.from(writeCard(card)))
  written.set('docs.jsonl', writeDocs(docs))
  if (embedded.matrix.dim > 0) {
    written.set('vectors.f16.bin', writeVectors(embedded.matrix))
    written.set('faiss/index.faiss', writeFlatIndex(embedded.matrix))
    const { windows } = embedded
    if (windows !== undefined) {
      written.set(WINDOW_FILES.index, writeFlatIndex(windows.matrix))
      written.set(WINDOW_FILES.rows, writeWindowRows(windows.firsts))
    }
  }
  const checksums = Object.fromEntries(
    [...written].map(([path, bytes]) => [path, { algo: 'sha256' as const, value: sha256(bytes) }]),
  )
  written.set('manifest.json', writeManifest(buildManifest(files, options, embedded, checksums)))
  written.set('sparse/bm25.json', writeSparse(docs.map(({ text }) => text)))
  written.set('packet.lock.json', writeLock(buildLock(files, options, sizes, written)))
  const { matrix, failure } = embedded
  const fresh = matrix.dim > 0 ? embedded.fresh : 0
  return {
    files: written,
    chunks: docs.length,
    chunksOf: countChunks(docs),
    embedded: fresh,
    ...(failure !== undefined && { failure }),
  }
}
