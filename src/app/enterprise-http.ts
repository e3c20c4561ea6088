import { resolve } from 'node:path'
import type { Terminal } from '../surfaces/cli/command.ts'
import { enterpriseServer } from '../surfaces/http/enterprise-routes.ts'
import { enterpriseFace } from './enterprise-face.ts'
import { requireToken } from './listen.ts'
import type { Loaded } from './load-config.ts'
import { serveFront } from './serve-front.ts'
import { VERSION } from './version.ts'
import { greetHere } from './world.ts'

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
