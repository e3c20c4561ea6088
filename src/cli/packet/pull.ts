import { resolve } from 'node:path'
import type { Config } from '../../app/config/settings.ts'
import { lazyDecisions } from '../../app/open/lazy-services.ts'
import { PacketWorkspace } from '../../app/open/packet-workspace.ts'
import { openRegistry, recordResolutions } from '../../app/open/registry.ts'
import { createProcessContext } from '../../app/process-context.ts'
import { parseReference, sourceUri } from '../../packets/format/reference.ts'
import { keepResolution } from '../../packets/resolutions.ts'
import { pullPacket } from '../../packets/transfer/pull.ts'
import { verifiedStamps } from '../../platform/packets/verify-stored.ts'
import { OciClient } from '../../platform/registry/client.ts'
import { systemClock } from '../../platform/system/clock.ts'
import { usageFaults } from '../command/command.ts'
import { requireWritable, type Subcommand } from '../command/subcommand.ts'
import { withProgress } from '../progress.ts'
import { embedSettings, NO_ABORT, needText, packetSettings, printResult, progressJob } from './settings.ts'

/** What a command that downloads packets needs. `close` after the last download. */
export const openPullPorts = (config: Config) => {
  const workspace = new PacketWorkspace(config, systemClock)
  const { isIntact } = verifiedStamps(workspace.folder)
  const root = resolve(config.root)
  const { clock, log } = createProcessContext(config)
  const decisions = lazyDecisions({ config, root, clock, log, environment: process.env })
  const client = new OciClient(openRegistry(config, process.env))
  const registry = recordResolutions(client, config, root, { clock, log, recorder: decisions.recorder })
  const ports = { ...workspace.pullPorts(registry), isIntact, resolutions: workspace.resolutions }
  return { folder: workspace.folder, ports, close: () => decisions.close() }
}

/** Downloads a packet, so that it can be queried offline. */
export const pull: Subcommand = async (invocation, [name]) => {
  const { rebuild, provider } = invocation.flags
  if (provider !== undefined && !rebuild) throw usageFaults.option('--provider is for --rebuild')
  // Settings are checked before the download.
  const { config } = rebuild ? await embedSettings(invocation) : packetSettings(invocation)
  requireWritable(config, '`warrant packet pull`')
  const uri = sourceUri({ ref: needText(name, 'a packet'), registry: config.registry })
  if (uri === undefined) throw usageFaults.argument('name a registry with --registry, or an oci:// reference')
  const { folder: root, ports, close } = openPullPorts(config)
  const ref = parseReference(uri)
  const { digest, folder, warnings } = await withProgress(
    progressJob(invocation, 'pull', 'bytes'),
    (progress) => pullPacket(ports, { ref, signal: NO_ABORT, progress }),
  ).finally(close)
  await keepResolution(ports.resolutions, ref, digest)
  if (rebuild === true) {
    const { rebuildPacketVectors } = await import('./rebuild.ts')
    await rebuildPacketVectors(invocation, { config, root, digest, folder })
  }
  const lines = [...warnings.map((one) => `# ${one}`), digest, folder]
  return printResult(invocation, { digest, folder, warnings }, lines.join('\n'))
}
