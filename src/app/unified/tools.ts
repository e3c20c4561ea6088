import * as z from 'zod'
import type { Toolset } from '../../kernel/catalog.ts'
import { canonicalJson } from '../../kernel/encoding/canonical.ts'
import type { Clock, Repository, StoreCheck } from '../../kernel/ports.ts'
import { definePrompt } from '../../kernel/prompt.ts'
import { defineResource } from '../../kernel/resource.ts'
import { defineTool, NoInput } from '../../kernel/tool.ts'
import { type HelpPorts, helpPrompt, helpTool } from './help-tools.ts'

const Status = z.strictObject({
  version: z.string().describe('Version of this server.'),
  protocol: z.array(z.string()).describe('Supported MCP revisions, newest first.'),
  toolsets: z
    .array(z.strictObject({ name: z.string(), tools: z.int().describe('Number of enabled tools.') }))
    .describe('Enabled toolsets.'),
  readOnly: z.boolean().describe('True: tools that write are not offered.'),
  store: z.strictObject({
    kind: z.string(),
    state: z.enum(['ready', 'absent', 'failing']),
    detail: z.string(),
  }),
  freshness: z
    .strictObject({
      head: z.string().optional().describe('Checked-out commit; absent when there is none.'),
      branch: z.string().optional().describe('Checked-out branch; absent when HEAD is detached.'),
      dirty: z
        .boolean()
        .optional()
        .describe('Whether there are uncommitted changes; absent outside a repository.'),
      at: z.string().describe('Time of the lookup, RFC 3339.'),
    })
    .describe('State of the repository that answers refer to.'),
})
type Status = z.infer<typeof Status>

/** The part of the status that is fixed when the server starts. */
type ServerInfo = Pick<Status, 'version' | 'protocol' | 'toolsets' | 'readOnly'>

interface StatusPorts {
  readonly about: () => ServerInfo
  readonly store: StoreCheck
  readonly repository: Repository
  readonly clock: Clock
}

const CACHE_MS = 1_000

/**
 * Reads store and repository at most once a second. Not `cacheFor`, whose callers share a load: a cancelled call must
 * end the git process it started, and only that.
 */
export const statusReader = ({ about, store, repository, clock }: StatusPorts) => {
  let known: { readonly until: number; readonly status: Status } | undefined
  const read = async (signal: AbortSignal): Promise<Status> => {
    const [health, freshness] = await Promise.all([store.health(), repository.freshness(signal)])
    const status = { ...about(), store: health, freshness }
    // An aborted read has no commit and no branch: the next call must not get it.
    if (!signal.aborted) known = { until: clock.elapsed() + CACHE_MS, status }
    return status
  }
  return (signal: () => AbortSignal): Status | Promise<Status> =>
    known !== undefined && clock.elapsed() < known.until ? known.status : read(signal())
}

/** One entry of `warrant://tools`, which shows whether a tool's definition changed. */
interface ToolDigest {
  readonly name: string
  readonly effect: string
  readonly sha256: string
}

interface CorePorts extends StatusPorts {
  readonly help: HelpPorts
  /** Digests of the listed tool definitions. */
  readonly digests: () => Promise<readonly ToolDigest[]>
}

const ONE_DAY = 86_400_000

const writeAbout = ({ version, protocol, toolsets, readOnly }: ServerInfo): string => `# Warrant ${version}

Governed context for coding agents. Each toolset answers a question:

- may I act? (gate)
- on what proof? (evidence)
- what does the code look like? (project)
- what do we hold true, and how did it come to be? (beliefs, lineage)
- what knowledge applies? (packets)

Enabled toolsets: ${toolsets.map(({ name, tools }) => `${name} (${tools})`).join(', ')}.
Mode: ${readOnly ? 'read-only' : 'reading and writing'}.
Protocol: ${protocol.join(', ')}.
`

const preflight = (task: string | undefined): string => `Before you act, check the server and the repository.

1. Call \`warrant_status\`. Note the commit, whether the tree is dirty, and which toolsets are on.
2. If \`store.state\` is \`failing\`, stop and report it: your actions would not be recorded.
3. Use only tools that \`tools/list\` shows. If the server is read-only, diagnose and propose; do not write.
4. Say which answers your plan rests on, and how fresh they are.
${task === undefined ? '' : `\nThe task: ${task}\n`}`

/** Status and description of this server. */
export const coreToolset = (ports: CorePorts): Toolset => {
  const status = statusReader(ports)
  return {
    name: 'core',
    title: 'The server itself',
    tools: [
      defineTool({
        name: 'warrant_status',
        title: 'Server status',
        description:
          'Returns version, toolsets, store health, and the commit, branch and uncommitted changes of the repository.',
        effect: 'read',
        input: NoInput,
        output: Status,
        run: (_, call) => status(() => call.signal),
      }),
      helpTool(ports.help),
    ],
    resources: [
      defineResource({
        uri: 'warrant://about',
        name: 'about',
        title: 'About this server',
        description: 'Purpose of this server and its enabled toolsets.',
        mimeType: 'text/markdown',
        ttlMs: ONE_DAY,
        read: () => writeAbout(ports.about()),
      }),
      defineResource({
        uri: 'warrant://tools',
        name: 'tools',
        title: 'Tool digests',
        description: 'SHA-256 of every listed tool definition. Pin them to notice changes.',
        mimeType: 'application/json',
        ttlMs: ONE_DAY,
        read: async () => canonicalJson({ tools: await ports.digests() }),
      }),
    ],
    prompts: [
      definePrompt({
        name: 'preflight',
        title: 'Before you act',
        description: 'Steps to check with Warrant before working on a task.',
        args: z.strictObject({
          task: z.string().max(2_000).optional().describe('The task you are about to do.'),
        }),
        get: ({ task }) => [{ role: 'user', content: { type: 'text', text: preflight(task) } }],
      }),
      helpPrompt(ports.help),
    ],
  }
}
