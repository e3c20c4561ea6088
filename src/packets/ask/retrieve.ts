import { Fault } from '../../kernel/fault.ts'
import type { Embedder } from '../embed.ts'
import { packetFaults } from '../faults.ts'
import type { DocRows } from '../format/docs.ts'
import type { Manifest } from '../format/manifest.ts'
import { noProgress, type ProgressListener } from '../ports.ts'
import type { SearchHit } from '../search/exact-search.ts'
import { fuseRankings, fuseScores, fusionDepth, type ScoredRow } from '../search/rank-fusion.ts'
import type { VectorHit, VectorIndex } from '../search/vector-index.ts'

export interface WordSearch {
  /** The best rows for a question by their words. Rows without a common word are not returned. */
  search(question: string, depth: number): Promise<SearchHit[]>
  /** The score of a row that has every word of the question often. */
  bestScore(question: string): Promise<number>
}

/** A packet with everything needed to search it, kept open between queries. */
export interface OpenPacket {
  readonly manifest: Manifest
  readonly docs: DocRows
  readonly lexical: WordSearch
  /** Absent when the packet was published without vectors. */
  readonly vectors?: VectorIndex
  readonly warnings: readonly string[]
  /** Approximate memory use. */
  readonly bytes: number
  /** The vectors that were rebuilt with another model, if any. */
  rebuilt(model: string, dim: number): Promise<VectorIndex | undefined>
  /** Makes the vectors of an embedder, unless they exist. Concurrent calls share one rebuild. */
  rebuild(embedder: Embedder, signal: AbortSignal, watch: ProgressListener): Promise<void>
  close(): void
}

export type SearchMode = 'hybrid' | 'dense' | 'lexical'

export interface Retrieval {
  readonly hits: readonly ScoredRow[]
  /** The mode that was used. */
  readonly mode: SearchMode
  /** The model of the vectors that were searched. */
  readonly embedding?: { readonly model: string; readonly dim: number; readonly source: 'packet' | 'rebuilt' }
  readonly warnings: readonly string[]
}

/** Faults of an embedder after which the search falls back to words. */
const UNREACHABLE = ['packet.embedder', 'packet.embedder_key']

interface EmbeddedQuestion {
  readonly vector: Float32Array
  readonly vectors: VectorIndex
  readonly source: 'packet' | 'rebuilt'
}

/** Embeds the question, and finds the vectors of the same model: vectors of two models are never compared. */
const embedQuestion = async (
  { packet, question, signal, watch = noProgress }: RetrieveRequest,
  embedder: Embedder,
): Promise<EmbeddedQuestion | undefined> => {
  const { model } = packet.manifest.embedding
  const { values: vector, dim: got } = await embedder.embed([question], 'query', signal)
  const packetVectors = embedder.model === model ? packet.vectors : undefined
  if (packetVectors !== undefined && packetVectors.dim !== got)
    throw packetFaults.model_mismatch(
      `the packet has vectors of ${packetVectors.dim} values, the embedder gives ${got}`,
    )
  if (packetVectors !== undefined) return { vector, vectors: packetVectors, source: 'packet' }
  const rebuilt = async (): Promise<EmbeddedQuestion | undefined> => {
    const vectors = await packet.rebuilt(embedder.model, got)
    return vectors && { vector, vectors, source: 'rebuilt' }
  }
  const other = await rebuilt()
  if (other !== undefined) return other
  if (packet.vectors !== undefined)
    throw packetFaults.model_mismatch(`the packet was built with ${model}, the embedder is ${embedder.model}`)
  // A packet without vectors gets them with the first query; not from an embedder that hardly adds to the
  // lexical search.
  if (embedder.weight !== undefined) return undefined
  await packet.rebuild(embedder, signal, watch)
  return rebuilt()
}

/** Packets of earlier builders keep the answers that they had: rows in the order of their ranks, without shares. */
export const isScored = ({ manifest }: Pick<OpenPacket, 'manifest'>): boolean =>
  manifest.lexical !== undefined

const denseRows = (packet: OpenPacket, hits: readonly VectorHit[]): readonly ScoredRow[] =>
  isScored(packet) ? hits.map((hit) => ({ ...hit, meaning: Math.max(hit.score, 0) })) : hits

/** Lexical search only, with the reason as a warning. */
const lexicalOnly = async (
  { packet, question, k }: RetrieveRequest,
  warnings: readonly string[],
): Promise<Retrieval> => {
  const words = await packet.lexical.search(question, k)
  if (!isScored(packet)) return { hits: words, mode: 'lexical', warnings }
  const bestWords = await packet.lexical.bestScore(question)
  const hits = fuseScores({ vectors: [], words, bestWords, k })
  return { hits: hits.map((hit) => ({ ...hit, score: hit.words ?? 0 })), mode: 'lexical', warnings }
}

interface RetrieveRequest {
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
 * The best rows for a question. Without vectors or embedder the search is lexical, with a warning; only `dense`
 * mode fails then.
 */
export const retrieve = async (request: RetrieveRequest): Promise<Retrieval> => {
  const { packet, question, k, mode, embedder, signal } = request
  if (mode === 'lexical') return lexicalOnly(request, [])
  const withoutVectors = (why: string): Promise<Retrieval> => {
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
  // A zero vector has the same score for every row: the ranking would be arbitrary.
  if (vector.every((value) => value === 0))
    return lexicalOnly(request, [
      'the embedder returned a zero vector for the question: searched by words alone',
    ])
  const embedding = { model: embedder.model, dim: vectors.dim, source }
  const depth = mode === 'dense' ? k : fusionDepth(k)
  const hits = await vectors.search(vector, depth, signal)
  if (mode === 'dense') return { hits: denseRows(packet, hits), mode: 'dense', embedding, warnings: [] }
  const words = await packet.lexical.search(question, depth)
  if (isScored(packet)) {
    const bestWords = await packet.lexical.bestScore(question)
    const fused = fuseScores({ vectors: hits, words, bestWords, share: embedder.share, k })
    return { hits: fused, mode: 'hybrid', embedding, warnings: [] }
  }
  const rankings = [
    { hits, weight: embedder.weight ?? 1 },
    { hits: words, weight: 1 },
  ]
  return { hits: fuseRankings(rankings, k), mode: 'hybrid', embedding, warnings: [] }
}
