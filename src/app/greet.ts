import { systemClock } from '../platform/clock.ts'
import { createLog } from '../platform/log.ts'
import { DIALECTS } from '../surfaces/mcp/dialect.ts'
import type { Hello } from '../surfaces/mcp/hello.ts'
import type { Config } from './config.ts'
import { VERSION } from './version.ts'

const INSTRUCTIONS =
  'Warrant answers what an agent should know before it acts on this repository. Call warrant_status first; prefer its answers to guesses, and say how fresh they are.'

/** The process as the rest of the program may see it. */
export interface World {
  readonly cwd: string
  readonly environment: NodeJS.ProcessEnv
  readonly writeLog: (line: string) => void
}

/** What the server says of itself before any of its tools are loaded. */
export const greet = (config: Config, world: World): Hello => ({
  identity: { name: 'warrant', title: 'Warrant', version: VERSION },
  instructions: INSTRUCTIONS,
  capabilities: {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
  },
  dialect: DIALECTS[config.dialect],
  limits: config.limits,
  clock: systemClock,
  log: createLog({
    level: config.logLevel,
    format: config.logFormat,
    clock: systemClock,
    write: world.writeLog,
  }),
})
