import type { Matrix } from './format/vectors.ts'

export interface Prefixes {
  readonly query: string
  readonly document: string
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
    prefixes,
    embed: (texts, use, signal) =>
      embedder.embed(
        texts.map((text) => prefixes[use] + text),
        use,
        signal,
      ),
  }
}
