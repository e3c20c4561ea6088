import { join, resolve } from 'node:path'
import type { Terminal } from '../../cli/command/command.ts'
import { EVIDENCE_FILE } from '../../evidence/store.ts'
import { evidenceHttp } from '../../http/evidence-routes.ts'
import { isLoopback } from '../../http/guards.ts'
import { fileEvidence } from '../../platform/files/evidence-file.ts'
import { findRepositoryRoot } from '../../platform/git/find-root.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { createProcessContext } from '../process-context.ts'
import { serveFaults, serveHttp } from './listen.ts'

const RESERVED = ['/health', '/status']

/** The route with one leading slash and no trailing one. */
const normalizeRoute = (text: string): string => {
  const route = `/${text.trim().replace(/^\/+|\/+$/g, '')}`
  const isValid = /^(\/|(\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+)$/.test(route)
  if (!isValid || RESERVED.includes(route))
    throw serveFaults.route(`cannot serve evidence under ${JSON.stringify(text)}`)
  return route
}

/** Serves the evidence of the root over HTTP until a signal stops it. */
export const serveEvidence = async (
  { config }: LoadedConfig,
  requestedRoute: string,
  terminal: Terminal,
): Promise<number> => {
  const route = normalizeRoute(requestedRoute)
  const { log, clock, cwd } = createProcessContext(config)
  const folder = resolve(cwd, config.root)
  const root = (await findRepositoryRoot(folder)) ?? folder
  const routes = evidenceHttp({
    evidence: fileEvidence(root, clock),
    route,
    // Clients on other machines must not learn the absolute path.
    path: isLoopback(config.host) ? join(root, EVIDENCE_FILE) : EVIDENCE_FILE,
  })
  return serveHttp({ ...routes, log }, config, (url) =>
    terminal.print(`Evidence of ${root} on ${url}${route}`),
  )
}
