import { join, resolve } from 'node:path'
import { EVIDENCE_FILE } from '../../evidence/store.ts'
import { fileEvidence } from '../../platform/files/evidence-file.ts'
import { findTop } from '../../platform/git/find-root.ts'
import type { Terminal } from '../../surfaces/cli/command.ts'
import { evidenceFront } from '../../surfaces/http/evidence-routes.ts'
import { isLoopback } from '../../surfaces/http/guards.ts'
import type { Loaded } from '../config/load-config.ts'
import { greetHere } from '../process-context.ts'
import { requireToken, serveFaults } from './listen.ts'
import { serveFront } from './serve-http.ts'

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
  { config }: Loaded,
  asked: string,
  terminal: Terminal,
): Promise<number> => {
  requireToken(config)
  const route = tidyRoute(asked)
  const { log, clock, cwd } = greetHere(config)
  const folder = resolve(cwd, config.root)
  const root = (await findTop(folder)) ?? folder
  const face = evidenceFront({
    evidence: fileEvidence(root, clock),
    route,
    // Where we live is for who is here; from elsewhere the name must do.
    path: isLoopback(config.host) ? join(root, EVIDENCE_FILE) : EVIDENCE_FILE,
  })
  return serveFront(face, config, log, (url) => terminal.print(`Evidence of ${root} on ${url}${route}`))
}
