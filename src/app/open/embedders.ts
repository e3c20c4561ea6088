import { type Embedder, type Prefixes, withPrefixes } from '../../packets/embed.ts'
import { LOCAL_MODEL, localEmbedder } from '../../packets/search/local-embedder.ts'
import { cacheDocuments } from '../../platform/packets/document-cache.ts'
import { httpEmbedder } from '../../platform/packets/embedder.ts'
import { cacheQueries } from '../../platform/packets/query-cache.ts'
import { packetRoot } from '../config/packet-root.ts'
import type { Config } from '../config/settings.ts'

/**
 * Finds the embedder for a model: the built-in one, or the configured server; undefined when there is none. The
 * prefixes of queries and documents come from the packet for its own model, else from the settings.
 */
export const embedderFor =
  (config: Config, folder = packetRoot(config)) =>
  (model: string, packetPrefixes: Partial<Prefixes> = {}): Embedder | undefined => {
    // Not cached: the built-in embedder is faster than a cache lookup.
    if (model === LOCAL_MODEL) return localEmbedder
    const { embeddingUrl: url, embeddingModel = model, embeddingKey: key, provider } = config
    if (url === undefined) return undefined
    const known = embeddingModel === model ? packetPrefixes : {}
    const embedder = cacheDocuments(httpEmbedder({ ...provider, url, model: embeddingModel, key }), folder)
    return withPrefixes(cacheQueries(embedder, folder), {
      query: known.query ?? config.embeddingQueryPrefix ?? '',
      document: known.document ?? config.embeddingDocumentPrefix ?? '',
    })
  }
