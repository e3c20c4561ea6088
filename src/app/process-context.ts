import type { Recorder } from '../kernel/ports.ts'
import type { RootHandle } from '../platform/jail/handles.ts'
import type { Host } from '../surfaces/mcp/handshake.ts'
import { Tally } from './call-stats.ts'
import type { Assembly } from './compose.ts'
import { type Flags, type Loaded, loadConfig, type Preset, requireRoot } from './config/load-config.ts'
import type { Config } from './config/settings.ts'
import { type Face, greet, type World } from './server-profile.ts'
import { writeLog } from './terminal.ts'

const world = (): World => ({ cwd: process.cwd(), environment: process.env, writeLog })

export const loadSettings = ({ flags }: { readonly flags: Flags }, preset?: Preset): Loaded =>
  loadConfig(flags, world(), preset)

/** What a server without tools needs of the world. */
export const greetHere = (config: Config) => {
  const here = world()
  const { log, clock } = greet(config, here)
  return { log, clock, cwd: here.cwd }
}

export const assembleHere = async (
  { config }: Loaded,
  recorder?: Recorder,
  face?: Face,
  root?: RootHandle,
): Promise<Assembly> =>
  (await import('./compose.ts')).assemble(config, { ...world(), ...(root && { root }) }, recorder, face)

export interface ClosableHost extends Host {
  /** Leaves a line for whoever debugs that says what was done, and lets go of everything. */
  close(): Promise<void>
}

/** A server that greets before its tools are loaded: clients wait for the greeting. */
export const hostHere = async (loaded: Loaded, face?: Face, root?: RootHandle): Promise<ClosableHost> => {
  const { toolsets, tools, excludeTools } = loaded.config
  if (root === undefined) requireRoot(loaded.config)
  const hello = greet(loaded.config, world(), face)
  const tally = new Tally()
  let assembly: Promise<Assembly> | undefined
  const load = () => {
    assembly ??= assembleHere(loaded, tally, face, root).catch((cause: unknown) => {
      assembly = undefined
      throw cause
    })
    return assembly
  }
  // A name that does not exist must be refused now, not when the client asks for the tools.
  const sources = ['toolsets', 'tools', 'excludeTools'].map((key) => loaded.sources.get(key))
  const chosen = toolsets.length + tools.length + excludeTools.length > 0
  if (chosen && sources.some((source) => source !== 'default')) await load()
  return {
    hello,
    service: async () => (await load()).service,
    close: async () => {
      if (assembly === undefined) return
      hello.log.write('debug', 'served', tally.report())
      await (await assembly).close()
    },
  }
}
