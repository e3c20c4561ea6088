import { firstSet, parsePort } from '../config/load-config.ts'
import { VERSION } from '../config/version.ts'
import type { CompatServer } from './compat-server.ts'

/** The evidence of a repository, read-only: over HTTP, or as MCP over stdio. */
export const evidenceServer: CompatServer = {
  binary: 'pumuki-mcp-evidence',
  summary: 'Serve the evidence of a repository, read-only: over HTTP, or with --stdio as MCP.',
  profile: {
    identity: { name: 'pumuki-mcp-evidence', title: 'Evidence', version: VERSION },
    instructions:
      'Evidence shows what was checked in this repository, and with which result. Call evidence_status first; when it is degraded, diagnose and report, and change nothing.',
    capabilities: { tools: {}, resources: { subscribe: true }, completions: {} },
  },
  preset: new Map<string, unknown>([['toolsets', ['evidence']]]),
  variables: (environment) => ({
    ...firstSet('host', environment.PUMUKI_EVIDENCE_HOST),
    ...firstSet('port', parsePort(environment.PUMUKI_EVIDENCE_PORT)),
    ...firstSet('route', environment.PUMUKI_EVIDENCE_ROUTE),
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
