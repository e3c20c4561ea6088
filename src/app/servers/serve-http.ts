import type { Log } from '../../kernel/ports.ts'
import { randomIds } from '../../platform/system/ids.ts'
import { createHttpServer, type HttpServerSettings } from '../../surfaces/http/server.ts'
import type { Config } from '../config/settings.ts'
import { onShutdown } from '../shutdown.ts'
import { accessRules, listen } from './listen.ts'

/** What a server of its own answers, beside how it is reached and guarded. */
export type HttpServerOptions = Pick<HttpServerSettings, 'routes'> & Partial<HttpServerSettings>

/** Serves a front until a signal says otherwise. `announce` hears the address once it listens. */
export const serveHttp = async (
  profile: HttpServerOptions,
  config: Config,
  log: Log,
  announce: (url: string) => void,
): Promise<never> => {
  const front = createHttpServer({
    access: accessRules(config),
    headersMs: config.limits.headersMs,
    requestMs: config.limits.requestMs,
    log,
    ids: randomIds,
    observe: () => {},
    challenge: () => 'Bearer',
    ...profile,
  })
  announce(await listen(front, config))
  return new Promise(() => {
    const stop = () =>
      new Promise<void>((end) => {
        front.close(() => end())
        front.closeIdleConnections()
      })
    onShutdown(stop, { orphaned: 'stay' })
  })
}
