import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type AccessRules, isLoopback } from '../../http/guards.ts'
import { createHttpServer, type HttpServerSettings } from '../../http/server.ts'
import { defineFaults } from '../../kernel/fault.ts'
import type { Log } from '../../kernel/ports.ts'
import { randomIds } from '../../platform/system/ids.ts'
import type { Config } from '../config/settings.ts'
import { onShutdown } from '../shutdown.ts'

/** The routes of a compatibility server, and what it overrides. */
type HttpServerOptions = Pick<HttpServerSettings, 'routes'> & Partial<HttpServerSettings>

/** Serves HTTP until a signal stops it. Calls `announce` with the address once it listens. */
export const serveHttp = async (
  options: HttpServerOptions & { readonly log: Log },
  config: Config,
  announce: (url: string) => void,
): Promise<never> => {
  const server = createHttpServer({
    access: accessRules(config),
    headersMs: config.limits.headersMs,
    requestMs: config.limits.requestMs,
    ids: randomIds,
    observe: () => {},
    challenge: () => 'Bearer',
    ...options,
  })
  announce(await listen(server, config))
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
  token: { kind: 'invalid', fix: 'Set WARRANT_TOKEN to at least 16 characters, or listen on 127.0.0.1.' },
  read_token: { kind: 'invalid', fix: 'Set WARRANT_TOKEN to another token than WARRANT_READ_TOKEN.' },
  times: { kind: 'invalid', fix: 'Make limits.requestMs at least limits.headersMs.' },
  route: { kind: 'invalid', fix: 'Choose a path such as /ai-evidence that the server does not use already.' },
  port: {
    kind: 'unavailable',
    fix: 'Stop the program that uses the port, or choose another port with --port (0: any free port).',
  },
})

const WILDCARDS = ['0.0.0.0', '::']

/** Other machines can reach an address that is not loopback: refuse to start there without a token. */
export const requireToken = ({ host, token, readToken }: Config): void => {
  if (readToken !== undefined && (token === undefined || token === readToken))
    throw serveFaults.read_token(
      'readToken needs a token that differs from it: without one, every client may write',
    )
  if (!isLoopback(host) && token === undefined) {
    throw serveFaults.token(`listening on ${host} needs a bearer token`)
  }
}

export const accessRules = ({
  host,
  allowedHosts,
  allowedOrigins,
  token,
  readToken,
}: Config): AccessRules => ({
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
