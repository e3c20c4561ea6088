import type { Digest } from '../../../kernel/encoding/digest.ts'
import { EARLIER_SENTENCE_MODEL, SENTENCE_MODEL } from '../../../packets/minilm/model-name.ts'
import { LOCAL_MODEL } from '../../../packets/search/local-embedder.ts'
import { packetReader } from '../../../platform/packets/reader.ts'
import { rebuildVectors } from '../../../platform/packets/vectors/packet-vectors.ts'
import { systemClock } from '../../../platform/system/clock.ts'
import { type Invocation, usageFaults } from '../../../surfaces/cli/command.ts'
import type { Config } from '../../config/settings.ts'
import { embedderFor } from '../../open/embedders.ts'
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

/** Makes vectors of the configured model for a packet that was fetched. The packet itself does not change. */
export const rebuildPacketVectors = async (
  invocation: Invocation,
  { config, root, digest, folder }: FetchedPacket,
): Promise<void> => {
  const { embeddingUrl, embeddingModel } = config
  const embedder = embeddingModel === undefined ? undefined : embedderFor(config)(embeddingModel)
  if (embeddingUrl === undefined || embedder === undefined)
    throw usageFaults.option(
      '--rebuild needs --embedding-url and --embedding-model, or an embedding --provider that names a model',
    )
  const packet = await packetReader(root, systemClock)(digest, folder)
  try {
    // Packets of a built-in embedder are always queried with it, so new vectors would never be used.
    if ([LOCAL_MODEL, SENTENCE_MODEL, EARLIER_SENTENCE_MODEL].includes(packet.manifest.embedding.model))
      throw usageFaults.option(
        '--rebuild does not work for packets of the built-in embedder; build the packet again with --embedding-model',
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
  }
}
