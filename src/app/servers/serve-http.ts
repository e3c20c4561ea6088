import { createHttpServer, type HttpServerSettings } from '../../http/server.ts'
import type { Log } from '../../kernel/ports.ts'
import { randomIds } from '../../platform/system/ids.ts'
import type { Config } from '../config/settings.ts'
import { onShutdown } from '../shutdown.ts'
import { accessRules, listen } from './listen.ts'

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
