import type { CompatServer } from './compat-server.ts'

const MiB = 1024 * 1024

/** The belief graph for existing clients of `scg-mcp-server`: dotted tool names, error codes from 1000 to 5000. */
export const scgServer: CompatServer = {
  binary: 'scg-mcp-server',
  summary: 'Serve the belief graph over stdio.',
  profile: {
    identity: { name: 'scg_mcp_server', version: '0.3.0' },
    capabilities: { tools: {}, resources: {}, prompts: {} },
    compat: {
      methodCalls: true,
      nullParams: true,
      aliases: new Map([['tools.list', 'tools/list']]),
      maxDepth: 128,
      orderedResponses: true,
      listingMeta: true,
      shutdown: false,
      badArgumentsLevel: 'debug',
      ignoresUnknownArguments: true,
    },
  },
  preset: new Map<string, unknown>([
    ['dialect', 'scg'],
    ['toolNames', 'dotted'],
    ['toolsets', ['beliefs']],
    ['excludeTools', ['lineage_verify', 'lineage_prove', 'belief_explain']],
    ['limits.lineBytes', MiB],
    ['limits.answerBytes', 16 * MiB],
  ]),
  variables: ({ SCG_DETERMINISM, SCG_TIMESTAMP_MODE }) =>
    SCG_DETERMINISM === '1' || SCG_TIMESTAMP_MODE === 'deterministic' ? { clock: 'deterministic' } : {},
}
