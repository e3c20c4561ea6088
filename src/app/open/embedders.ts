import { fileURLToPath } from 'node:url'
import { usageFaults } from '../../cli/command/command.ts'
import {
  type EmbedCall,
  type Embedder,
  embedderNamed,
  type FindEmbedder,
  WORDS_ONLY,
  withPrefixes,
} from '../../packets/embed.ts'
import { SENTENCE_MODEL, SENTENCE_MODELS } from '../../packets/minilm/model-name.ts'
import { LOCAL_MODEL, localEmbedder } from '../../packets/search/local-embedder.ts'
import { cacheDocuments } from '../../platform/packets/document-cache.ts'
import { httpEmbedder } from '../../platform/packets/embedder.ts'
import { cacheQueries } from '../../platform/packets/query-cache.ts'
import { hasSentenceModel, sentenceEmbedder } from '../../platform/packets/sentence-model.ts'
import { systemClock } from '../../platform/system/clock.ts'
import type { Config } from '../config/settings.ts'

/** Relative to the built chunk. */
const PROGRAM = new URL('../threads/sentence.js', import.meta.url)
/** The built-in model. A build without the weights has none. */
export const MODEL_FOLDER = fileURLToPath(new URL('../model', import.meta.url))

/** The model for a server that is configured without one; older packet builders used the same. */
const USUAL_MODEL = 'jinaai/jina-embeddings-v2-base-code'

type SentenceEmbedder = ReturnType<typeof sentenceEmbedder>

/** By folder, for all packets of the process: threads and memory are shared. */
const opened = new Map<string, SentenceEmbedder>()

/** Opens the model in a folder. `pinned` is its name in packets, if it is not the built-in model. */
export const openModelFolder = (folder: string, pinned?: string): Embedder => {
  const embedder =
    opened.get(folder) ??
    sentenceEmbedder({ folder, ...(pinned && { pinned }), program: PROGRAM, clock: systemClock })
  opened.set(folder, embedder)
  return embedder
}

const openBuiltIn = (): Embedder | undefined =>
  hasSentenceModel(MODEL_FOLDER) ? openModelFolder(MODEL_FOLDER) : undefined

/** Ends the threads of the embedders on this machine: the process cannot exit before. */
export const closeEmbedders = async (): Promise<void> => {
  for (const embedder of opened.values()) await embedder.close()
}

/** The model that `--embedder oci://…@sha256:…` names. */
export interface PinnedModel {
  /** Gets the model, from the store if it is there. */
  open(call: EmbedCall): Promise<Embedder>
  /** The embedder for packets of a model; undefined when the pinned model is another. */
  find(model: string, call: EmbedCall): Promise<Embedder | undefined>
}

export interface EmbedderPorts {
  /** The packet folder, for the caches. */
  readonly folder: string
  readonly pinned?: PinnedModel | undefined
}

/**
 * Finds the embedder for a model: a built-in one, the pinned one, or the configured server; undefined when there is
 * none. The prefixes of queries and documents come from the packet for its own model, else from the settings.
 */
export const embedderFor =
  (config: Config, { folder, pinned }: EmbedderPorts): FindEmbedder =>
  async (model, packetPrefixes, call) => {
    if (config.embedder === 'words') return undefined
    // Queries are not cached: a lookup on the disk takes about as long.
    if (model === LOCAL_MODEL) return localEmbedder
    const isBuiltIn = SENTENCE_MODELS.includes(model)
    const builtIn = isBuiltIn ? embedderNamed(openBuiltIn(), model) : undefined
    if (builtIn !== undefined) return cacheDocuments(builtIn, folder)
    if (pinned !== undefined) return pinned.find(model, call)
    const { embeddingUrl: url, embeddingModel = model, embeddingKey: key, provider } = config
    if (url === undefined || config.embedder === 'minilm' || isBuiltIn) return undefined
    const known = embeddingModel === model ? packetPrefixes : {}
    const embedder = cacheDocuments(httpEmbedder({ ...provider, url, model: embeddingModel, key }), folder)
    return withPrefixes(cacheQueries(embedder, folder), {
      query: known.query ?? config.embeddingQueryPrefix ?? '',
      document: known.document ?? config.embeddingDocumentPrefix ?? '',
    })
  }

/** The embedder of a new packet: what the settings say, else the server, else the built-in model if there is one. */
export const embedderForBuild = async (
  config: Config,
  ports: EmbedderPorts,
  call: EmbedCall,
): Promise<Embedder> => {
  const { embedder: chosen = config.embeddingUrl === undefined ? undefined : 'server' } = config
  if (chosen === 'words') return WORDS_ONLY
  if (ports.pinned !== undefined) return ports.pinned.open(call)
  const find = (model: string) => embedderFor(config, ports)(model, {}, call)
  if (chosen === 'server') {
    const server = await find(config.embeddingModel ?? USUAL_MODEL)
    if (server !== undefined) return server
    throw usageFaults.option('--embedder server needs an address; set --embedding-url')
  }
  const sentence = await find(SENTENCE_MODEL)
  if (sentence === undefined && chosen === 'minilm')
    throw usageFaults.option(
      'this build of Warrant has no sentence embedder; use --embedder words, or --embedding-url for a server',
    )
  return sentence ?? WORDS_ONLY
}
