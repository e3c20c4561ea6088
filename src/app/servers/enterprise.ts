import { TOOLS } from '../../gate/enterprise/catalog.ts'
import { firstSet, parsePort } from '../config/load-config.ts'
import { VERSION } from '../config/version.ts'
import type { CompatServer } from './compat-server.ts'

/** Repository state, planning tools and gate checks: over HTTP, or as MCP over stdio. */
export const enterpriseServer: CompatServer = {
  binary: 'pumuki-mcp-enterprise',
  summary:
    'Serve evidence, branch, installation and specification of a repository: over HTTP, or with --stdio as MCP.',
  profile: {
    identity: { name: 'pumuki-mcp-enterprise', title: 'Enterprise', version: VERSION },
    instructions:
      'Tells whether you may change this repository, and why not. Call ai_gate_check before you write; when it is BLOCKED, apply the fixes it lists or report them.',
    capabilities: { tools: {}, resources: { subscribe: true }, completions: {} },
  },
  preset: new Map<string, unknown>([
    // Only the resources of the evidence toolset: its tools belong to pumuki-mcp-evidence.
    ['toolsets', ['gate', 'evidence']],
    ['tools', TOOLS.map(({ name }) => name)],
    // This server changes nothing. Over HTTP, a log that the repository has gets its verdicts.
    ['readOnly', true],
  ]),
  variables: (environment) => ({
    ...firstSet('host', environment.PUMUKI_ENTERPRISE_MCP_HOST),
    ...firstSet('port', parsePort(environment.PUMUKI_ENTERPRISE_MCP_PORT)),
  }),
  http: {
    options: [],
    defaults: { host: '127.0.0.1', port: '7391' },
    serve: async (loaded, flags, terminal) =>
      (await import('./enterprise-http.ts')).serveEnterprise(loaded, flags.json === true, terminal),
  },
}
