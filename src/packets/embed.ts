import type { Doc } from './format/docs.ts'
import type { Matrix } from './format/vectors.ts'

export interface Prefixes {
  readonly query: string
  readonly document: string
}

/** Hints sent to the server as headers; servers that do not know them ignore them. */
export interface Hints {
  readonly dim?: number | undefined
  readonly normalize?: boolean | undefined
  readonly task?: string | undefined
  readonly model?: string | undefined
}

/**
 * Who normalizes vectors to length one: the server, the client, or (auto) the client when the server did not.
 */
export const NORMALIZE_MODES = ['auto', 'server', 'client'] as const
export type NormalizeMode = (typeof NORMALIZE_MODES)[number]

/** An embedding server and its options. */
export interface Provider {
  readonly url: string
  /** Path below the address, when it is not the usual one. */
  readonly path?: string | undefined
  readonly model?: string | undefined
  /** Sent with every request; names in lower case, values may be secrets. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly hints?: Hints | undefined
  readonly timeoutMs?: number | undefined
  /** Most texts in one request. */
  readonly batchSize?: number | undefined
  /** Required length of its vectors. */
  readonly dims?: number | undefined
  readonly normalize?: NormalizeMode | undefined
  /** Put before texts, where a packet does not say. */
  readonly prefixes?: Partial<Prefixes> | undefined
}

/** A passage to be embedded, with where it is from. */
export interface WindowSource {
  readonly path: string
  /** Titles of the sections around it, the outermost first. */
  readonly headings: readonly string[]
  readonly text: string
}

/** A part of a passage that is embedded as one text. */
export interface TextWindow {
  /** Offsets in the text of the passage. */
  readonly start: number
  readonly end: number
  /** What is embedded: path and headings, then the text from `start` to `end`. */
  readonly input: string
  /** Length of its vector, when it is not one: a shorter vector is found later. */
  readonly length?: number
}

/** Turns texts into vectors of length one, deterministically. */
export interface Embedder {
  readonly model: string
  /** The name of the provider in the packet's manifest. */
  readonly provider: string
  /** Undefined until the first response. */
  readonly dim: number | undefined
  /** Weight of its ranking in rank fusion, where the lexical ranking has 1; default 1. */
  readonly weight?: number
  /** Weight of its scores in score fusion, where words have the rest; default 0.6. */
  readonly share?: number
  /** Put before texts by role, as some models require. */
  readonly prefixes?: Prefixes
  /** What vectors depend on beside model and text. Vectors of two variants are never mixed. */
  readonly variant?: string
  /** Texts to be embedded by one call, so that progress can be shown; a server takes more. */
  readonly batch?: number
  /** Splits a passage into texts that the model can take whole. Without it a passage is one text. */
  readonly windows?: (source: WindowSource) => readonly TextWindow[]
  embed(texts: readonly string[], use: 'document' | 'query', signal: AbortSignal): Promise<Matrix>
}

/** The embedder with another function, and with `more` in place of what it says of itself. */
export const wrapEmbedder = (
  embedder: Embedder,
  embed: Embedder['embed'],
  more: Partial<Embedder> = {},
): Embedder => ({
  ...embedder,
  ...more,
  get dim() {
    return embedder.dim
  },
  embed,
})

/** Puts the prefixes before texts. Without prefixes the embedder is returned unchanged. */
export const withPrefixes = (embedder: Embedder, prefixes: Prefixes): Embedder => {
  if (prefixes.query === '' && prefixes.document === '') return embedder
  const embed: Embedder['embed'] = (texts, use, signal) =>
    embedder.embed(
      texts.map((text) => prefixes[use] + text),
      use,
      signal,
    )
  return wrapEmbedder(embedder, embed, { prefixes })
}

/** Finds the embedder for a model, with the prefixes of the packet; undefined when none is configured. */
export type FindEmbedder = (model: string, prefixes: Partial<Prefixes>) => Embedder | undefined

/** No vectors: the packet is searched by words. */
export const WORDS_ONLY: Embedder = {
  model: 'words',
  provider: 'none',
  dim: 0,
  embed: async (texts) => ({ rows: texts.length, dim: 0, values: new Float32Array() }),
}

/**
 * The model name in packets built with it: weights of 8 bits, windows of 128 tokens within sections. It changes
 * whenever a vector would.
 */
export const SENTENCE_MODEL = 'all-MiniLM-L6-v2-q8-s128'
/** The provider in the manifests of these packets. */
export const SENTENCE_PROVIDER = 'warrant-minilm'

/** About the most that the models of embedding servers take; the rest of a longer text would be ignored. */
const LONG_TEXT = 3_000

/** Cuts a long text at the ends of lines. */
const cutLongText = (text: string): readonly TextWindow[] => {
  const windows: TextWindow[] = []
  for (let start = 0; start < text.length || windows.length === 0; ) {
    const whole = text.length - start <= LONG_TEXT
    const line = whole ? -1 : text.lastIndexOf('\n', start + LONG_TEXT)
    const end = whole ? text.length : line > start ? line + 1 : start + LONG_TEXT
    windows.push({ start, end, input: text.slice(start, end) })
    start = end
  }
  return windows
}

/** The texts that are embedded for a chunk. */
export const windowsOf = (embedder: Embedder, { text, metadata }: Doc): readonly TextWindow[] => {
  if (embedder.windows === undefined) return cutLongText(text)
  const { path, headings } = metadata
  return embedder.windows({
    path: typeof path === 'string' ? path : '',
    headings: Array.isArray(headings) ? headings.filter((one) => typeof one === 'string') : [],
    text,
  })
}
