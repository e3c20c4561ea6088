import { TOOLS } from '../../gate/enterprise/catalog.ts'
import { firstSet, portOf } from '../config/compat-env.ts'
import { VERSION } from '../config/version.ts'
import type { CompatServer } from './compat-server.ts'

/** The state of a repository and the tools that plan and judge: over HTTP, or as MCP over stdio. */
export const enterpriseServer: CompatServer = {
  binary: 'pumuki-mcp-enterprise',
  summary:
    'Serve evidence, branch, installation and specification of a repository: over HTTP, or with --stdio as MCP.',
  profile: {
    identity: { name: 'pumuki-mcp-enterprise', title: 'Enterprise', version: VERSION },
    instructions:
      'Tells whether you may act on this repository and why not. Call ai_gate_check before you write; when it is BLOCKED, do what the fixes say or report them.',
    capabilities: { tools: {}, resources: { subscribe: true }, completions: {} },
  },
  preset: new Map<string, unknown>([
    // The evidence's resources belong to this server, its tools to another.
    ['toolsets', ['gate', 'evidence']],
    ['tools', TOOLS.map(({ name }) => name)],
    // A server that is asked whether one may act leaves no trace of its own, not even a record of the answer.
    ['readOnly', true],
  ]),
  variables: (environment) => ({
    ...firstSet('host', environment.PUMUKI_ENTERPRISE_MCP_HOST),
    ...firstSet('port', portOf(environment.PUMUKI_ENTERPRISE_MCP_PORT)),
  }),
  http: {
    options: [],
    defaults: { host: '127.0.0.1', port: '7391' },
    serve: async (loaded, flags, terminal) =>
      (await import('./enterprise-http.ts')).serveEnterprise(loaded, flags.json === true, terminal),
  },
}
