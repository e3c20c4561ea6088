import { resolve } from 'node:path'
import { parseReference, sourceUri } from '../../../packets/format/reference.ts'
import { pullPacket } from '../../../packets/transfer/pull.ts'
import { verifiedStamps } from '../../../platform/packets/verified-stamp.ts'
import { OciClient } from '../../../platform/registry/client.ts'
import { systemClock } from '../../../platform/system/clock.ts'
import { usageFaults } from '../../../surfaces/cli/command.ts'
import type { Subcommand } from '../../../surfaces/cli/subcommand.ts'
import { lazyDecisions } from '../../open/lazy-services.ts'
import { PacketWorkspace } from '../../open/packet-workspace.ts'
import { openRegistry, recordResolutions } from '../../open/registry.ts'
import { createProcessContext } from '../../process-context.ts'
import { withProgress } from '../progress.ts'
import { requireWritable } from '../require-writable.ts'
import { embedSettings, NO_ABORT, needText, packetSettings, printResult, progressJob } from './settings.ts'

/** Downloads a packet, so that it can be queried offline. */
export const pull: Subcommand = async (invocation, [ref]) => {
  const { rebuild, provider } = invocation.flags
  if (provider !== undefined && !rebuild) throw usageFaults.option('--provider is for --rebuild')
  // Settings are checked before the download.
  const { config } = rebuild ? await embedSettings(invocation) : packetSettings(invocation)
  requireWritable(config, '`warrant packet pull`')
  const uri = sourceUri({ ref: needText(ref, 'a packet'), registry: config.registry })
  if (uri === undefined) throw usageFaults.argument('name a registry with --registry, or an oci:// reference')
  const workspace = new PacketWorkspace(config, systemClock)
  const { isIntact } = verifiedStamps(workspace.folder)
  const root = resolve(config.root)
  const { clock, log } = createProcessContext(config)
  const decisions = lazyDecisions({ config, root, clock, log, environment: process.env })
  const client = new OciClient(openRegistry(config, process.env))
  const registry = recordResolutions(client, config, root, { clock, log, recorder: decisions.recorder })
  const ports = { ...workspace.pullPorts(registry), isIntact }
  const reference = parseReference(uri)
  const { digest, folder, warnings } = await withProgress(
    progressJob(invocation, 'pull', 'bytes'),
    (progress) => pullPacket(ports, { ref: reference, signal: NO_ABORT, progress }),
  ).finally(() => decisions.close())
  if (reference.digest === undefined) await workspace.resolutions.keep(reference, digest)
  if (rebuild === true) {
    const { rebuildPacketVectors } = await import('./rebuild.ts')
    await rebuildPacketVectors(invocation, { config, root: workspace.folder, digest, folder })
  }
  const lines = [...warnings.map((one) => `# ${one}`), digest, folder]
  return printResult(invocation, { digest, folder, warnings }, lines.join('\n'))
}
