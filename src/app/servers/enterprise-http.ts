import { resolve } from 'node:path'
import type { Terminal } from '../../cli/command/command.ts'
import type { EnterpriseService } from '../../gate/enterprise/toolset.ts'
import { enterpriseHttp } from '../../http/enterprise-routes.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import type { Config } from '../config/settings.ts'
import { VERSION } from '../config/version.ts'
import { lazyEnterprise } from '../open/lazy-enterprise.ts'
import { lazyDecisions } from '../open/lazy-services.ts'
import { recordEnterprise } from '../open/receipts/record-enterprise.ts'
import { createProcessContext } from '../process-context.ts'
import { serveHttp } from './listen.ts'

/** Whether the repository has a log of decisions. This server begins none. */
const hasLog = async (config: Config, root: string): Promise<boolean> => {
  if (config.readOnly || config.store === 'memory') return false
  if (config.store !== undefined) return true
  // Loaded here: a static import would split the chunks of the gate.
  const [{ locateDecisions }, { findOwnDatabase }] = await Promise.all([
    import('../open/store.ts'),
    import('../open/user-state.ts'),
  ])
  // A database that came with the repository is a fault, and no log of this machine.
  return findOwnDatabase(config, await locateDecisions(config, root)).catch(() => false)
}

/** Serves the state of the repository over HTTP until a signal stops it. */
export const serveEnterprise = async (
  { config, sources }: LoadedConfig,
  json: boolean,
  terminal: Terminal,
): Promise<number> => {
  const { log, clock, cwd } = createProcessContext(config)
  const root = resolve(cwd, config.root)
  const openspec = { named: config.openspec && resolve(cwd, config.openspec) }
  // This server is read-only by default: its tools are. A log that the repository has gets their verdicts all the same.
  const recording = { ...config, readOnly: config.readOnly && sources.get('readOnly') !== 'default' }
  const environment = process.env
  const service = lazyEnterprise(root, { config, recording, environment, clock, log, openspec })
  const { recorder } = lazyDecisions({ config: recording, root, environment, clock, log })
  // Existing clients get their answer in any case; the server's log tells what was not recorded.
  const recorded = recordEnterprise(service, { clock, log, recorder }, () => {})
  const run: EnterpriseService['run'] = async (tool, ...call) =>
    tool === 'ai_gate_check' && (await hasLog(recording, root))
      ? recorded.run(tool, ...call)
      : service.run(tool, ...call)
  const routes = enterpriseHttp({ ...service, run })
  return serveHttp({ ...routes, log }, config, (url) =>
    terminal.print(
      json ? JSON.stringify({ url, version: VERSION }) : `Enterprise server of ${root} on ${url}`,
    ),
  )
}
