import { resolve } from 'node:path'
import { optional } from '../../kernel/optional.ts'
import { NO_COMPAT } from '../../mcp/handshake.ts'
import { openRoot } from '../../platform/jail/handles.ts'
import { LOG_LEVELS } from '../../platform/system/log.ts'
import type { CompatServer } from './compat-server.ts'

const MiB = 1024 * 1024

const TOOLS = [
  'readProjectStructure',
  'readJavaFile',
  'write_architecture_report',
  'get_project_structure',
  'discover_service_interconnections',
  'extract_architectural_signatures',
  'analyze_project',
  'generate_master_arch_report',
]

/** Java project analysis for existing clients of `sentinel-mcp`: JSON-RPC errors and text log lines. */
export const sentinelServer: CompatServer = {
  binary: 'sentinel-mcp',
  summary: 'Serve the files of one project over stdio; writes nothing but new reports.',
  profile: {
    identity: { name: 'SentinelMcpServer', version: '1.0.0' },
    capabilities: { tools: { listChanged: false } },
    compat: { ...NO_COMPAT, shutdown: true, badArgumentsLevel: 'warn', ignoresUnknownArguments: true },
  },
  preset: new Map<string, unknown>([
    ['dialect', 'sentinel'],
    ['toolsets', ['project']],
    ['tools', TOOLS],
    ['logFormat', 'text'],
    ['limits.lineBytes', 16 * MiB],
    // Clients read files of up to 10 MiB in one answer.
    ['limits.answerBytes', 16 * MiB],
  ]),
  variables: ({ SENTINEL_ROOT, LOG_LEVEL }) => {
    const level = LOG_LEVELS.find((one) => one === LOG_LEVEL?.toLowerCase())
    return {
      ...optional({ root: SENTINEL_ROOT || undefined }),
      ...optional({ 'log-level': level }),
    }
  },
  positional: 'root',
  // Existing clients know the exit codes 0 and 1 only.
  exitCode: (code) => (code === 0 ? 0 : 1),
  hold: ({ root }) => openRoot(resolve(root)),
  announce: (log, { root }) => {
    log.write('info', 'starting', { root: resolve(root) })
    for (const tool of TOOLS) log.write('info', `registered tool ${tool}`)
  },
}
