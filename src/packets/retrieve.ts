import { Fault } from '../kernel/fault.ts'
import type { Embedder } from './embed.ts'
import { packetFaults } from './faults.ts'
import type { DocTable } from './format/docs.ts'
import type { Manifest } from './format/manifest.ts'
import type { Hit } from './search/exact.ts'
import { fuseRankings, fusionDepth } from './search/fusion.ts'
import type { LexicalIndex } from './search/lexical.ts'

/** Vectors that can be searched. */
export interface VectorIndex {
  readonly rows: number
  readonly dim: number
  /** The `k` best rows, exactly, ties by ascending row. */
  search(query: Float32Array, k: number): readonly Hit[]
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
  close(): void
}

export type SearchMode = 'hybrid' | 'dense' | 'lexical'

export interface Retrieval {
  readonly hits: readonly Hit[]
  /** How the rows were really found. */
  readonly mode: SearchMode
  readonly warnings: readonly string[]
}

/** The question as a vector of the packet's own model; two models are never mixed. */
const embedQuestion = async (
  { manifest }: OpenPacket,
  { dim }: VectorIndex,
  embedder: Embedder,
  question: string,
  signal: AbortSignal,
): Promise<Float32Array> => {
  const { model } = manifest.embedding
  if (embedder.model !== model)
    throw packetFaults.model_mismatch(`the packet was built with ${model}, the embedder is ${embedder.model}`)
  const { values, dim: got } = await embedder.embed([question], 'query', signal)
  if (got !== dim)
    throw packetFaults.model_mismatch(`the packet has vectors of ${dim} values, the embedder gives ${got}`)
  return values
}

/** Words alone, with the reason why. */
const lexicalOnly = (
  { lexical }: OpenPacket,
  question: string,
  k: number,
  why: readonly string[],
): Retrieval => ({
  hits: lexical.search(question, k),
  mode: 'lexical',
  warnings: why,
})

/**
 * The best rows for a question. Where the vectors cannot be asked, for want of them or of their embedder, words
 * serve alone and the answer says so; that a caller wanted vectors and nothing else is the one case that fails.
 */
export const retrieve = async (
  packet: OpenPacket,
  question: string,
  k: number,
  wanted: SearchMode,
  embedder: Embedder | undefined,
  signal: AbortSignal,
): Promise<Retrieval> => {
  const { vectors, manifest } = packet
  if (wanted === 'lexical') return lexicalOnly(packet, question, k, [])
  if (vectors === undefined || embedder === undefined) {
    const why =
      vectors === undefined
        ? 'the packet has no vectors: searched by words alone'
        : `no embedder for ${manifest.embedding.model} is configured: searched by words alone`
    if (wanted === 'dense') throw packetFaults.no_vectors(why)
    return lexicalOnly(packet, question, k, [why])
  }
  const vector = await embedQuestion(packet, vectors, embedder, question, signal).catch((thrown: unknown) => {
    if (wanted === 'dense' || !(thrown instanceof Fault) || thrown.code !== 'packet.embedder') throw thrown
    return thrown.message
  })
  if (typeof vector === 'string')
    return lexicalOnly(packet, question, k, [`${vector}: searched by words alone`])
  // A vector of zeros is as near to every row as to any other: what it finds would mean nothing.
  if (vector.every((value) => value === 0))
    return lexicalOnly(packet, question, k, [
      'the embedder makes nothing of the question: searched by words alone',
    ])
  if (wanted === 'dense') return { hits: vectors.search(vector, k), mode: 'dense', warnings: [] }
  const depth = fusionDepth(k)
  const rankings = [vectors.search(vector, depth), packet.lexical.search(question, depth)]
  return { hits: fuseRankings(rankings, k), mode: 'hybrid', warnings: [] }
}
