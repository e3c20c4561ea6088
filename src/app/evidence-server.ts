import type { SeedServer } from './seed-server.ts'
import { VERSION } from './version.ts'

/** A variable that is set to nothing is not set. */
const given = (name: string, value: string | undefined): Readonly<Record<string, string>> =>
  value === undefined || value.trim() === '' ? {} : { [name]: value.trim() }

/** A port that begins with no number is passed over, as its first clients know it. */
const portOf = (text: string | undefined): string | undefined => {
  const port = Number.parseInt(text ?? '', 10)
  return Number.isNaN(port) ? undefined : String(port)
}

/** The evidence of a repository, read-only: over HTTP, or as MCP over stdio. */
export const evidenceServer: SeedServer = {
  binary: 'pumuki-mcp-evidence',
  summary: 'Serve the evidence of a repository, read-only: over HTTP, or with --stdio as MCP.',
  face: {
    identity: { name: 'pumuki-mcp-evidence', title: 'Evidence', version: VERSION },
    instructions:
      'Evidence tells on what proof you may act on this repository. Call evidence_status first; when it is degraded, diagnose and report, and change nothing.',
    capabilities: { tools: {}, resources: { subscribe: true }, completions: {} },
  },
  preset: new Map<string, unknown>([['toolsets', ['evidence']]]),
  variables: (environment) => ({
    ...given('host', environment.PUMUKI_EVIDENCE_HOST),
    ...given('port', portOf(environment.PUMUKI_EVIDENCE_PORT)),
    ...given('route', environment.PUMUKI_EVIDENCE_ROUTE),
  }),
  http: {
    options: [
      { flag: 'route', kind: 'text', value: 'PATH', description: 'Path the evidence is served under.' },
    ],
    defaults: { host: '127.0.0.1', port: '7341', route: '/ai-evidence' },
    serve: async (loaded, flags, terminal) =>
      (await import('./evidence-http.ts')).serveEvidence(loaded, String(flags.route), terminal),
  },
}
