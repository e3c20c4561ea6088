import { lazyAsync } from '../kernel/async/once.ts'
import type { JsonObject } from '../kernel/encoding/json.ts'
import type { CallRecord, Recorder } from '../kernel/ports.ts'
import type { LazyServer } from '../mcp/handshake.ts'
import type { RootHandle } from '../platform/jail/handles.ts'
import type { ComposedServer } from './compose.ts'
import { type Flags, type LoadedConfig, loadConfig, type Preset, requireRoot } from './config/load-config.ts'
import type { Config } from './config/settings.ts'
import { createServerBasics, type ProcessContext, type ServerProfile } from './server-profile.ts'
import { writeLog } from './terminal.ts'

/** Upper bounds of the latency histogram, in milliseconds. */
const BOUNDS = [1, 5, 25, 100, 500, 2_500, 10_000, Number.POSITIVE_INFINITY]
const NAMES = BOUNDS.map((bound) => (Number.isFinite(bound) ? `${bound}` : 'more'))

interface Count {
  calls: number
  readonly buckets: number[]
}

/** Counts the calls of a stdio server, for the log line it writes when it stops. */
class CallStats implements Recorder {
  readonly #tools = new Map<string, Count>()
  #failed = 0
  #corrupt = 0

  record({ tool, outcome, kind, ms }: CallRecord): undefined {
    let count = this.#tools.get(tool)
    if (count === undefined) {
      count = { calls: 0, buckets: BOUNDS.map(() => 0) }
      this.#tools.set(tool, count)
    }
    count.calls += 1
    let at = 0
    while (ms > (BOUNDS[at] ?? ms)) at += 1
    count.buckets[at] = (count.buckets[at] ?? 0) + 1
    if (outcome !== 'answer') this.#failed += 1
    if (kind === 'corrupt') this.#corrupt += 1
  }

  report(): JsonObject {
    const tools = [...this.#tools].sort(([one], [other]) => (one < other ? -1 : 1))
    const total = tools.reduce((sum, [, { calls }]) => sum + calls, 0)
    const good = total - this.#failed
    const histogram = (counts: readonly number[]) =>
      Object.fromEntries(NAMES.map((name, at) => [name, counts[at] ?? 0] as const).filter(([, n]) => n > 0))
    return {
      requests_total: total,
      requests_success: good,
      requests_failed: this.#failed,
      invariant_failures: this.#corrupt,
      success_rate: total === 0 ? 100 : (100 * good) / total,
      tools: Object.fromEntries(tools.map(([name, { calls }]) => [name, calls])),
      latency_ms: Object.fromEntries(tools.map(([name, count]) => [name, histogram(count.buckets)])),
    }
  }
}

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
