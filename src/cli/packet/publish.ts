import { resolve } from 'node:path'
import { publishPacket } from '../../packets/transfer/publish.ts'
import { builtPackets, packetFolder } from '../../platform/packets/folder.ts'
import { type Invocation, usageFaults } from '../command/command.ts'
import { requireWritable, type Subcommand } from '../command/subcommand.ts'
import { listFlag, NO_ABORT, needText, packetSettings } from './settings.ts'
import { uploadArtifact } from './upload.ts'

/** The folder itself, or the only packet that was built below it. */
const onlyPacket = async (asked: string): Promise<string> => {
  const found = await builtPackets(resolve(asked))
  if (found.length > 1) throw usageFaults.argument(`${asked} has ${found.length} packets; name one of them`)
  return found[0] ?? resolve(asked)
}

const withoutVectors = ({ flags }: Pick<Invocation, 'flags'>): boolean =>
  flags['no-embeddings'] === true || flags['no-embed'] === true

/** Publishes a built packet to a registry. */
export const publish: Subcommand = async (invocation, [asked]) => {
  const { config } = packetSettings(invocation)
  const registry = needText(config.registry, 'a registry with --registry or REGISTRY')
  requireWritable(config, '`warrant packet publish`')
  const tags = listFlag(invocation, 'tag')
  const folder = await onlyPacket(needText(asked, 'the folder of a built packet'))
  return uploadArtifact(invocation, config, (pusher, options) =>
    publishPacket(
      pusher,
      packetFolder(folder),
      {
        registry,
        minimal: invocation.flags.minimal === true,
        docs: invocation.flags['no-docs'] !== true,
        embeddings: !withoutVectors(invocation),
        ...(tags !== undefined && { tags }),
        ...options,
      },
      NO_ABORT,
    ),
  )
}
