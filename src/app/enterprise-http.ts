import { resolve } from 'node:path'
import { randomIds } from '../platform/ids.ts'
import type { Terminal } from '../surfaces/cli/command.ts'
import { enterpriseServer } from '../surfaces/http/enterprise-routes.ts'
import { createFront } from '../surfaces/http/front.ts'
import { enterpriseFace } from './enterprise-face.ts'
import { endWith } from './lifecycle.ts'
import { accessRules, listen, requireToken } from './listen.ts'
import type { Loaded } from './load-config.ts'
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
  const front = createFront({
    ...enterpriseServer(enterpriseFace(root, { environment: process.env, clock, log })),
    access: accessRules(config),
    headersMs: config.limits.headersMs,
    requestMs: config.limits.requestMs,
    log,
    ids: randomIds,
    observe: () => {},
    challenge: () => 'Bearer',
  })
  const url = await listen(front, config)
  terminal.print(json ? JSON.stringify({ url, version: VERSION }) : `Enterprise server of ${root} on ${url}`)
  return new Promise(() => {
    const stop = () =>
      new Promise<void>((end) => {
        front.close(() => end())
        front.closeIdleConnections()
      })
    endWith(stop, { orphaned: 'stay' })
  })
}
