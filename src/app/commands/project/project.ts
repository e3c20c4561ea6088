import { resolve } from 'node:path'
import { ContentAnswer } from '../../../kernel/content-answer.ts'
import { Fault, viewFault } from '../../../kernel/fault.ts'
import { escapeLineBreaks } from '../../../kernel/text/escape-text.ts'
import type { CallContext, Tool } from '../../../kernel/tool.ts'
import { showName } from '../../../project/access-rules.ts'
import { projectToolset } from '../../../project/tools.ts'
import { exitCodeOf, type Invocation, type Option, usageFaults } from '../../../surfaces/cli/command.ts'
import { readCount } from '../../../surfaces/cli/subcommand.ts'
import { killProcess } from '../../force-exit.ts'
import { openProject } from '../../open/project.ts'
import { loadSettings } from '../../process-context.ts'
import { QUESTIONS, type Question } from './options.ts'

type Args = Readonly<Record<string, unknown>>

/** One question to one tool. */
interface Asked {
  readonly tool: string
  readonly args: Args
}

/** What a tool said: the facts, and the text beside them. */
interface Said {
  readonly facts: Args
  readonly text: string
}

// A model's context has no room for more; a terminal and a pipe have.
const ROOM = new Map<string, unknown>([['limits.answerBytes', 64 * 1024 * 1024]])

const camel = (flag: string): string => flag.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase())
const dashed = (name: string): string => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)

const readFlag = ({ flag, value }: Option, given: string | boolean): unknown => {
  if (value === 'N') return readCount(String(given), `--${flag}`)
  return value === 'A,B' ? String(given).split(',') : given
}

const readFlags = (name: Question, flags: Invocation['flags']): Args =>
  Object.fromEntries(
    QUESTIONS[name].flatMap((option) => {
      const given = flags[option.flag]
      return given === undefined ? [] : [[camel(option.flag), readFlag(option, given)]]
    }),
  )

const atMost = (words: readonly string[], most: number): void => {
  if (words.length > most) throw usageFaults.argument('too many arguments')
}

const named = (path: string | undefined): Args => (path === undefined ? {} : { path })

const askSymbols = (words: readonly string[], flags: Args): Asked => {
  atMost(words, 1)
  const { find, uses, part, depth, ...rest } = flags
  if (find !== undefined && uses !== undefined) throw usageFaults.argument('--find or --uses, not both')
  if (find === undefined && part !== undefined) throw usageFaults.argument('--part goes with --find')
  if (find === undefined && uses === undefined) {
    if (words[0] === undefined) throw usageFaults.argument('name a file, or --find NAME, or --uses NAME')
    return {
      tool: 'project_symbols',
      args: { ...named(words[0]), ...(depth !== undefined && { depth }), ...rest },
    }
  }
  if (depth !== undefined) throw usageFaults.argument('--depth goes with a file')
  const args = { ...named(words[0]), ...rest }
  return find === undefined
    ? { tool: 'project_find_references', args: { name: uses, ...args } }
    : { tool: 'project_find_symbol', args: { name: find, ...(part !== undefined && { part }), ...args } }
}

/** What each command asks, from its words and flags. */
const ASK: Readonly<Record<Question, (words: readonly string[], flags: Args) => readonly Asked[]>> = {
  tree: (words, flags) => {
    atMost(words, 1)
    return [{ tool: 'project_tree', args: { ...named(words[0]), ...flags } }]
  },
  read: (words, flags) => {
    if (words.length === 0) throw usageFaults.argument('name a file')
    return words.map((path) => ({ tool: 'project_read', args: { path, ...flags } }))
  },
  search: (words, flags) => {
    atMost(words, 2)
    const [pattern, path] = words
    if (pattern === undefined) throw usageFaults.argument('name a pattern')
    return [{ tool: 'project_search', args: { pattern, ...named(path), ...flags } }]
  },
  symbols: (words, flags) => [askSymbols(words, flags)],
}

const newCall = (): CallContext => ({
  signal: new AbortController().signal,
  progress: () => {},
  log: { write: () => {} },
})

const askTool = async (tools: readonly Tool[], { tool: name, args }: Asked): Promise<Said> => {
  const tool = tools.find((one) => one.name === name)
  if (tool === undefined) throw new TypeError(`no tool ${name}`)
  const parsed = tool.input.safeParse(args)
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw usageFaults.argument(`${dashed(issue?.path.map(String).join('.') ?? '')}: ${issue?.message}`)
  }
  const said = await tool.run(parsed.data as never, newCall())
  if (!(said instanceof ContentAnswer)) throw new TypeError(`${name} told nothing`)
  const [block] = said.content
  return { facts: said.value as Args, text: block?.type === 'text' ? block.text : '' }
}

type Outcome = Said | Fault

const attempt = async (tools: readonly Tool[], asked: Asked): Promise<Outcome> => {
  try {
    return await askTool(tools, asked)
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown
    throw thrown
  }
}

const notesOf = ({ cut, truncated }: Args): readonly string[] => [
  ...(typeof cut === 'string' ? [cut] : []),
  ...(truncated === true ? ['there is more; raise --limit or narrow the question'] : []),
]

const show = ({ terminal }: Invocation, { facts, text }: Said): void => {
  if (text !== '') terminal.print(text.endsWith('\n') ? text.slice(0, -1) : text)
  for (const note of notesOf(facts)) terminal.printError(`warrant: ${note}`)
}

const asJson = (outcome: Outcome, { args }: Asked): object =>
  outcome instanceof Fault
    ? { path: args.path, error: viewFault(outcome) }
    : { ...outcome.facts, text: outcome.text }

/** Several at once, as `head` shows them: what fails says why and spoils nothing for the others. */
const showAll = (invocation: Invocation, asked: readonly Asked[], outcomes: readonly Outcome[]): number => {
  const { terminal, json } = invocation
  if (json)
    terminal.print(JSON.stringify({ files: outcomes.map((one, at) => asJson(one, asked[at] as Asked)) }))
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

export const run = async (name: Question, invocation: Invocation): Promise<number> => {
  const asked = ASK[name](invocation.positionals, readFlags(name, invocation.flags))
  const { config } = loadSettings(invocation, ROOM)
  const project = openProject(config, resolve(config.root))
  try {
    const { tools } = projectToolset({ ...project, answerBytes: config.limits.answerBytes })
    const outcomes = await Promise.all(asked.map((one) => attempt(tools, one)))
    if (asked.length > 1) return showAll(invocation, asked, outcomes)
    const [only] = outcomes
    if (only instanceof Fault) throw only
    if (only === undefined) return 0
    if (invocation.json) invocation.terminal.print(JSON.stringify({ ...only.facts, text: only.text }))
    else show(invocation, only)
    return 0
  } finally {
    if (!(await project.close())) killProcess((words) => invocation.terminal.printError(`warrant: ${words}`))
  }
}
