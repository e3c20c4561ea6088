import type { Recorder } from '../kernel/ports.ts'
import type { Invocation } from '../surfaces/cli/command.ts'
import type { Host } from '../surfaces/mcp/hello.ts'
import type { Service } from '../surfaces/mcp/service.ts'
import type { Assembly } from './compose.ts'
import { greet, type World } from './greet.ts'
import { type Loaded, loadConfig } from './load-config.ts'
import { writeLog } from './terminal.ts'

const world = (): World => ({ cwd: process.cwd(), environment: process.env, writeLog })

export const loadSettings = ({ flags }: Invocation): Loaded => loadConfig(flags, world())

export const assembleHere = async ({ config }: Loaded, recorder?: Recorder): Promise<Assembly> =>
  (await import('./compose.ts')).assemble(config, world(), recorder)

/** A server that greets before its tools are loaded: clients wait for the greeting. */
export const hostHere = async (loaded: Loaded): Promise<Host> => {
  const { toolsets, tools, excludeTools } = loaded.config
  let service: Promise<Service> | undefined
  const load = () => {
    service ??= assembleHere(loaded).then(
      (assembly) => assembly.service,
      (cause: unknown) => {
        service = undefined
        throw cause
      },
    )
    return service
  }
  // A name that does not exist must be refused now, not when the client asks for the tools.
  if (toolsets.length + tools.length + excludeTools.length > 0) await load()
  return { hello: greet(loaded.config, world()), service: load }
}
