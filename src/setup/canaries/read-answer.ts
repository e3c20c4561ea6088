import type { HookClient } from '../../hooks/clients.ts'
import { isRecord, jsonOf } from '../../kernel/encoding/json.ts'

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
