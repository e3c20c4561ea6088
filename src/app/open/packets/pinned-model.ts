import { resolve } from 'node:path'
import { Fault } from '../../../kernel/fault.ts'
import { type EmbedCall, type Embedder, embedderNamed } from '../../../packets/embed.ts'
import { packetFaults } from '../../../packets/faults.ts'
import { isReference, parseReference, pinnedUri } from '../../../packets/format/reference.ts'
import { pinnedModelName } from '../../../packets/minilm/model-artifact.ts'
import { MODEL_DIM } from '../../../packets/minilm/model-layout.ts'
import { SENTENCE_MODELS, SENTENCE_PROVIDER } from '../../../packets/minilm/model-name.ts'
import { fetchModel, type ModelPorts } from '../../../packets/transfer/fetch-model.ts'
import { openAsyncJail } from '../../../platform/jail/async.ts'
import { cacheDocuments } from '../../../platform/packets/document-cache.ts'
import type { Config } from '../../config/settings.ts'
import { openModelFolder, type PinnedModel } from '../embedders.ts'
import { openPacketLock } from './packet-lock.ts'

/** Longest file of a stored model beside its weights and tokens: the manifest. */
const MAX_SHORT = 4 * 1024 * 1024

type PinnedPorts = Omit<ModelPorts, 'read' | 'revocation'> & {
  /** The packet folder, for the cache of vectors. */
  readonly folder: string
}

const readShort: ModelPorts['read'] = (folder, path) => openAsyncJail(folder).read(path, MAX_SHORT)

/** Opens the model that the settings pin by digest; undefined when they choose another embedder. */
export const openPinnedModel = (
  { embedder: address = '', root }: Config,
  { folder: packetFolder, ...pulling }: PinnedPorts,
): PinnedModel | undefined => {
  if (!isReference(address)) return undefined
  const ref = parseReference(address)
  const { digest } = ref
  if (digest === undefined)
    throw packetFaults.reference(`--embedder ${address} has no digest`, {
      fix: '`warrant packet pull` prints the digest that a tag names now.',
    })
  const ports = { ...pulling, read: readShort, revocation: openPacketLock(resolve(root)).revocation }
  const open = async (call: EmbedCall): Promise<Embedder> => {
    const { folder, model, warnings } = await fetchModel(ports, { ref, digest, ...call })
    return { ...cacheDocuments(openModelFolder(folder, model), packetFolder), warnings }
  }
  /** For a question that words can answer too. `why` becomes a warning. */
  const unusable = (model: string, why: string, fix: string): Embedder => ({
    model,
    provider: SENTENCE_PROVIDER,
    dim: MODEL_DIM,
    embed: async () => {
      throw packetFaults.embedder(why, { fix })
    },
  })
  const notFetched = (model: string, { message, kind }: Fault): Embedder | undefined => {
    if (kind !== 'unavailable') return undefined
    const pull = `\`warrant packet pull ${pinnedUri(ref, digest)}\``
    const why = `the pinned model is not stored here, and ${message}; fetch it once with ${pull}`
    return unusable(model, why, `Fetch the model once with ${pull}.`)
  }
  const otherwise = (make: (fault: Fault) => Embedder | undefined) => (thrown: unknown) => {
    const made = thrown instanceof Fault ? make(thrown) : undefined
    if (made === undefined) throw thrown
    return made
  }
  return {
    open,
    find: async (model, call) => {
      const own = pinnedModelName(digest)
      if (model === own || SENTENCE_MODELS.includes(model)) {
        const embedder = await open(call).catch(otherwise((fault) => notFetched(model, fault)))
        return embedderNamed(embedder, model)
      }
      // Another packet may have got vectors of this model by `pull --rebuild`, which stored the model.
      if ((await ports.store.find(digest)) === undefined) return undefined
      const embedder = await open(call).catch(
        otherwise(({ message, fix }) => unusable(own, `the pinned model cannot be used: ${message}`, fix)),
      )
      return { ...embedder, onlyOwnVectors: true }
    },
  }
}
