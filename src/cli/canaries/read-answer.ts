import type { HookClient } from '../../hooks/clients.ts'
import { isRecord, jsonOf } from '../../kernel/encoding/json.ts'

/** What a canary showed. */
type CanaryResult =
  | 'blocks'
  | 'found'
  | 'not found'
  | 'does not block'
  | 'reports only'
  | 'skipped until trusted'
  | 'cannot be shown'
  | 'not set up'

/** One place where something may be refused. */
export interface CanaryRow {
  readonly point: string
  readonly result: CanaryResult
  readonly detail: string
  readonly fix?: string
  /** The routes of the bypasses that were found after they had happened. */
  readonly found?: readonly string[]
}

/** Whether something that should block does not. */
export const isFailedCanary = ({ result }: CanaryRow): boolean =>
  ['does not block', 'not found', 'reports only'].includes(result)

const USES = /^\s*(?:-\s+)?uses:\s*["']?([^\s"'#]+)/gm
/** Steps of the same repository and images by digest need no commit. */
const PINNED = /^(?:\.\/|docker:\/\/.+@sha256:)|@[0-9a-f]{40}$/

/** Whether a line of a workflow runs the gate: a command, or the action. */
export const runsGate = (text: string): boolean =>
  /^[^#\n]*\bwarrant(?:\.js)?['"]? gate\b/m.test(text) ||
  [...text.matchAll(USES)].some(([, name = '']) => /(?:^|\/)[\w.-]*warrant[\w.-]*(?:\/[^@]*)?@/i.test(name))

/** A workflow whose gate may be another one tomorrow. Whether its job is a required check cannot be shown from here. */
export const judgeWorkflow = (file: string, text: string): readonly CanaryRow[] => {
  const loose = [...text.matchAll(USES)].map(([, name = '']) => name).filter((name) => !PINNED.test(name))
  if (loose.length === 0) return []
  const fix = 'Name each action by the full id of a commit.'
  const detail = `${file} runs the gate; not pinned by commit: ${loose.join(', ')}`
  return [{ point: 'CI', result: 'cannot be shown', detail, fix }]
}

/** `late`: refused because the time was not enough. `none`: no answer that the client understands. */
export type ReadAnswer = 'allowed' | 'denied' | 'asked' | 'late' | 'none'

const BLOCKING_EXIT = 2

/** The word of the answer, where the client looks for it. */
const decisionOf = (client: HookClient, answer: Readonly<Record<string, unknown>>): unknown => {
  const nested = answer.hookSpecificOutput
  switch (client) {
    case 'gemini':
      return answer.decision
    case 'cursor':
      return answer.permission
    case 'copilot':
      return answer.permissionDecision
    case 'codex':
      // It refuses an answer with a member that it does not know.
      if (Object.keys(answer).some((name) => name !== 'hookSpecificOutput')) return undefined
      break
    default:
  }
  return isRecord(nested) && nested.hookEventName === 'PreToolUse' ? nested.permissionDecision : undefined
}

/** An answer of a hook before a tool, as its client reads it. */
export const readAnswer = (
  client: HookClient,
  { exitCode, stdout }: { readonly exitCode: number | undefined; readonly stdout: string },
): ReadAnswer => {
  if (exitCode === undefined || (exitCode !== 0 && exitCode !== BLOCKING_EXIT)) return 'none'
  if (exitCode === 0 && stdout.trim() === '') return 'allowed'
  const answer = jsonOf(stdout)
  if (!isRecord(answer)) return 'none'
  const decision = decisionOf(client, answer)
  if (decision === 'deny') return stdout.includes('could not judge this in time') ? 'late' : 'denied'
  if (decision === 'ask') return 'asked'
  return decision === 'allow' ? 'allowed' : 'none'
}
