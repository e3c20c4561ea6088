import { resolve } from 'node:path'
import { openProject } from '../../app/open/project.ts'
import { loadSettings } from '../../app/process-context.ts'
import { killProcess } from '../../app/shutdown.ts'
import { Fault, viewFault } from '../../kernel/fault.ts'
import { escapeLineBreaks, showName } from '../../kernel/text/escape-text.ts'
import { TextAnswer } from '../../kernel/text-answer.ts'
import type { CallContext, Tool } from '../../kernel/tool.ts'
import { projectToolset } from '../../project/tools.ts'
import { exitCodeOf, type Invocation, type Option, usageFaults } from '../command/command.ts'
import { readCount } from '../command/subcommand.ts'
import { PROJECT_OPTIONS, type ProjectCommand } from './options.ts'

type Args = Readonly<Record<string, unknown>>

interface ToolRequest {
  readonly tool: string
  readonly args: Args
}

/** The text of a tool and the facts about it. */
interface ToolResult {
  readonly facts: Args
  readonly text: string
}

// The usual limit protects the context of a model: a terminal and a pipe take more.
const LARGE_ANSWERS = new Map<string, unknown>([['limits.answerBytes', 64 * 1024 * 1024]])

const toCamelCase = (flag: string): string =>
  flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
const toDashes = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const readFlag = ({ flag, value }: Option, given: string | boolean): unknown => {
  if (value === 'N') return readCount(String(given), `--${flag}`)
  return value === 'A,B' ? String(given).split(',') : given
}

const readFlags = (name: ProjectCommand, flags: Invocation['flags']): Args =>
  Object.fromEntries(
    PROJECT_OPTIONS[name].flatMap((option) => {
      const given = flags[option.flag]
      return given === undefined ? [] : [[toCamelCase(option.flag), readFlag(option, given)]]
    }),
  )

const rejectMoreThan = (max: number, positionals: readonly string[]): void => {
  if (positionals.length > max) throw usageFaults.argument('too many arguments')
}

const pathArgument = (path: string | undefined): Args => (path === undefined ? {} : { path })

const symbolsRequest = (positionals: readonly string[], flags: Args): ToolRequest => {
  rejectMoreThan(1, positionals)
  const { find, uses, part, depth, ...rest } = flags
  if (find !== undefined && uses !== undefined) throw usageFaults.argument('choose one of --find, --uses')
  if (find === undefined && part !== undefined) throw usageFaults.argument('--part needs --find')
  if (find === undefined && uses === undefined) {
    if (positionals[0] === undefined)
      throw usageFaults.argument('name a file, or --find NAME, or --uses NAME')
    return {
      tool: 'project_symbols',
      args: { ...pathArgument(positionals[0]), ...(depth !== undefined && { depth }), ...rest },
    }
  }
  if (depth !== undefined) throw usageFaults.argument('--depth needs a file')
  const args = { ...pathArgument(positionals[0]), ...rest }
  return find === undefined
    ? { tool: 'project_find_references', args: { name: uses, ...args } }
    : { tool: 'project_find_symbol', args: { name: find, ...(part !== undefined && { part }), ...args } }
}

/** The tool requests of each command, from its arguments and flags. */
const REQUESTS: Readonly<
  Record<ProjectCommand, (positionals: readonly string[], flags: Args) => readonly ToolRequest[]>
> = {
  tree: (positionals, flags) => {
    rejectMoreThan(1, positionals)
    return [{ tool: 'project_tree', args: { ...pathArgument(positionals[0]), ...flags } }]
  },
  read: (positionals, flags) => {
    if (positionals.length === 0) throw usageFaults.argument('name a file')
    return positionals.map((path) => ({ tool: 'project_read', args: { path, ...flags } }))
  },
  search: (positionals, flags) => {
    rejectMoreThan(2, positionals)
    const [pattern, path] = positionals
    if (pattern === undefined) throw usageFaults.argument('name a pattern')
    return [{ tool: 'project_search', args: { pattern, ...pathArgument(path), ...flags } }]
  },
  symbols: (positionals, flags) => [symbolsRequest(positionals, flags)],
}

