import { join, resolve } from 'node:path'
import { EVIDENCE_FILE } from '../../evidence/store.ts'
import { fileEvidence } from '../../platform/files/evidence-file.ts'
import { findRepositoryRoot } from '../../platform/git/find-root.ts'
import type { Terminal } from '../../surfaces/cli/command.ts'
import { evidenceHttp } from '../../surfaces/http/evidence-routes.ts'
import { isLoopback } from '../../surfaces/http/guards.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { createProcessContext } from '../process-context.ts'
import { requireToken, serveFaults } from './listen.ts'
import { serveHttp } from './serve-http.ts'

const TAKEN = ['/health', '/status']

/** The route with one slash before it and none after. */
const tidyRoute = (text: string): string => {
  const route = `/${text.trim().replace(/^\/+|\/+$/g, '')}`
  const plain = /^(\/|(\/(?!\.{1,2}(?:\/|$))[\w.~-]+)+)$/.test(route)
  if (!plain || TAKEN.includes(route))
    throw serveFaults.route(`cannot serve evidence under ${JSON.stringify(text)}`)
  return route
}

/** Serves the evidence of the root over HTTP until a signal says otherwise. */
export const serveEvidence = async (
  { config }: LoadedConfig,
  asked: string,
  terminal: Terminal,
): Promise<number> => {
  requireToken(config)
  const route = tidyRoute(asked)
  const { log, clock, cwd } = createProcessContext(config)
  const folder = resolve(cwd, config.root)
  const root = (await findRepositoryRoot(folder)) ?? folder
  const profile = evidenceHttp({
    evidence: fileEvidence(root, clock),
    route,
    // Where we live is for who is here; from elsewhere the name must do.
    path: isLoopback(config.host) ? join(root, EVIDENCE_FILE) : EVIDENCE_FILE,
  })
  return serveHttp(profile, config, log, (url) => terminal.print(`Evidence of ${root} on ${url}${route}`))
}
