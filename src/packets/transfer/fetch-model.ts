import type { Digest } from '../../kernel/encoding/digest.ts'
import { packetFaults } from '../faults.ts'
import { readArtifact } from '../format/artifact.ts'
import { pinnedUri, type Reference, writeReference } from '../format/reference.ts'
import { checkModelArtifact, checkModelCard, MODEL_FILES, modelNameFor } from '../minilm/model-artifact.ts'
import type { ProgressListener } from '../progress.ts'
import type { CheckArtifact, PulledPacket, PullPorts } from './pull.ts'

export interface ModelPorts extends Pick<PullPorts, 'guard' | 'store'> {
  readonly pull: (
    ref: Reference,
    signal: AbortSignal,
    watch: ProgressListener,
    check: CheckArtifact,
  ) => Promise<PulledPacket>
  /** Whether the stored bytes are those of the digest. */
  readonly isIntact: (digest: Digest, folder: string) => Promise<boolean>
  /** Reads a short file of a stored packet. */
  readonly read: (folder: string, path: string) => Promise<Uint8Array | undefined>
  readonly revocation: (digest: Digest) => Promise<{ readonly reason: string } | undefined>
}

interface ModelRequest {
  readonly ref: Reference
  readonly digest: Digest
  readonly signal: AbortSignal
  readonly watch: ProgressListener
}

interface FetchedModel {
  /** The folder with the files of the model. */
  readonly folder: string
  /** The model name in packets. */
  readonly model: string
  /** Warnings of a policy in warn mode. */
  readonly warnings: readonly string[]
}

/** Finds a model in the store, or downloads it. One that is in the store needs no network. */
const materializeModel = async (
  { guard, store, pull, isIntact }: ModelPorts,
  { ref, digest, signal, watch }: ModelRequest,
): Promise<Omit<FetchedModel, 'model'>> => {
  const sourceWarnings = await guard.checkSource(ref, true)
  const stored = await store.find(digest)
  if (stored !== undefined && (await isIntact(digest, stored))) {
    const { warnings } = await guard.checkTrust({ ref, digest, signal })
    return { folder: stored, warnings: [...sourceWarnings, ...warnings] }
  }
  const pulled = await pull(ref, signal, watch, checkModelArtifact)
  if (pulled.digest === digest && (await isIntact(digest, pulled.folder))) return pulled
  throw packetFaults.model(`the model that is stored as ${digest} is damaged`, {
    fix: `Download it again with \`warrant packet pull ${pinnedUri(ref, digest)}\`.`,
  })
}

const readStored = async ({ read }: ModelPorts, folder: string, path: string): Promise<Uint8Array> => {
  const bytes = await read(folder, path)
  if (bytes === undefined) throw packetFaults.model(`the stored model has no ${path}`)
  return bytes
}

/** Gets a pinned model under the policy for packets. Nothing that a registry says of it is trusted. */
export const fetchModel = async (ports: ModelPorts, request: ModelRequest): Promise<FetchedModel> => {
  const { ref, digest } = request
  const revoked = await ports.revocation(digest)
  if (revoked !== undefined)
    throw packetFaults.revoked(`the model ${writeReference(ref)} was revoked: ${revoked.reason}`, {
      fix: 'Name another model with --embedder, or do without it: --embedder minilm or words.',
    })
  const { folder, warnings } = await materializeModel(ports, request)
  const document = readArtifact(await readStored(ports, folder, 'oci-manifest.json'))
  if (document.kind === 'index') throw packetFaults.model('the address names an index and not one model')
  const blobs = checkModelArtifact(document.artifact)
  checkModelCard(await readStored(ports, folder, `payload/${MODEL_FILES.card.name}`), blobs)
  return { folder: `${folder}/payload`, model: modelNameFor(digest, blobs), warnings }
}