const newCall = (): CallContext => ({
  signal: new AbortController().signal,
  progress: () => {},
  log: { write: () => {} },
  attach: () => {},
})

const callTool = async (tools: readonly Tool[], { tool: name, args }: ToolRequest): Promise<ToolResult> => {
  const tool = tools.find((one) => one.name === name)
  if (tool === undefined) throw new TypeError(`no tool ${name}`)
  const parsed = tool.input.safeParse(args)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw usageFaults.argument(`${toDashes(issue?.path.map(String).join('.') ?? '')}: ${issue?.message}`)
  }
  const answer = await tool.run(parsed.data as never, newCall())
  if (!(answer instanceof TextAnswer)) throw new TypeError(`${name} returned no text`)
  const { trust: _, ...facts } = answer.facts
  return { facts, text: answer.texts[0] ?? '' }
}

type Outcome = ToolResult | Fault

const attempt = async (tools: readonly Tool[], request: ToolRequest): Promise<Outcome> => {
  try {
    return await callTool(tools, request)
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown
    throw thrown
  }
}

const notesOf = ({ cut, truncated, hidden, unparsed }: Args): readonly string[] => [
  ...(typeof hidden === 'string' ? [`hidden characters: ${hidden}`] : []),
  ...(typeof cut === 'string' ? [cut] : []),
  ...(Array.isArray(unparsed) ? unparsed.map(String) : []),
  ...(truncated === true ? ['there are more results; raise --limit or narrow the search'] : []),
]

const show = ({ terminal }: Invocation, { facts, text }: ToolResult): void => {
  if (text !== '') terminal.print(text.endsWith('\n') ? text.slice(0, -1) : text)
  for (const note of notesOf(facts)) terminal.printError(`warrant: ${note}`)
}

const asJson = (outcome: Outcome, { args }: ToolRequest): object =>
  outcome instanceof Fault
    ? { path: args.path, error: viewFault(outcome) }
    : { ...outcome.facts, text: outcome.text }

/** Several files, with headings as `head` prints them. A file that fails does not stop the others. */
const showAll = (
  invocation: Invocation,
  requests: readonly ToolRequest[],
  outcomes: readonly Outcome[],
): number => {
  const { terminal, json } = invocation
  if (json)
    terminal.print(
      JSON.stringify({ files: outcomes.map((one, at) => asJson(one, requests[at] as ToolRequest)) }),
    )
  else {
    for (const one of outcomes) {
      if (one instanceof Fault) terminal.printError(escapeLineBreaks(`warrant: ${one.message}. ${one.fix}`))
      else {
        terminal.print(`==> ${showName(String(one.facts.path))} <==`)
        show(invocation, one)
      }
    }
  }
  const failed = outcomes.find((one) => one instanceof Fault)
  return failed === undefined ? 0 : exitCodeOf(failed)
}

export const run = async (name: ProjectCommand, invocation: Invocation): Promise<number> => {
  const requests = REQUESTS[name](invocation.positionals, readFlags(name, invocation.flags))
  const { config } = loadSettings(invocation, LARGE_ANSWERS)
  const project = openProject(config, resolve(config.root))
  try {
    const { tools } = projectToolset({ ...project, answerBytes: config.limits.answerBytes })
    const outcomes = await Promise.all(requests.map((one) => attempt(tools, one)))
    if (requests.length > 1) return showAll(invocation, requests, outcomes)
    const [only] = outcomes
    if (only instanceof Fault) throw only
    if (only === undefined) return 0
    if (invocation.json) invocation.terminal.print(JSON.stringify({ ...only.facts, text: only.text }))
    else show(invocation, only)
    return 0
  } finally {
    if (!(await project.close()))
      killProcess((message) => invocation.terminal.printError(`warrant: ${message}`))
  }
}
