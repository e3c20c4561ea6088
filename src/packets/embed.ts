import type { Matrix } from './format/vectors.ts'

export interface Prefixes {
  readonly query: string
  readonly document: string
}

/** What a server is told about the vectors that are wanted; those that know no such words pass over them. */
export interface Hints {
  readonly dim?: number | undefined
  readonly normalize?: boolean | undefined
  readonly task?: string | undefined
  readonly model?: string | undefined
}

/** Who makes rows of length one: the server, we, or we where the server did not. */
export const NORMALIZE_MODES = ['auto', 'server', 'client'] as const
export type NormalizeMode = (typeof NORMALIZE_MODES)[number]

/** An embedding server, and how it wants to be asked. */
export interface Provider {
  readonly url: string
  /** Where below the address, for a server that has its embeddings elsewhere than most. */
  readonly path?: string | undefined
  readonly model?: string | undefined
  /** Sent with every request, by names in lower case. They may be secret. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly hints?: Hints | undefined
  readonly timeoutMs?: number | undefined
  /** Most texts of one request. */
  readonly batchSize?: number | undefined
  /** How many values its vectors must have. */
  readonly dims?: number | undefined
  readonly normalize?: NormalizeMode | undefined
}

/** Turns texts into vectors of length one. The same text gives the same vector. */
export interface Embedder {
  readonly model: string
  /** Who makes the vectors, for the packet's manifest. */
  readonly provider: string
  /** Undefined until the first answer tells. */
  readonly dim: number | undefined
  /** How much its ranking counts beside that of the words, which counts one; as much, unless it says so. */
  readonly weight?: number
  /** What it puts before texts. */
  readonly prefixes?: Prefixes
  /** What else its vectors depend on beside model and text. Vectors of two variants are not mixed. */
  readonly variant?: string
  embed(texts: readonly string[], use: 'document' | 'query', signal: AbortSignal): Promise<Matrix>
}

/** An embedder that tells its model what a text is, as some want it. Those that want nothing stay as they are. */
export const withPrefixes = (embedder: Embedder, prefixes: Prefixes): Embedder => {
  if (prefixes.query === '' && prefixes.document === '') return embedder
  return {
    model: embedder.model,
    provider: embedder.provider,
    get dim() {
      return embedder.dim
    },
    ...(embedder.weight !== undefined && { weight: embedder.weight }),
    ...(embedder.variant !== undefined && { variant: embedder.variant }),
    prefixes,
    embed: (texts, use, signal) =>
      embedder.embed(
        texts.map((text) => prefixes[use] + text),
        use,
        signal,
      ),
  }
}
