import { lazyAsync } from '../kernel/async/once.ts'
import type { Recorder } from '../kernel/ports.ts'
import type { LazyServer } from '../mcp/handshake.ts'
import type { RootHandle } from '../platform/jail/handles.ts'
import { CallStats } from './call-stats.ts'
import type { ComposedServer } from './compose.ts'
import { type Flags, type LoadedConfig, loadConfig, type Preset, requireRoot } from './config/load-config.ts'
import type { Config } from './config/settings.ts'
import { createServerBasics, type ProcessContext, type ServerProfile } from './server-profile.ts'
import { writeLog } from './terminal.ts'

const processContext = (): ProcessContext => ({ cwd: process.cwd(), environment: process.env, writeLog })

export const loadSettings = ({ flags }: { readonly flags: Flags }, preset?: Preset): LoadedConfig => {
  const loaded = loadConfig(flags, processContext(), preset)
  for (const notice of loaded.notices) writeLog(`warrant: ${notice}`)
  return loaded
}

/** Log, clock and working folder, for a server without MCP tools. */
export const createProcessContext = (config: Config) => {
  const context = processContext()
  const { log, clock } = createServerBasics(config, context)
  return { log, clock, cwd: context.cwd }
}

interface AssemblyOptions {
  readonly recorder?: Recorder
  readonly profile?: ServerProfile | undefined
  readonly root?: RootHandle | undefined
}

export const loadServer = async (
  { config }: LoadedConfig,
  { root, ...options }: AssemblyOptions = {},
): Promise<ComposedServer> =>
  (await import('./compose.ts')).composeServer(
    config,
    { ...processContext(), ...(root && { root }) },
    options,
  )

export interface ClosableServer extends LazyServer {
  /** Writes a debug log line with call statistics, then closes every service. */
  close(): Promise<void>
}

/** A server that answers the handshake before its tools are loaded: clients wait for the handshake. */
export const createLazyServer = async (
  loaded: LoadedConfig,
  profile?: ServerProfile,
  root?: RootHandle,
): Promise<ClosableServer> => {
  const { toolsets, tools, excludeTools } = loaded.config
  if (root === undefined) requireRoot(loaded.config)
  const handshake = createServerBasics(loaded.config, processContext(), profile)
  const stats = new CallStats()
  const assembly = lazyAsync(() => loadServer(loaded, { recorder: stats, profile, root }))
  // Load the catalog now if tools were selected, so that an unknown name fails at the start.
  const sources = ['toolsets', 'tools', 'excludeTools'].map((key) => loaded.sources.get(key))
  const selected = toolsets.length + tools.length + excludeTools.length > 0
  if (selected && sources.some((source) => source !== 'default')) await assembly.get()
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
