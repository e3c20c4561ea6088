import { DIALECTS } from '../mcp/dialect.ts'
import type { ServerBasics } from '../mcp/handshake.ts'
import type { RootHandle } from '../platform/jail/handles.ts'
import { systemClock } from '../platform/system/clock.ts'
import { createLog } from '../platform/system/log.ts'
import type { Config } from './config/settings.ts'
import { VERSION } from './config/version.ts'

/** What the program may know of its process. */
export interface ProcessContext {
  readonly cwd: string
  readonly environment: NodeJS.ProcessEnv
  readonly writeLog: (line: string) => void
  /** Set when the root was opened at the start. */
  readonly root?: RootHandle
}

/** Name, version, instructions and capabilities of a server. */
export type ServerProfile = Pick<ServerBasics, 'identity' | 'instructions' | 'capabilities' | 'compat'>

const WARRANT_PROFILE: ServerProfile = {
  identity: { name: 'warrant', title: 'Warrant', version: VERSION },
  instructions:
    'Warrant answers what an agent should know before it acts on this repository. Call warrant_help to learn which tool answers which question; prefer its answers to guesses, and say how fresh they are.',
  capabilities: {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: { listChanged: true },
    completions: {},
  },
}

/** What a server has before a tool is loaded: identity, clock, log, limits and dialect. The handshake needs no more. */
export const createServerBasics = (
  config: Config,
  context: ProcessContext,
  profile: ServerProfile = WARRANT_PROFILE,
): ServerBasics => ({
  ...profile,
  dialect: DIALECTS[config.dialect],
  limits: config.limits,
  clock: systemClock,
  log: createLog({
    level: config.logLevel,
    format: config.logFormat,
    clock: systemClock,
    name: profile.identity.name,
    write: context.writeLog,
  }),
})
