import { resolve } from 'node:path'
import type { Digest } from '../../kernel/digest.ts'
import { parseReference, sourceUri } from '../../packets/format/reference.ts'
import { Guard } from '../../packets/guard.ts'
import { publishPacket } from '../../packets/publish.ts'
import { pullPacket } from '../../packets/pull.ts'
import { LOCAL_MODEL } from '../../packets/search/local-embedder.ts'
import { systemClock } from '../../platform/clock.ts'
import { metadataCache } from '../../platform/packet-cache.ts'
import { builtPackets, packetFolder } from '../../platform/packet-folder.ts'
import { packetPolicy } from '../../platform/packet-policy.ts'
import { packetReader, rebuildVectors } from '../../platform/packet-reader.ts'
import { packetStore } from '../../platform/packet-store.ts'
import { verifyBundle } from '../../platform/sigstore.ts'
import { type Invocation, usageFaults } from '../../surfaces/cli/command.ts'
import type { Verb } from '../../surfaces/cli/subcommand.ts'
import type { Config } from '../config.ts'
import { openHashRoom } from '../hash-room.ts'
import { embedderFor, registryHere } from '../open-packets.ts'
import { packetHome } from '../packet-home.ts'
import { jobOf, listFlag, needText, packetSettings, showMade } from '../packet-settings.ts'
import { withProgress } from '../progress.ts'

const never = new AbortController().signal

/** The packet a caller means: the folder itself, or the only one that was built below it. */
const onlyPacket = async (asked: string): Promise<string> => {
  const found = await builtPackets(resolve(asked))
  if (found.length > 1)
    throw usageFaults.argument(`there are ${found.length} packets in ${asked}; name one of them`)
  return found[0] ?? resolve(asked)
}

const checkParts = ({ flags }: Invocation): void => {
  if (flags.full && (flags.minimal || flags['no-docs'] || flags['no-embeddings']))
    throw usageFaults.option('--full excludes --minimal, --no-docs and --no-embeddings')
}

/** Sends a built packet to a registry. */
export const publish: Verb = async (invocation, [asked]) => {
  const { config } = packetSettings(invocation)
  const registry = needText(config.registry, 'a registry with --registry or REGISTRY')
  checkParts(invocation)
  const { pusher } = registryHere(config, process.env)
  const tags = listFlag(invocation, 'tag')
  const folder = await onlyPacket(needText(asked, 'the folder of a built packet'))
  const published = await withProgress(jobOf(invocation, 'publish', 'bytes'), (progress) =>
    publishPacket(
      pusher,
      packetFolder(folder),
      {
        registry,
        minimal: invocation.flags.minimal === true,
        docs: invocation.flags['no-docs'] !== true,
        embeddings: invocation.flags['no-embeddings'] !== true,
        ...(tags !== undefined && { tags }),
        progress,
      },
      never,
    ),
  )
  const { ref, digest, sent, there, pinned_uri } = published
  return showMade(
    invocation,
    published,
    `${ref}\n${digest} (${sent} sent, ${there} there already)\n${pinned_uri}`,
  )
}

/** Makes vectors of the configured model beside a packet that was fetched. */
const rebuild = async (
  invocation: Invocation,
  config: Config,
  home: string,
  digest: Digest,
  folder: string,
): Promise<void> => {
  const { embeddingUrl, embeddingModel } = config
  const embedder = embeddingModel === undefined ? undefined : embedderFor(config)(embeddingModel)
  if (embeddingUrl === undefined || embedder === undefined)
    throw usageFaults.option('--rebuild needs --embedding-url and --embedding-model')
  const packet = await packetReader(home, systemClock)(digest, folder)
  try {
    // Such packets are always asked with what is built in, so that they need nothing.
    if (packet.manifest.embedding.model === LOCAL_MODEL)
      throw usageFaults.option('a packet of the built-in embedder is not rebuilt; build it with the model')
    await withProgress(jobOf(invocation, 'embed', 'chunks'), (progress) =>
      rebuildVectors({ root: home, clock: systemClock, embedder, progress }, digest, packet, never),
    )
  } finally {
    packet.close()
  }
}

/** Fetches a packet, so that it can be asked without a network. */
export const pull: Verb = async (invocation, [ref]) => {
  const { config } = packetSettings(invocation)
  const uri = sourceUri({ ref: needText(ref, 'a packet'), registry: config.registry })
  if (uri === undefined) throw usageFaults.argument('name a registry with --registry, or an oci:// reference')
  const { client } = registryHere(config, process.env)
  const home = packetHome(config)
  const cache = metadataCache(home, systemClock)
  const guard = new Guard({ registry: client, cache, policy: packetPolicy(home), verifyBundle })
  const ports = {
    registry: client,
    store: packetStore(home, openHashRoom),
    guard,
    maxBytes: config.maxPacketBytes,
  }
  const { digest, folder, warnings } = await withProgress(jobOf(invocation, 'pull', 'bytes'), (progress) =>
    pullPacket(ports, parseReference(uri), never, progress),
  )
  if (invocation.flags.rebuild === true) await rebuild(invocation, config, home, digest, folder)
  const lines = [...warnings.map((one) => `# ${one}`), digest, folder]
  return showMade(invocation, { digest, folder, warnings }, lines.join('\n'))
}
