import type { Digest } from '../../../kernel/encoding/digest.ts'
import { LOCAL_MODEL } from '../../../packets/search/local-embedder.ts'
import { packetReader, rebuildVectors } from '../../../platform/packets/reader.ts'
import { systemClock } from '../../../platform/system/clock.ts'
import { type Invocation, usageFaults } from '../../../surfaces/cli/command.ts'
import type { Config } from '../../config/settings.ts'
import { embedderFor } from '../../open/packets.ts'
import { withProgress } from '../progress.ts'
import { NO_ABORT, progressJob } from './settings.ts'

/** Makes vectors of the configured model beside a packet that was fetched. */
export const rebuild = async (
  invocation: Invocation,
  config: Config,
  home: string,
  digest: Digest,
  folder: string,
): Promise<void> => {
  const { embeddingUrl, embeddingModel } = config
  const embedder = embeddingModel === undefined ? undefined : embedderFor(config)(embeddingModel)
  if (embeddingUrl === undefined || embedder === undefined)
    throw usageFaults.option(
      '--rebuild needs --embedding-url and --embedding-model, or a --provider that has a model',
    )
  const packet = await packetReader(home, systemClock)(digest, folder)
  try {
    // Such packets are always asked with what is built in, so that they need nothing.
    if (packet.manifest.embedding.model === LOCAL_MODEL)
      throw usageFaults.option('a packet of the built-in embedder is not rebuilt; build it with the model')
    await withProgress(progressJob(invocation, 'embed', 'chunks'), (progress) =>
      rebuildVectors({ root: home, clock: systemClock, embedder, progress }, digest, packet, NO_ABORT),
    )
  } finally {
    packet.close()
  }
}
