import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AccessRules, isLoopback } from '../../http/guards.ts'
import { createHttpServer, type HttpServerSettings } from '../../http/server.ts'
import { lazyCrypto } from '../../kernel/encoding/crypto.ts'
import { defineFaults } from '../../kernel/fault.ts'
import type { Log } from '../../kernel/ports.ts'
import { keyFile } from '../../platform/files/key-file.ts'
import { randomIds } from '../../platform/system/ids.ts'
import type { Config } from '../config/settings.ts'
import { serveTokenPath } from '../open/user-state.ts'
import { onShutdown } from '../shutdown.ts'
import { writeLog } from '../terminal.ts'

/** The routes of a compatibility server, and what it overrides. */
type HttpServerOptions = Pick<HttpServerSettings, 'routes'> & Partial<HttpServerSettings>

/**
 * Serves an older server over HTTP until a signal stops it. Calls `announce` with the address once it listens. Its
 * clients send no token, so on loopback none is asked for unless one is set.
 */
export const serveHttp = async (
  options: HttpServerOptions & { readonly log: Log },
  config: Config,
  announce: (url: string) => void,
): Promise<never> => {
  const { token, readToken } = config
  const isOpen = isLoopback(config.host) && token === undefined && readToken === undefined
  const server = createHttpServer({
    access: isOpen ? accessRules(config, undefined) : await openAccess(config),
    headersMs: config.limits.headersMs,
    requestMs: config.limits.requestMs,
    ids: randomIds,
    observe: () => {},
    challenge: () => 'Bearer',
    ...options,
  })
  const url = await listen(server, config)
  announce(url)
  if (isOpen) writeLog(`Every user of this machine may ask ${url}. Set WARRANT_TOKEN to require a token.`)
  else if (token === undefined) writeLog(`Requests need the bearer token in ${serveTokenPath()}.`)
  return new Promise(() => {
    const stop = () =>
      new Promise<void>((end) => {
        server.close(() => end())
        server.closeIdleConnections()
      })
    onShutdown(stop, { orphaned: 'stay' })
  })
}

export const serveFaults = defineFaults('serve', {
  token: { kind: 'corrupt', fix: 'Remove the file: the next start makes it again. Or set WARRANT_TOKEN.' },
  read_token: { kind: 'invalid', fix: 'Set WARRANT_TOKEN to another token than WARRANT_READ_TOKEN.' },
  times: { kind: 'invalid', fix: 'Make limits.requestMs at least limits.headersMs.' },
  route: { kind: 'invalid', fix: 'Choose a path such as /ai-evidence that the server does not use already.' },
  port: {
    kind: 'unavailable',
    fix: 'Stop the program that uses the port, or choose another port with --port (0: any free port).',
  },
})

const WILDCARDS = ['0.0.0.0', '::']

const newToken = (): string => lazyCrypto().randomBytes(32).toString('base64url')

/** The token of this user, made at the first start: another user of this machine must get nothing. */
const userToken = async (): Promise<string> => {
  const path = serveTokenPath()
  const token = (await keyFile(path, newToken)).trim()
  if (!/^[\w-]{16,}$/.test(token)) throw serveFaults.token(`${path} holds no token`)
  return token
}

/** What every request must show: the token that is set, else that of this user. */
export const openAccess = async (config: Config): Promise<AccessRules> => {
  const token = config.token ?? (await userToken())
  if (token === config.readToken)
    throw serveFaults.read_token('token and readToken are the same: every client may write')
  return accessRules(config, token)
}

const accessRules = (
  { host, allowedHosts, allowedOrigins, readToken }: Config,
  token: string | undefined,
): AccessRules => ({
  // A wildcard address is never the name in a Host header.
  allowedHosts: [host, ...allowedHosts].filter((name) => !WILDCARDS.includes(name)),
  allowedOrigins,
  token,
  readToken,
})

const urlOf = (place: AddressInfo | string | null): string => {
  if (place === null || typeof place === 'string') return String(place)
  const { address, port, family } = place
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** Resolves with the address once the server listens on it. */
export const listen = (server: Server, { host, port }: Config): Promise<string> =>
  new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const why = cause.code === 'EADDRINUSE' ? 'the port is in use' : (cause.code ?? cause.message)
      reject(serveFaults.port(`cannot listen on ${host}:${port}: ${why}`, { cause }))
    })
    server.listen(port, host, () => resolve(urlOf(server.address())))
  })
