import { createHash } from 'node:crypto'
import { Fault } from '../../kernel/fault.ts'
import { optional } from '../../kernel/optional.ts'
import type { Embedder } from '../embed.ts'
import { packetFaults } from '../faults.ts'
import { inferTags, writeCard } from '../format/card.ts'
import { type Doc, writeDocs } from '../format/docs.ts'
import { type Lock, lockDrift, writeLock } from '../format/lockfile.ts'
import { writeManifest } from '../format/manifest.ts'
import { checkPacketName, versionTag } from '../format/reference.ts'
import { buildLock, buildManifest, EPOCH, type PackedSource } from './build-records.ts'
import { CHUNK_SIZES, type ChunkSizes, chunkText, type Span } from './chunk.ts'
import { embedWindows } from './embed-docs.ts'
import { DigestedOutput, type OutputFile, type PacketOutput } from './packet-output.ts'
import { SparseWriter } from './sparse-writer.ts'
import { VectorWriter, WINDOW_FILES } from './vector-writer.ts'
import { type KnownVectors, WindowInputs } from './window-inputs.ts'

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
  readonly known?: KnownVectors
  /** The lock of an earlier build. `lock` says how strictly it applies. */
  readonly held?: Lock
  readonly lock?: 'keep' | 'update' | 'frozen'
}

interface BuiltPacket {
  /** The sources of the packet by path. */
  readonly sources: readonly PackedSource[]
  readonly chunks: number
  readonly embedded: number
  /** The bytes of its lock. */
  readonly lock: Uint8Array
  /** Set when the embedder failed and the packet has no vectors. */
  readonly failure?: Fault
}

