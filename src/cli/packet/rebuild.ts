import type { Config } from '../../app/config/settings.ts'
import { closeEmbedders, type EmbedderPorts, embedderFor } from '../../app/open/embedders.ts'
import type { Digest } from '../../kernel/encoding/digest.ts'
import type { EmbedCall, Embedder } from '../../packets/embed.ts'
import { SENTENCE_MODELS } from '../../packets/minilm/model-name.ts'
import { LOCAL_MODEL } from '../../packets/search/local-embedder.ts'
import { packetReader } from '../../platform/packets/reader.ts'
import { rebuildVectors } from '../../platform/packets/vectors/packet-vectors.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { withProgress } from '../progress.ts'
import { withModelPorts } from './model-ports.ts'
import { NO_ABORT, progressJob } from './settings.ts'

interface FetchedPacket {
  readonly config: Config
  /** The packet folder that the packet was stored in. */
  readonly root: string
  readonly digest: Digest
  /** The folder of this packet below `root`. */
  readonly folder: string
}

/** The pinned model, or that of the configured server. */
const configuredEmbedder = async (
  config: Config,
  ports: EmbedderPorts,
  call: EmbedCall,
): Promise<Embedder> => {
  const { embeddingUrl, embeddingModel } = config
  if (ports.pinned !== undefined) return ports.pinned.open(call)
  const embedder =
    embeddingModel === undefined ? undefined : await embedderFor(config, ports)(embeddingModel, {}, call)
  if (embeddingUrl !== undefined && embedder !== undefined) return embedder
  throw usageFaults.option(
    '--rebuild needs --embedding-url and --embedding-model, an embedding --provider that names a model, or --embedder oci://HOST/NAME@sha256:…',
  )
}

/** Makes vectors of the configured model for a packet that was fetched. The packet itself does not change. */
export const rebuildPacketVectors = async (
  invocation: Invocation,
  { config, root, digest, folder }: FetchedPacket,
): Promise<void> => {
  const embedder = await withModelPorts(invocation, config, (ports, call) =>
    configuredEmbedder(config, ports, call),
  )
  const packet = await packetReader(root, systemClock)(digest, folder)
  try {
    // Packets of a built-in embedder are always queried with it, so new vectors would never be used.
    if ([LOCAL_MODEL, ...SENTENCE_MODELS].includes(packet.manifest.embedding.model))
      throw usageFaults.option(
        '--rebuild does not work for packets of the built-in embedder; build the packet again with the other embedder',
      )
    await withProgress(progressJob(invocation, 'embed', 'windows'), (progress) =>
      rebuildVectors({
        root,
        clock: systemClock,
        digest,
        packet,
        embedder,
        signal: NO_ABORT,
        progress,
      }),
    )
  } finally {
    packet.close()
    await closeEmbedders()
  }
}
