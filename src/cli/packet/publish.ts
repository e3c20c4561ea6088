import { resolve } from 'node:path'
import type { Config } from '../../app/config/settings.ts'
import { PacketWorkspace } from '../../app/open/packet-workspace.ts'
import { openRegistry } from '../../app/open/registry.ts'
import { Fault } from '../../kernel/fault.ts'
import type { Reference } from '../../packets/format/reference.ts'
import { publishPacket } from '../../packets/transfer/publish.ts'
import { builtPackets, packetFolder } from '../../platform/packets/folder.ts'
import { OciClient } from '../../platform/registry/client.ts'
import { OciPusher } from '../../platform/registry/push.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { usageFaults } from '../command/command.ts'
import type { Subcommand } from '../command/subcommand.ts'
import { requireWritable } from '../command/subcommand.ts'
import { withProgress } from '../progress.ts'
import { listFlag, NO_ABORT, needText, packetSettings, printResult, progressJob } from './settings.ts'

/** Drops the cached meaning of the tags, so that the next query finds what was just published. */
const forgetTags = async (
  config: Config,
  { pinned_uri, tags }: { readonly pinned_uri: string; readonly tags: readonly string[] },
): Promise<void> => {
  const place = pinned_uri.slice(0, pinned_uri.indexOf('@'))
  try {
    const { cache } = new PacketWorkspace(config, systemClock)
    for (const tag of tags) await cache.dropAlias(`${place}:${tag}`)
  } catch {
    // A packet folder that is refused here is refused by every query too: there is no cache to drop.
  }
}

/** Reads what a tag names now; undefined when the registry has no such tag. */
const publishedDigest = (client: OciClient) => async (ref: Reference, signal: AbortSignal) => {
  try {
    return (await client.resolve(ref, signal)).digest
  } catch (thrown) {
    if (thrown instanceof Fault && thrown.kind === 'missing') return undefined
    throw thrown
  }
}

/** The folder itself, or the only packet that was built below it. */
const onlyPacket = async (asked: string): Promise<string> => {
  const found = await builtPackets(resolve(asked))
  if (found.length > 1) throw usageFaults.argument(`${asked} has ${found.length} packets; name one of them`)
  return found[0] ?? resolve(asked)
}

/** Publishes a built packet to a registry. */
export const publish: Subcommand = async (invocation, [asked]) => {
  const { config } = packetSettings(invocation)
  const registry = needText(config.registry, 'a registry with --registry or REGISTRY')
  requireWritable(config, '`warrant packet publish`')
  const open = packetFolder(await onlyPacket(needText(asked, 'the folder of a built packet')))
  const http = openRegistry(config, process.env)
  const { flags } = invocation
  const published = await withProgress(progressJob(invocation, 'publish', 'bytes'), (progress) => {
    const options = {
      registry,
      progress,
      minimal: flags.minimal === true,
      docs: flags['no-docs'] !== true,
      embeddings: flags['no-embeddings'] !== true && flags['no-embed'] !== true,
      tags: listFlag(invocation, 'tag'),
      resolve: flags['move-tag'] === true ? undefined : publishedDigest(new OciClient(http)),
    }
    return publishPacket(new OciPusher(http), open, options, NO_ABORT)
  })
  await forgetTags(config, published)
  const { ref, digest, sent, there, tags, pinned_uri } = published
  const done = `${sent} uploaded, ${there} already there, tagged ${tags.join(', ')}`
  return printResult(invocation, published, `${ref}\n${digest} (${done})\n${pinned_uri}`)
}
