import { resolve } from 'node:path'
import { Fault } from '../../../kernel/fault.ts'
import type { EmbedCall, Embedder } from '../../../packets/embed.ts'
import { packetFaults } from '../../../packets/faults.ts'
import { isReference, parseReference, pinnedUri } from '../../../packets/format/reference.ts'
import { pinnedModelName } from '../../../packets/minilm/model-artifact.ts'
import { SENTENCE_MODEL, SENTENCE_PROVIDER } from '../../../packets/minilm/model-name.ts'
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
  /** While the registry gives no answer, a question is answered by words. */
  const orWords = (model: string, thrown: unknown): Embedder => {
    if (!(thrown instanceof Fault) || thrown.kind !== 'unavailable') throw thrown
    const embed = async () => {
      const pull = `\`warrant packet pull ${pinnedUri(ref, digest)}\``
      throw packetFaults.embedder(
        `the pinned model is not stored here, and ${thrown.message}; fetch it once with ${pull}`,
        { fix: `Fetch the model once with ${pull}.` },
      )
    }
    return { model, provider: SENTENCE_PROVIDER, dim: undefined, embed }
  }
  return {
    open,
    find: async (model, call) => {
      if (model === SENTENCE_MODEL || model === pinnedModelName(digest)) {
        const embedder = await open(call).catch((thrown: unknown) => orWords(model, thrown))
        return embedder.model === model ? embedder : undefined
      }
      // Another packet may have got vectors of this model by `pull --rebuild`, which stored the model.
      if ((await ports.store.find(digest)) === undefined) return undefined
      return { ...(await open(call)), onlyOwnVectors: true }
    },
  }
}