const sha256 = (bytes: string | Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

const EMBEDDER_FAULTS = ['packet.embedder', 'packet.embedder_key', 'packet.embedder_answer']

/** Files that only the build reads. They are removed from the packet. */
const SCRATCH = { rows: 'sparse-rows.tmp', windows: 'windows.tmp' }

/** The files with a checksum in the manifest, in its order. */
const CHECKSUMMED = [
  'cpm.yml',
  'docs.jsonl',
  'vectors.f16.bin',
  'faiss/index.faiss',
  WINDOW_FILES.index,
  WINDOW_FILES.rows,
]

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

/** The fault of an embedder; throws everything else. */
const asEmbedderFault = (thrown: unknown): Fault => {
  if (!(thrown instanceof Fault) || !EMBEDDER_FAULTS.includes(thrown.code)) throw thrown
  return thrown
}

/**
 * Builds the files of a packet, deterministically and in bounded memory: chunks are written while the sources are
 * added, vectors while they are made.
 */
export class PacketBuilder {
  readonly #options: BuildOptions
  readonly #sizes: ChunkSizes
  readonly #output: DigestedOutput
  readonly #docs: OutputFile
  readonly #scratch: { readonly rows: OutputFile; readonly windows: OutputFile }
  readonly #sparse: SparseWriter
  readonly #inputs: WindowInputs
  readonly #sources: PackedSource[] = []
  #chunks = 0
  #failure: Fault | undefined

  constructor(options: BuildOptions, output: PacketOutput) {
    checkPacketName(options.name)
    versionTag(options.version)
    this.#options = options
    this.#sizes = options.sizes ?? CHUNK_SIZES
    this.#output = new DigestedOutput(output)
    this.#docs = this.#output.create('docs.jsonl')
    this.#scratch = { rows: output.create(SCRATCH.rows), windows: output.create(SCRATCH.windows) }
    this.#sparse = new SparseWriter(this.#scratch.rows)
    this.#inputs = new WindowInputs(options.embedder, this.#scratch.windows, options.known)
  }

  /** Adds a source. They must come in the order of their paths: the same sources must give the same packet. */
  add({ path, extension, text, sha256: digest, spans }: SourceFile): void {
    const previous = this.#sources.at(-1)?.path
    if (previous !== undefined && path <= previous) throw new RangeError(`${path} comes after ${previous}`)
    const chunks = chunkText(text, spans, this.#sizes)
    for (const { text: passage, start, end, symbol, headings } of chunks) {
      this.#addDoc({
        // Numbered over the whole packet, because old readers use the number as the row.
        id: `${path}:${this.#chunks++}`,
        text: passage,
        hash: sha256(passage),
        metadata: {
          path,
          ext: extension,
          line_start: start,
          line_end: end,
          ...optional({ symbol, headings }),
        },
      })
    }
    const split = spans.length > 0 ? 'structure' : 'lines'
    this.#sources.push({ path, extension, sha256: digest, chunks: chunks.length, split })
  }

  /** Makes the vectors and writes the other files. `progress` counts windows that are embedded. */
  async finish(signal: AbortSignal, progress?: (done: number, total: number) => void): Promise<BuiltPacket> {
    this.#docs.end()
    for (const file of Object.values(this.#scratch)) file.end()
    if (this.#chunks === 0) throw packetFaults.no_sources('the folder has no text to build a packet from')
    const [options, sources, output] = [this.#options, this.#sources, this.#output]
    checkLock(options, buildLock(sources, options, this.#sizes, new Map()))
    const vectors = await this.#embed(signal, progress)
    output.put('cpm.yml', Buffer.from(this.#writeCard(vectors.dim)))
    const sums = CHECKSUMMED.flatMap((path) => {
      const value = output.digests.get(path)
      return value === undefined ? [] : [[path, { algo: 'sha256' as const, value }] as const]
    })
    output.put(
      'manifest.json',
      writeManifest(buildManifest(sources, options, vectors, Object.fromEntries(sums))),
    )
    await this.#sparse.finish(output.open(SCRATCH.rows), output.create('sparse/bm25.json'))
    const lock = writeLock(buildLock(sources, options, this.#sizes, output.digests))
    output.put('packet.lock.json', lock)
    for (const path of Object.values(SCRATCH)) output.remove(path)
    const { dim, fresh, failure } = vectors
    return {
      sources,
      chunks: this.#chunks,
      embedded: dim > 0 ? fresh : 0,
      lock,
      ...optional({ failure }),
    }
  }

  #addDoc(doc: Doc): void {
    this.#docs.write(writeDocs([doc]))
    this.#sparse.add(doc.text)
    if (this.#failure !== undefined) return
    try {
      this.#inputs.add(doc)
    } catch (thrown) {
      this.#failure = asEmbedderFault(thrown)
    }
  }

  /** When the embedder fails the packet is built without vectors, and its manifest says so. */
  async #embed(signal: AbortSignal, progress: ((done: number, total: number) => void) | undefined) {
    const { windows, fresh } = this.#inputs
    const files = new VectorWriter(this.#output, this.#inputs)
    const rows = this.#chunks
    try {
      if (this.#failure !== undefined) throw this.#failure
      const scratch = this.#output.open(SCRATCH.windows)
      const options = { embedder: this.#options.embedder, ...optional({ progress }) }
      for await (const group of embedWindows(this.#inputs, scratch, options, signal))
        for (const window of group) files.add(window)
      files.end()
      const { dim } = files
      return { rows, dim, ...(dim > 0 && windows !== rows && { windows }), fresh }
    } catch (thrown) {
      const failure = asEmbedderFault(thrown)
      files.remove()
      return { rows, dim: 0, fresh: 0, failure }
    }
  }

  #writeCard(dim: number): string {
    return writeCard({
      ...this.#options,
      description: this.#options.description ?? '',
      tags: inferTags(this.#sources.map(({ extension }) => extension)),
      entrypoints: ['query'],
      model: this.#options.embedder.model,
      dim,
      normalized: true,
      createdAt: this.#options.createdAt ?? EPOCH,
    })
  }
}
