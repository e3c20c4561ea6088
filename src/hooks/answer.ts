import { toUnicodeEscape } from '../kernel/text/escape-text.ts'
import { plural } from '../kernel/text/plural.ts'
import { CLIENT_TABLE, type HookClient, type HookMoment } from './clients.ts'
import type { GuardChange } from './guard.ts'
import type { GateState, HookDecision, WriteFinding } from './ports.ts'

const MAX_FINDINGS = 10
const MAX_LINE = 600
const MAX_TEXT = 6_000

/** Characters that act on a terminal, or that change the order in which text is shown. */
const CONTROLS = /[^\P{Cc}\n\t]|[\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ue000\ue001]/gu

/** A text for the agent and its user: without control characters, and not longer than a client shows. */
export const safeText = (text: string): string => {
  const escaped = text.replace(CONTROLS, toUnicodeEscape)
  return escaped.length <= MAX_TEXT ? escaped : `${escaped.slice(0, MAX_TEXT)} …`
}

const oneLine = (text: string): string => {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length <= MAX_LINE ? line : `${line.slice(0, MAX_LINE)} …`
}

const describeFinding = ({ ruleId, severity, file, line, message, why, fix }: WriteFinding): string =>
  [
    `${oneLine(file)}${line === undefined ? '' : `:${line}`} ${severity} ${ruleId}: ${oneLine(message)}`,
    ...(why === undefined ? [] : [`  why: ${oneLine(why)}`]),
    ...(fix === undefined ? [] : [`  fix: ${oneLine(fix)}`]),
  ].join('\n')

const listFindings = (findings: readonly WriteFinding[]): string => {
  const shown = findings.slice(0, MAX_FINDINGS).map(describeFinding)
  const more = findings.length - shown.length
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n')
}

export const refusedWrite = (findings: readonly WriteFinding[]): string =>
  `Warrant refuses this write: ${plural(findings.length, 'finding')} would block the change. Repair it and write again.\n${listFindings(findings)}`

export const askedException = (what: 'write' | 'commit', exceptions: readonly WriteFinding[]): string =>
  `Warrant: this ${what} accepts findings instead of repairing them. A person decides on exceptions: without one who agrees, repair the code instead.\n${listFindings(exceptions)}`

export const writtenFindings = (
  blocking: readonly WriteFinding[],
  others: readonly WriteFinding[],
): string => {
  const what =
    blocking.length > 0
      ? `${plural(blocking.length, 'finding')} will block the commit`
      : `${plural(others.length, 'finding')}`
  return `Warrant on the file as it is now: ${what}.\n${listFindings([...blocking, ...others])}`
}

export const refusedOwnFile = (path: string): string =>
  `Warrant refuses this write: ${oneLine(path)} decides how changes are judged, or holds its results. A person changes it. Leave it as it is and go on.`

const MAX_LISTED_COMMITS = 20

const listCommits = (commits: GuardChange['commits']): string => {
  const shown = commits
    .slice(0, MAX_LISTED_COMMITS)
    .map(({ id, subject }) => `${id.slice(0, 12)} ${oneLine(subject)}`)
  const more = commits.length - shown.length
  return [...shown, ...(more > 0 ? [`and ${more} more`] : [])].join('\n')
}

/** What an agent is told of a change. */
export const describeChange = ({
  since,
  restored,
  left,
  commits,
  blocking,
  counted,
}: GuardChange): string => {
  const time = new Date(since).toISOString().slice(11, 19)
  const lines = [`Warrant: since ${time} UTC the following changed.`]
  if (restored.length > 0)
    lines.push(
      `Put back, because the gate would not have run: ${restored.map(oneLine).join(', ')}. If a person changed it on purpose: change it again, then run \`warrant init\`.`,
    )
  for (const { what, repair } of left)
    lines.push(`${oneLine(what)} keeps the gate from running. Put it back: ${repair}`)
  if (commits.length > 0)
    lines.push(
      `${plural(commits.length, 'commit')} without a receipt, so no gate judged ${commits.length === 1 ? 'it' : 'them'}:`,
      listCommits(commits),
      blocking.length === 0
        ? 'Where the repository lists keys, judge before the push: warrant receipts check --judge'
        : `Repair this in a new commit:\n${listFindings(blocking)}`,
    )
  if (counted > 0)
    lines.push(`${plural(counted, 'commit')} by rebase, cherry-pick or merge not judged here: the push does.`)
  return lines.join('\n')
}

export const gateStateText = ({ verdict, findings, required }: GateState): string =>
  [`Warrant: ${verdict}`, `Open findings: ${findings}`, `Required: ${required}`].map(oneLine).join('\n')

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
