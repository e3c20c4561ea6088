import { CLIENT_TABLE, type HookClient, type HookMoment } from './clients.ts'
import { safeText } from './decision-text.ts'
import type { HookDecision } from './ports.ts'

/** What the process prints, and how it exits. */
export interface HookAnswer {
  /** Empty where the client expects nothing. */
  readonly stdout: string
  readonly stderr: string
  readonly exitCode: number
}

interface AnsweredEvent {
  readonly client: HookClient
  readonly name: string
  readonly moment: HookMoment
}

const NOTHING: HookAnswer = { stdout: '', stderr: '', exitCode: 0 }

const json = (value: object, exitCode = 0): HookAnswer => ({
  stdout: `${JSON.stringify(value)}\n`,
  stderr: '',
  exitCode,
})

/** Clients that know Claude Code's events name them with a capital letter. */
const isClaudeEvent = (name: string): boolean => /^[A-Z]/.test(name)

type Permission = 'deny' | 'ask'

/** A tool call that is not to run. */
const refuse = ({ client, name }: AnsweredEvent, permission: Permission, text: string): HookAnswer => {
  const members = { permissionDecision: permission, permissionDecisionReason: text }
  const nested = { hookSpecificOutput: { hookEventName: name, ...members } }
  if (client === 'gemini') return json({ decision: 'deny', reason: text })
  if (client === 'cursor' && !isClaudeEvent(name))
    return json({ permission, user_message: text, agent_message: text }, permission === 'deny' ? 2 : 0)
  // The Copilot CLI reads the members at the top, VS Code those of Claude Code.
  if (client === 'copilot') return json(isClaudeEvent(name) ? { ...members, ...nested } : members)
  return json(nested)
}

/** A turn that is not to end yet. */
const goOn = ({ client, name }: AnsweredEvent, text: string): HookAnswer => {
  if (client === 'gemini') return json({ decision: 'deny', reason: text })
  if (client === 'cursor' && !isClaudeEvent(name)) return json({ followup_message: text })
  const members = { decision: 'block', reason: text }
  if (client !== 'copilot' || !isClaudeEvent(name)) return json(members)
  return json({ ...members, hookSpecificOutput: { hookEventName: name, ...members } })
}

/** Text that the agent gets with the result of a tool, or at the start. At the end of a turn it would be lost. */
const tell = ({ client, name, moment }: AnsweredEvent, text: string): HookAnswer => {
  if (moment === 'end' || name === 'afterFileEdit') return NOTHING
  if (client === 'cursor' && !isClaudeEvent(name)) return json({ additional_context: text })
  const nested = { hookSpecificOutput: { hookEventName: name, additionalContext: text } }
  if (client === 'copilot') return json(isClaudeEvent(name) ? nested : { additionalContext: text })
  return json(nested)
}

/** The answer to an event in the shape that its client reads. */
export const answerEvent = (event: AnsweredEvent, decision: HookDecision): HookAnswer => {
  if (decision.kind === 'allow') return NOTHING
  const text = safeText(decision.text)
  if (decision.kind === 'continue') return goOn(event, text)
  // What happened already, a turn that ends and a session that begins cannot be refused: the text is told.
  if (decision.kind === 'tell' || event.moment !== 'before') return tell(event, text)
  return refuse(event, decision.kind === 'ask' && CLIENT_TABLE[event.client].asks ? 'ask' : 'deny', text)
}
