import { resolve } from 'node:path'
import type { Terminal } from '../../surfaces/cli/command.ts'
import { enterpriseHttp } from '../../surfaces/http/enterprise-routes.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { VERSION } from '../config/version.ts'
import { lazyEnterprise } from '../open/lazy-enterprise.ts'
import { createProcessContext } from '../process-context.ts'
import { requireToken } from './listen.ts'
import { serveHttp } from './serve-http.ts'

/** Serves the state of the repository over HTTP until a signal stops it. */
export const serveEnterprise = async (
  { config }: LoadedConfig,
  json: boolean,
  terminal: Terminal,
): Promise<number> => {
  requireToken(config)
  const { log, clock, cwd } = createProcessContext(config)
  const root = resolve(cwd, config.root)
  const openspec = { named: config.openspec && resolve(cwd, config.openspec) }
  const service = lazyEnterprise(root, { config, environment: process.env, clock, log, openspec })
  const routes = enterpriseHttp(service)
  return serveHttp({ ...routes, log }, config, (url) =>
    terminal.print(
      json ? JSON.stringify({ url, version: VERSION }) : `Enterprise server of ${root} on ${url}`,
    ),
  )
}
