import * as z from 'zod'
import { callFaults } from '../../kernel/call-faults.ts'
import type { Toolset } from '../../kernel/catalog.ts'
import { canonicalJson } from '../../kernel/encoding/canonical.ts'
import type { Clock, Repository, StoreCheck } from '../../kernel/ports.ts'
import { definePrompt, type Prompt } from '../../kernel/prompt.ts'
import { defineResource } from '../../kernel/resource.ts'
import { TextAnswer } from '../../kernel/text-answer.ts'
import { defineTool, NoInput, NoOutput, type Tool } from '../../kernel/tool.ts'
import type { ClosedReason } from '../../kernel/tool-offer.ts'

interface HelpPorts {
  /** Why tools that write are closed; undefined while they are open. */
  readonly closed: () => ClosedReason | undefined
  /** Brings the state up to date; undefined when it is. */
  readonly refresh: () => Promise<void> | undefined
  readonly hasEvidence: () => boolean
  /** Every tool that can be called, with the name under which it is listed. */
  readonly tools: () => readonly HelpTool[]
  readonly find: (name: string) => Tool | undefined
  /** The definition of a tool as `tools/list` would show it. */
  readonly describe: (tool: Tool) => object
}

interface HelpTool {
  readonly name: string
  readonly isListed: boolean
  readonly isOffered: boolean
}

/** Which tools answer which question. A row is shown with those of its tools that the server offers now. */
const QUESTIONS: readonly (readonly [question: string, tools: readonly string[], note?: string])[] = [
  ['May I act? What stands in the way?', ['gate_check']],
  ['Is what I wrote acceptable?', ['gate_run']],
  ['Why is it blocked, and what repairs it?', ['gate_explain'], 'with verdict: true'],
  ['What does a rule want?', ['gate_explain'], 'with rule'],
  ['Which findings did the last run leave?', ['evidence_findings', 'evidence_status']],
  ['Does the specification allow it?', ['gate_spec']],
  ['What is in the repository?', ['project_tree', 'project_list', 'project_glob', 'project_search']],
  ['What does a file say?', ['project_read', 'project_read_many', 'project_symbols', 'project_info']],
  ['Where is a name declared or used?', ['project_find_symbol', 'project_find_references']],
  ['How is it built and connected?', ['project_structure', 'project_connections', 'project_analyze']],
  ['Save a report of the architecture', ['project_report']],
  ['What does the documentation of a library say?', ['packet_lookup', 'packet_query'], 'in this order'],
  ['The same, with little context left', ['packet_digest', 'packet_plan']],
  ['What do we hold true, and why?', ['belief_query', 'belief_explain', 'belief_status']],
  [
    'Record or correct what we hold true',
    ['belief_create', 'belief_mutate', 'belief_bind', 'belief_propagate'],
  ],
  ['Was the history changed?', ['lineage_verify', 'lineage_prove', 'lineage_replay', 'lineage_export']],
  ['What is this server, and on which commit?', ['warrant_status']],
]

/** The tools that the help names, for the test that all of them exist. */
export const HELP_TOOLS: readonly string[] = QUESTIONS.flatMap(([, tools]) => tools)

const describeState = ({ closed, hasEvidence }: HelpPorts, offered: ReadonlySet<string>): string => {
  const reason = closed()
  if (reason !== undefined)
    return `State: closed. Only reading and diagnosis are offered, because ${reason.why}. Next: ${reason.fix ?? callFaults.gate_blocked.fix}`
  if (!offered.has('gate_run')) return 'State: open.'
  return hasEvidence()
    ? 'State: open. Call gate_check before you write, gate_run after.'
    : 'State: open, without evidence. Call gate_run after you wrote.'
}

const writeHelp = async (ports: HelpPorts): Promise<string> => {
  await ports.refresh()
  const tools = ports.tools()
  const offered = new Set(tools.filter(({ isOffered }) => isOffered).map(({ name }) => name))
  const rows = QUESTIONS.flatMap(([question, named, note]) => {
    const shown = named.filter((name) => offered.has(name)).join(', ')
    return shown === '' ? [] : [`| ${question} | ${shown}${note === undefined ? '' : ` (${note})`} |`]
  })
  const unlisted = tools.filter(({ isListed, isOffered }) => isOffered && !isListed)
  return [
    describeState(ports, offered),
    ['| question | tool |', '| --- | --- |', ...rows].join('\n'),
    ...(unlisted.length === 0
      ? []
      : [
          `Also callable, not listed: ${unlisted.map(({ name }) => name).join(', ')}. For a definition, call warrant_help with tool.`,
        ]),
  ].join('\n\n')
}

const helpTool = (ports: HelpPorts): Tool =>
  defineTool({
    name: 'warrant_help',
    title: 'Which tool to call',
    description:
      'Returns which tool answers which question in the present state of the gate. With tool: the definition of one, listed or not.',
    effect: 'read',
    input: z.strictObject({ tool: z.string().max(64).optional().describe('Name of a tool.') }),
    output: NoOutput,
    run: async ({ tool: name }) => {
      if (name === undefined)
        return new TextAnswer({ closed: ports.closed() !== undefined }, [await writeHelp(ports)])
      const tool = ports.find(name)
      if (tool === undefined)
        throw callFaults.arguments(`warrant_help: there is no tool ${JSON.stringify(name)}`, {
          fix: 'Call warrant_help without arguments: it names the tools.',
        })
      return new TextAnswer({ tool: tool.name }, [JSON.stringify(ports.describe(tool))])
    },
  })

const helpPrompt = (ports: HelpPorts): Prompt =>
  definePrompt({
    name: 'warrant_help',
    title: 'Which tool to call',
    description: 'Which tool answers which question, in the present state of the gate.',
    args: z.strictObject({}),
    get: async () => [{ role: 'user', content: { type: 'text', text: await writeHelp(ports) } }],
  })

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
