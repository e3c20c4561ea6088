import { isRecord, jsonOf } from '../kernel/encoding/json.ts'
import { optional } from '../kernel/optional.ts'
import type { HookDecision } from './ports.ts'
import { readCommand, readEdits } from './read-edits.ts'
import type { AgentEvent } from './read-event.ts'
import { summarizeCommand } from './shell/summarize-command.ts'

/** What the log says of one event of an agent: never contents, and of a command no argument. */
export interface EventLine {
  readonly at: string
  readonly client: string
  readonly session?: string
  /** What the agent did: `start`, `end`, or with a tool: `command`, `write`, and `written` after it. */
  readonly what: string
  readonly paths?: readonly string[]
  readonly command?: string
  readonly verdict: 'allowed' | 'refused' | 'asked' | 'told'
  readonly rule?: string
  readonly rules?: readonly string[]
}

const VERDICTS = { allow: 'allowed', deny: 'refused', ask: 'asked', tell: 'told', continue: 'told' } as const
const MAX_EVENT_PATHS = 20

const readSubject = ({ moment, tool }: AgentEvent): Pick<EventLine, 'what' | 'paths' | 'command'> => {
  if (tool === undefined) return { what: moment }
  const isAfter = moment === 'after'
  if (tool.kind === 'shell')
    return { what: isAfter ? 'ran' : 'command', command: summarizeCommand(readCommand(tool)) }
  const paths = [...new Set(readEdits(tool).map(({ path }) => path))].slice(0, MAX_EVENT_PATHS)
  return { what: isAfter ? 'written' : 'write', paths }
}

const describeSubject = (event: AgentEvent): Pick<EventLine, 'what' | 'paths' | 'command'> => {
  try {
    return readSubject(event)
  } catch {
    // An input that cannot be read was refused; that it came is said all the same.
    return { what: 'unreadable' }
  }
}

export const writeEventLine = (event: AgentEvent, decision: HookDecision, now: number): string => {
  const { client, session } = event
  const refusal = decision.kind === 'deny' || decision.kind === 'ask' ? decision : undefined
  const line: EventLine = {
    at: new Date(now).toISOString(),
    client,
    ...optional({ session }),
    ...describeSubject(event),
    verdict: VERDICTS[decision.kind],
    ...optional({ rule: refusal?.rule, rules: refusal?.rules }),
  }
  return JSON.stringify(line)
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined)

const stringsOf = (value: unknown): readonly string[] | undefined =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : undefined

/** A line of the log; undefined where it was cut or edited so that it cannot be read. */
export const readEventLine = (text: string): EventLine | undefined => {
  const value = jsonOf(text)
  if (!isRecord(value)) return undefined
  const [at, client, what] = [textOf(value.at), textOf(value.client), textOf(value.what)]
  const verdict = Object.values(VERDICTS).find((one) => one === value.verdict)
  if (at === undefined || client === undefined || what === undefined || verdict === undefined)
    return undefined
  const { session, paths, command, rule, rules } = value
  return {
    at,
    client,
    ...optional({ session: textOf(session) }),
    what,
    ...optional({ paths: stringsOf(paths), command: textOf(command) }),
    verdict,
    ...optional({ rule: textOf(rule), rules: stringsOf(rules) }),
  }
}
