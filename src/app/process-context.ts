import { lazyAsync } from '../kernel/async/once.ts'
import type { Recorder } from '../kernel/ports.ts'
import type { RootHandle } from '../platform/jail/handles.ts'
import type { Host } from '../surfaces/mcp/handshake.ts'
import { CallStats } from './call-stats.ts'
import type { Assembly } from './compose.ts'
import { type Flags, type LoadedConfig, loadConfig, type Preset, requireRoot } from './config/load-config.ts'
import type { Config } from './config/settings.ts'
import { createHandshake, type ProcessContext, type ServerProfile } from './server-profile.ts'
import { writeLog } from './terminal.ts'

const processContext = (): ProcessContext => ({ cwd: process.cwd(), environment: process.env, writeLog })

export const loadSettings = ({ flags }: { readonly flags: Flags }, preset?: Preset): LoadedConfig =>
  loadConfig(flags, processContext(), preset)

/** What a server without tools needs of the world. */
export const createProcessContext = (config: Config) => {
  const context = processContext()
  const { log, clock } = createHandshake(config, context)
  return { log, clock, cwd: context.cwd }
}

export const assembleServer = async (
  { config }: LoadedConfig,
  recorder?: Recorder,
  profile?: ServerProfile,
  root?: RootHandle,
): Promise<Assembly> =>
  (await import('./compose.ts')).composeServer(
    config,
    { ...processContext(), ...(root && { root }) },
    recorder,
    profile,
  )

export interface ClosableHost extends Host {
  /** Leaves a line for whoever debugs that says what was done, and lets go of everything. */
  close(): Promise<void>
}

/** A server that greets before its tools are loaded: clients wait for the greeting. */
export const createHost = async (
  loaded: LoadedConfig,
  profile?: ServerProfile,
  root?: RootHandle,
): Promise<ClosableHost> => {
  const { toolsets, tools, excludeTools } = loaded.config
  if (root === undefined) requireRoot(loaded.config)
  const handshake = createHandshake(loaded.config, processContext(), profile)
  const stats = new CallStats()
  const assembly = lazyAsync(() => assembleServer(loaded, stats, profile, root))
  // A name that does not exist must be refused now, not when the client asks for the tools.
  const sources = ['toolsets', 'tools', 'excludeTools'].map((key) => loaded.sources.get(key))
  const chosen = toolsets.length + tools.length + excludeTools.length > 0
  if (chosen && sources.some((source) => source !== 'default')) await assembly.get()
  return {
    handshake,
    service: async () => (await assembly.get()).service,
    close: async () => {
      const opened = await assembly.peek()
      if (opened === undefined) return
      handshake.log.write('debug', 'served', stats.report())
      await opened.close()
    },
  }
}
