import { resolve } from 'node:path'
import { systemClock } from '../platform/clock.ts'
import { randomIds } from '../platform/ids.ts'
import { createLog } from '../platform/log.ts'
import { type Command, commandHelp, readArguments, type Terminal } from '../surfaces/cli/command.ts'
import { enterpriseServer } from '../surfaces/http/enterprise-routes.ts'
import { createFront } from '../surfaces/http/front.ts'
import { configOptions } from './commands.ts'
import type { Config } from './config.ts'
import { enterpriseFace } from './enterprise-face.ts'
import { endWith } from './lifecycle.ts'
import { accessRules, listen, requireToken } from './listen.ts'
import type { Flags, Preset } from './load-config.ts'
import { reportFailure } from './main.ts'
import { writeLog } from './terminal.ts'
import { VERSION } from './version.ts'
import { loadSettings } from './world.ts'

const BINARY = 'pumuki-mcp-enterprise'

const COMMAND: Command = {
  name: BINARY,
  summary: 'Serve evidence, branch, installation and specification of a repository, and its gate, over HTTP.',
  usage: '',
  options: () => [
    { flag: 'stdio', kind: 'switch', description: 'Serve the same as MCP over stdio.' },
    ...configOptions(),
  ],
  choices: [],
  run: async () => 0,
}

const PRESET: Preset = new Map<string, unknown>([['port', 7391]])

const STDIO_PRESET: Preset = new Map<string, unknown>([
  ['toolsets', ['gate', 'evidence']],
  [
    'tools',
    ['ai_gate_check', 'check_sdd_status', 'validate_and_fix', 'sync_branches', 'cleanup_stale_branches'],
  ],
])

/** Settings that this program's own variables stand for. A port that is no number counts as not set. */
const variables = ({
  PUMUKI_ENTERPRISE_MCP_HOST: host,
  PUMUKI_ENTERPRISE_MCP_PORT: port,
}: NodeJS.ProcessEnv): Flags => ({
  ...(host?.trim() && { host: host.trim() }),
  ...(/^\d+$/.test(port?.trim() ?? '') && { port: port?.trim() }),
})

const serveHttp = async (config: Config, json: boolean, terminal: Terminal): Promise<number> => {
  requireToken(config)
  const log = createLog({
    level: config.logLevel,
    format: config.logFormat,
    clock: systemClock,
    write: writeLog,
  })
  const face = enterpriseFace(resolve(config.root), { environment: process.env, clock: systemClock, log })
  const front = createFront({
    ...enterpriseServer(face),
    access: accessRules(config),
    headersMs: config.limits.headersMs,
    requestMs: config.limits.requestMs,
    log,
    ids: randomIds,
    observe: () => {},
    challenge: () => 'Bearer',
  })
  const url = await listen(front, config)
  terminal.print(json ? JSON.stringify({ url, version: VERSION }) : `${BINARY} ${VERSION} on ${url}`)
  return new Promise(() => {
    const stop = async () => {
      await new Promise((closed) => {
        front.close(closed)
        front.closeIdleConnections()
      })
    }
    endWith(stop, { orphaned: 'stay' })
  })
}

const serveMcp = async (flags: Flags): Promise<number> => {
  const { hostHere } = await import('./world.ts')
  const { serveStdio } = await import('./serve-stdio.ts')
  const { WARRANT_FACE } = await import('./greet.ts')
  const face = { ...WARRANT_FACE, identity: { name: BINARY, title: 'Warrant enterprise', version: VERSION } }
  return serveStdio(await hostHere(loadSettings({ flags }, STDIO_PRESET), face))
}

export const runEnterprise = async (args: readonly string[], terminal: Terminal): Promise<number> => {
  const json = args.includes('--json')
  try {
    if (args[0] === '--version') {
      terminal.print(VERSION)
      return 0
    }
    const { values } = readArguments(COMMAND, args)
    if (values.help) {
      terminal.print(commandHelp(COMMAND).replace(`warrant ${BINARY}`, BINARY))
      return 0
    }
    const flags = { ...variables(process.env), ...values }
    if (values.stdio) return await serveMcp(flags)
    return await serveHttp(loadSettings({ flags }, PRESET).config, json, terminal)
  } catch (thrown) {
    return reportFailure(thrown, json, terminal)
  }
}
