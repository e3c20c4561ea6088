import { resolve } from 'node:path'
import type { Config } from '../../app/config/settings.ts'
import { lazyDecisions } from '../../app/open/lazy-services.ts'
import { PacketWorkspace } from '../../app/open/packet-workspace.ts'
import { openRegistry, recordResolutions } from '../../app/open/registry.ts'
import { createProcessContext } from '../../app/process-context.ts'
import { verifiedStamps } from '../../platform/packets/verified-stamp.ts'
import { OciClient } from '../../platform/registry/client.ts'
import { systemClock } from '../../platform/system/clock.ts'

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
