import * as z from 'zod'
import { callFaults } from '../../kernel/call-faults.ts'
import { definePrompt, type Prompt } from '../../kernel/prompt.ts'
import { TextAnswer } from '../../kernel/text-answer.ts'
import { defineTool, NoOutput, type Tool } from '../../kernel/tool.ts'
import type { ClosedReason } from '../../kernel/tool-offer.ts'

export interface HelpPorts {
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

export const helpTool = (ports: HelpPorts): Tool =>
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

export const helpPrompt = (ports: HelpPorts): Prompt =>
  definePrompt({
    name: 'warrant_help',
    title: 'Which tool to call',
    description: 'Which tool answers which question, in the present state of the gate.',
    args: z.strictObject({}),
    get: async () => [{ role: 'user', content: { type: 'text', text: await writeHelp(ports) } }],
  })
