import { Fault } from '../../kernel/fault.ts'
import type { Embedder } from '../embed.ts'
import { packetFaults } from '../faults.ts'
import type { DocTable } from '../format/docs.ts'
import type { Manifest } from '../format/manifest.ts'
import { noProgress, type ProgressListener } from '../progress.ts'
import type { SearchHit } from '../search/exact-search.ts'
import type { LexicalIndex } from '../search/lexical.ts'
import { fuseRankings, fusionDepth } from '../search/rank-fusion.ts'

/** Vectors that can be searched. */
export interface VectorIndex {
  readonly rows: number
  readonly dim: number
  /** The `k` best rows by inner product, exactly; ties by ascending row. */
  search(query: Float32Array, k: number, signal: AbortSignal): Promise<readonly SearchHit[]>
  close(): void
}

/** A packet with everything needed to ask it, kept open between questions. */
export interface OpenPacket {
  readonly manifest: Manifest
  readonly docs: DocTable
  readonly lexical: LexicalIndex
  /** Absent when the packet was published without vectors. */
  readonly vectors?: VectorIndex
  readonly warnings: readonly string[]
  /** About how much memory it takes. */
  readonly bytes: number
  /** The vectors that were rebuilt with another model, if they were. */
  rebuilt(model: string, dim: number): Promise<VectorIndex | undefined>
  /** Makes the vectors of an embedder, unless they are there; of many that ask at once, one does. */
  rebuild(embedder: Embedder, signal: AbortSignal, watch: ProgressListener): Promise<void>
  close(): void
}

export type SearchMode = 'hybrid' | 'dense' | 'lexical'

export interface Retrieval {
  readonly hits: readonly SearchHit[]
  /** How the rows were really found. */
  readonly mode: SearchMode
  /** What the vectors that were searched are of. */
  readonly embedding?: { readonly model: string; readonly dim: number; readonly source: 'packet' | 'rebuilt' }
  readonly warnings: readonly string[]
}

/** Faults of an embedder that does not serve us: words do instead. */
const UNREACHABLE = ['packet.embedder', 'packet.embedder_key']

interface EmbeddedQuestion {
  readonly vector: Float32Array
  readonly vectors: VectorIndex
  readonly source: 'packet' | 'rebuilt'
}

/** The question as a vector, and the vectors of the very same model; two models are never mixed. */
const embedQuestion = async (
  { packet, question, signal, watch = noProgress }: RetrieveRequest,
  embedder: Embedder,
): Promise<EmbeddedQuestion | undefined> => {
  const { model } = packet.manifest.embedding
  const { values: vector, dim: got } = await embedder.embed([question], 'query', signal)
  const own = embedder.model === model ? packet.vectors : undefined
  if (own !== undefined && own.dim !== got)
    throw packetFaults.model_mismatch(
      `the packet has vectors of ${own.dim} values, the embedder gives ${got}`,
    )
  if (own !== undefined) return { vector, vectors: own, source: 'packet' }
  const rebuilt = async (): Promise<EmbeddedQuestion | undefined> => {
    const vectors = await packet.rebuilt(embedder.model, got)
    return vectors && { vector, vectors, source: 'rebuilt' }
  }
  const other = await rebuilt()
  if (other !== undefined) return other
  if (packet.vectors !== undefined)
    throw packetFaults.model_mismatch(`the packet was built with ${model}, the embedder is ${embedder.model}`)
  // One that came without vectors gets them with the first question; not those that hardly count beside the words.
  if (embedder.weight !== undefined) return undefined
  await packet.rebuild(embedder, signal, watch)
  return rebuilt()
}

/** Words alone, with the reason why. */
const lexicalOnly = ({ packet, question, k }: RetrieveRequest, warnings: readonly string[]): Retrieval => ({
  hits: packet.lexical.search(question, k),
  mode: 'lexical',
  warnings,
})

export interface RetrieveRequest {
  readonly packet: OpenPacket
  readonly question: string
  /** How many rows. */
  readonly k: number
  readonly mode: SearchMode
  /** The embedder for the packet's model; undefined when none is configured. */
  readonly embedder: Embedder | undefined
  readonly signal: AbortSignal
  readonly watch?: ProgressListener
}

/**
 * The best rows for a question. Where the vectors cannot be asked, for want of them or of their embedder, words
 * serve alone and the answer says so; that a caller wanted vectors and nothing else is the one case that fails.
 */
export const retrieve = async (request: RetrieveRequest): Promise<Retrieval> => {
  const { packet, question, k, mode, embedder, signal } = request
  if (mode === 'lexical') return lexicalOnly(request, [])
  const withoutVectors = (why: string): Retrieval => {
    if (mode === 'dense') throw packetFaults.no_vectors(`${why}: searched by words alone`)
    return lexicalOnly(request, [`${why}: searched by words alone`])
  }
  if (embedder === undefined)
    return withoutVectors(
      packet.vectors === undefined
        ? 'the packet has no vectors'
        : `no embedder for ${packet.manifest.embedding.model} is configured`,
    )
  const embedded = await embedQuestion(request, embedder).catch((thrown: unknown) => {
    if (mode === 'dense' || !(thrown instanceof Fault) || !UNREACHABLE.includes(thrown.code)) throw thrown
    return thrown.message
  })
  if (embedded === undefined) return withoutVectors('the packet has no vectors')
  if (typeof embedded === 'string') return withoutVectors(embedded)
  const { vector, vectors, source } = embedded
  // A vector of zeros is as near to every row as to any other: what it finds would mean nothing.
  if (vector.every((value) => value === 0))
    return lexicalOnly(request, ['the embedder makes nothing of the question: searched by words alone'])
  const embedding = { model: embedder.model, dim: vectors.dim, source }
  const depth = mode === 'dense' ? k : fusionDepth(k)
  const hits = await vectors.search(vector, depth, signal)
  if (mode === 'dense') return { hits, mode: 'dense', embedding, warnings: [] }
  const rankings = [
    { hits, weight: embedder.weight ?? 1 },
    { hits: packet.lexical.search(question, depth), weight: 1 },
  ]
  return { hits: fuseRankings(rankings, k), mode: 'hybrid', embedding, warnings: [] }
}
