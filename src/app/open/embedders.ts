import { fileURLToPath } from 'node:url'
import { usageFaults } from '../../cli/command/command.ts'
import {
  type Embedder,
  type FindEmbedder,
  SENTENCE_MODEL,
  WORDS_ONLY,
  withPrefixes,
} from '../../packets/embed.ts'
import { httpEmbedder } from '../../platform/packets/embedder.ts'
import { hasSentenceModel, sentenceEmbedder } from '../../platform/packets/sentence-model.ts'
import { cacheDocuments, cacheQueries } from '../../platform/packets/vector-cache.ts'
import { systemClock } from '../../platform/system/clock.ts'
import type { Config } from '../config/settings.ts'

/** Relative to the built chunk. */
const PROGRAM = new URL('../threads/sentence.js', import.meta.url)
/** The built-in model. A build without the weights has none. */
const MODEL_FOLDER = fileURLToPath(new URL('../model', import.meta.url))

/** The model for a server that is configured without one; older packet builders used the same. */
const USUAL_MODEL = 'jinaai/jina-embeddings-v2-base-code'

/** For all packets of the process: threads and memory are shared. */
let builtIn: ReturnType<typeof sentenceEmbedder> | undefined

const openBuiltIn = (): Embedder | undefined => {
  if (!hasSentenceModel(MODEL_FOLDER)) return undefined
  builtIn ??= sentenceEmbedder({ folder: MODEL_FOLDER, program: PROGRAM, clock: systemClock })
  return builtIn
}

/** Ends the threads of the embedder on this machine: the process cannot exit before. */
export const closeEmbedders = async (): Promise<void> => builtIn?.close()

/**
 * Finds the embedder for a model: the built-in one, or the configured server; undefined when there is none. The
 * prefixes of queries and documents come from the packet for its own model, else from the provider. `folder` is the
 * packet folder, for the caches.
 */
export const embedderFor =
  (config: Config, folder: string): FindEmbedder =>
  (model, packetPrefixes) => {
    if (config.embedder === 'words') return undefined
    if (model === SENTENCE_MODEL) {
      const embedder = openBuiltIn()
      // Queries are not cached: a lookup on the disk takes about as long.
      return embedder && cacheDocuments(embedder, folder)
    }
    const { embeddingUrl: url, embeddingModel = model, embeddingKey: key, provider } = config
    if (url === undefined || config.embedder === 'minilm') return undefined
    const embedder = cacheDocuments(httpEmbedder({ ...provider, url, model: embeddingModel, key }), folder)
    const known = embeddingModel === model ? packetPrefixes : {}
    return withPrefixes(cacheQueries(embedder, folder), {
      query: known.query ?? provider?.prefixes?.query ?? '',
      document: known.document ?? provider?.prefixes?.document ?? '',
    })
  }

/** The embedder of a new packet: what the settings say, else the server, else the built-in model if there is one. */
export const embedderForBuild = (config: Config, folder: string): Embedder => {
  const { embedder: chosen = config.embeddingUrl === undefined ? undefined : 'server' } = config
  if (chosen === 'words') return WORDS_ONLY
  const find = (model: string) => embedderFor(config, folder)(model, {})
  if (chosen === 'server') {
    const server = find(config.embeddingModel ?? USUAL_MODEL)
    if (server !== undefined) return server
    throw usageFaults.option('--embedder server needs an address; set --embedding-url')
  }
  const sentence = find(SENTENCE_MODEL)
  if (sentence === undefined && chosen === 'minilm')
    throw usageFaults.option(
      'this build of Warrant has no sentence embedder; use --embedder words, or --embedding-url for a server',
    )
  return sentence ?? WORDS_ONLY
}
