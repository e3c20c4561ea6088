import { packetRoot } from '../../app/config/packet-root.ts'
import type { Config } from '../../app/config/settings.ts'
import { closeEmbedders, embedderFor } from '../../app/open/embedders.ts'
import type { Digest } from '../../kernel/encoding/digest.ts'
import { type Embedder, SENTENCE_MODEL } from '../../packets/embed.ts'
import { packetReader } from '../../platform/packets/reader.ts'
import { rebuildVectors } from '../../platform/packets/vectors/packet-vectors.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { withProgress } from '../progress.ts'
import { NO_ABORT, progressJob } from './settings.ts'

interface FetchedPacket {
  readonly config: Config
  /** The packet folder that the packet was stored in. */
  readonly root: string
  readonly digest: Digest
  /** The folder of this packet below `root`. */
  readonly folder: string
}

/** The model of the configured server. */
const configuredEmbedder = (config: Config): Embedder => {
  const { embeddingUrl, embeddingModel } = config
  const embedder = embeddingModel && embedderFor(config, packetRoot(config))(embeddingModel, {})
  if (embeddingUrl !== undefined && embedder) return embedder
  throw usageFaults.option(
    '--rebuild needs --embedding-url and --embedding-model, or an embedding --provider that names a model',
  )
}

/** Makes vectors of the configured model for a packet that was fetched. The packet itself does not change. */
export const rebuildPacketVectors = async (
  invocation: Invocation,
  { config, root, digest, folder }: FetchedPacket,
): Promise<void> => {
  const embedder = configuredEmbedder(config)
  const packet = await packetReader(root, systemClock)(digest, folder)
  try {
    // Packets of a built-in embedder are always queried with it, so new vectors would never be used.
    if (packet.manifest.embedding.model === SENTENCE_MODEL)
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
