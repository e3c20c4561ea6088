import { resolve } from 'node:path'
import type { Terminal } from '../../surfaces/cli/command.ts'
import { enterpriseServer } from '../../surfaces/http/enterprise-routes.ts'
import type { Loaded } from '../config/load-config.ts'
import { VERSION } from '../config/version.ts'
import { enterpriseFace } from '../open/lazy-enterprise.ts'
import { greetHere } from '../process-context.ts'
import { requireToken } from './listen.ts'
import { serveFront } from './serve-http.ts'

/** Serves the state of the root over HTTP until a signal says otherwise. */
export const serveEnterprise = async (
  { config }: Loaded,
  json: boolean,
  terminal: Terminal,
): Promise<number> => {
  requireToken(config)
  const { log, clock, cwd } = greetHere(config)
  const root = resolve(cwd, config.root)
  const face = enterpriseServer(enterpriseFace(root, { environment: process.env, clock, log }))
  return serveFront(face, config, log, (url) =>
    terminal.print(
      json ? JSON.stringify({ url, version: VERSION }) : `Enterprise server of ${root} on ${url}`,
    ),
  )
}
