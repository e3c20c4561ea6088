import { fileURLToPath } from 'node:url'
import { type Embedder, type Prefixes, WORDS_ONLY, withPrefixes } from '../../packets/embed.ts'
import { EARLIER_SENTENCE_MODEL, SENTENCE_MODEL } from '../../packets/minilm/model-name.ts'
import { LOCAL_MODEL, localEmbedder } from '../../packets/search/local-embedder.ts'
import { cacheDocuments } from '../../platform/packets/document-cache.ts'
import { httpEmbedder } from '../../platform/packets/embedder.ts'
import { cacheQueries } from '../../platform/packets/query-cache.ts'
import { hasSentenceModel, sentenceEmbedder } from '../../platform/packets/sentence-model.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { usageFaults } from '../../surfaces/cli/command.ts'
import { packetRoot } from '../config/packet-root.ts'
import type { Config } from '../config/settings.ts'

/** Relative to the built chunk. */
const PROGRAM = new URL('../threads/sentence.js', import.meta.url)
const MODEL_FOLDER = fileURLToPath(new URL('../model', import.meta.url))

/** The model for a server that is configured without one; older packet builders used the same. */
const USUAL_MODEL = 'jinaai/jina-embeddings-v2-base-code'

/** One for all packets of the process: its threads and its memory are shared. */
let sentences: ReturnType<typeof sentenceEmbedder> | undefined

const openSentenceEmbedder = (model: string): Embedder | undefined => {
  if (sentences === undefined && hasSentenceModel(MODEL_FOLDER))
    sentences = sentenceEmbedder({ folder: MODEL_FOLDER, program: PROGRAM, clock: systemClock })
  return model === EARLIER_SENTENCE_MODEL ? sentences?.earlier : sentences
}

/** Ends the threads of the built-in embedder: the process cannot exit before. */
export const closeEmbedders = async (): Promise<void> => sentences?.close()

/**
 * Finds the embedder for a model: a built-in one, or the configured server; undefined when there is none. The
 * prefixes of queries and documents come from the packet for its own model, else from the settings.
 */
export const embedderFor =
  (config: Config, folder = packetRoot(config)) =>
  (model: string, packetPrefixes: Partial<Prefixes> = {}): Embedder | undefined => {
    if (config.embedder === 'words') return undefined
    // Queries are not cached: a lookup on the disk takes about as long.
    if (model === LOCAL_MODEL) return localEmbedder
    if (model === SENTENCE_MODEL || model === EARLIER_SENTENCE_MODEL) {
      const embedder = openSentenceEmbedder(model)
      return embedder && cacheDocuments(embedder, folder)
    }
    const { embeddingUrl: url, embeddingModel = model, embeddingKey: key, provider } = config
    if (url === undefined || config.embedder === 'minilm') return undefined
    const known = embeddingModel === model ? packetPrefixes : {}
    const embedder = cacheDocuments(httpEmbedder({ ...provider, url, model: embeddingModel, key }), folder)
    return withPrefixes(cacheQueries(embedder, folder), {
      query: known.query ?? config.embeddingQueryPrefix ?? '',
      document: known.document ?? config.embeddingDocumentPrefix ?? '',
    })
  }

/** The embedder of a new packet: what the settings say, else the server, else the built-in model if there is one. */
export const embedderForBuild = (config: Config): Embedder => {
  const { embedder: chosen = config.embeddingUrl === undefined ? undefined : 'server' } = config
  if (chosen === 'words') return WORDS_ONLY
  if (chosen === 'server') {
    const server = embedderFor(config)(config.embeddingModel ?? USUAL_MODEL)
    if (server !== undefined) return server
    throw usageFaults.option('--embedder server needs an address; set --embedding-url')
  }
  const sentence = embedderFor(config)(SENTENCE_MODEL)
  if (sentence === undefined && chosen === 'minilm')
    throw usageFaults.option(
      'this build of Warrant has no sentence embedder; use --embedder words, or --embedding-url for a server',
    )
  return sentence ?? WORDS_ONLY
}
