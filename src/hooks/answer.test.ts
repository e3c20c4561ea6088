import { describe, expect, it } from 'vitest'
import { answerEvent } from './answer.ts'
import { CLIENT_TABLE, HOOK_CLIENTS } from './clients.ts'

const deny = { kind: 'deny', rule: 'hooks-skipped', text: 'no \u001b[31mred\u202e' } as const
const ask = { kind: 'ask', rule: 'undecided', text: 'sure?' } as const

const answer = (
  client: (typeof HOOK_CLIENTS)[number],
  name: string,
  decision: Parameters<typeof answerEvent>[1],
) => {
  const moment = CLIENT_TABLE[client].events[name]
  if (moment === undefined) throw new Error(name)
  const { stdout, exitCode } = answerEvent({ client, name, moment }, decision)
  return { exitCode, value: stdout === '' ? undefined : JSON.parse(stdout) }
}

/** Members that the schemas of Codex 0.166.0 know; it refuses an answer with any other. */
const CODEX: Readonly<Record<string, { top: readonly string[]; nested: readonly string[] }>> = {
  PreToolUse: {
    top: [
      'continue',
      'decision',
      'hookSpecificOutput',
      'reason',
      'stopReason',
      'suppressOutput',
      'systemMessage',
    ],
    nested: [
      'additionalContext',
      'hookEventName',
      'permissionDecision',
      'permissionDecisionReason',
      'updatedInput',
    ],
  },
  PostToolUse: {
    top: [
      'continue',
      'decision',
      'hookSpecificOutput',
      'reason',
      'stopReason',
      'suppressOutput',
      'systemMessage',
    ],
    nested: ['additionalContext', 'hookEventName', 'updatedMCPToolOutput'],
  },
  Stop: {
    top: ['continue', 'decision', 'reason', 'stopReason', 'suppressOutput', 'systemMessage'],
    nested: [],
  },
  SessionStart: {
    top: ['continue', 'hookSpecificOutput', 'stopReason', 'suppressOutput', 'systemMessage'],
    nested: ['additionalContext', 'hookEventName'],
  },
}

describe('a refusal', () => {
  it('has the shape of its client, without control characters', () => {
    const text = 'no \\u001b[31mred\\u202e'
    const nested = { hookEventName: 'PreToolUse', permissionDecision: 'deny', permissionDecisionReason: text }
    expect(answer('claude', 'PreToolUse', deny)).toEqual({
      exitCode: 0,
      value: { hookSpecificOutput: nested },
    })
    expect(answer('codex', 'PreToolUse', deny)).toEqual({
      exitCode: 0,
      value: { hookSpecificOutput: nested },
    })
    expect(answer('copilot', 'preToolUse', deny)).toEqual({
      exitCode: 0,
      value: { permissionDecision: 'deny', permissionDecisionReason: text },
    })
    expect(answer('copilot', 'PreToolUse', deny).value).toMatchObject({
      permissionDecision: 'deny',
      hookSpecificOutput: nested,
    })
    expect(answer('cursor', 'preToolUse', deny)).toEqual({
      exitCode: 2,
      value: { permission: 'deny', user_message: text, agent_message: text },
    })
    expect(answer('gemini', 'BeforeTool', deny)).toEqual({
      exitCode: 0,
      value: { decision: 'deny', reason: text },
    })
  })

  it('takes the place of a question where the client does not ask', () => {
    expect(answer('claude', 'PreToolUse', ask).value.hookSpecificOutput.permissionDecision).toBe('ask')
    expect(answer('copilot', 'preToolUse', ask).value.permissionDecision).toBe('ask')
    expect(answer('codex', 'PreToolUse', ask).value.hookSpecificOutput.permissionDecision).toBe('deny')
    expect(answer('cursor', 'beforeShellExecution', ask).value.permission).toBe('deny')
    expect(answer('gemini', 'BeforeTool', ask).value.decision).toBe('deny')
  })

  it('of what happened already is told, and does not stop a turn', () => {
    for (const client of HOOK_CLIENTS)
      for (const [name, moment] of Object.entries(CLIENT_TABLE[client].events)) {
        const { value, exitCode } = answer(client, name, deny)
        if (moment === 'end' || name === 'afterFileEdit') expect(value).toBeUndefined()
        if (moment !== 'before')
          expect([exitCode, JSON.stringify(value ?? {})]).toEqual([
            0,
            expect.not.stringMatching(/"deny"|"block"/),
          ])
      }
  })
})

describe('an answer for Codex', () => {
  it.each(Object.entries(CODEX))('to %s has only members that it knows', (name, { top, nested }) => {
    const decisions = [deny, ask, { kind: 'tell', text: 'a' }, { kind: 'allow' }] as const
    const all = [...decisions, ...(name === 'Stop' ? [{ kind: 'continue', text: 'a' } as const] : [])]
    for (const decision of all) {
      if (name === 'Stop' && decision.kind === 'tell') continue
      const { value = {} } = answer('codex', name, decision)
      expect(top).toEqual(expect.arrayContaining(Object.keys(value)))
      expect(nested).toEqual(expect.arrayContaining(Object.keys(value.hookSpecificOutput ?? {})))
    }
  })
})

describe('the end of a turn', () => {
  it('goes on in the words of each client', () => {
    const go = { kind: 'continue', text: 'run the gate' } as const
    expect(answer('claude', 'Stop', go).value).toEqual({ decision: 'block', reason: 'run the gate' })
    expect(answer('codex', 'Stop', go).value).toEqual({ decision: 'block', reason: 'run the gate' })
    expect(answer('copilot', 'agentStop', go).value).toEqual({ decision: 'block', reason: 'run the gate' })
    expect(answer('copilot', 'Stop', go).value.hookSpecificOutput.decision).toBe('block')
    expect(answer('cursor', 'stop', go).value).toEqual({ followup_message: 'run the gate' })
    expect(answer('gemini', 'AfterAgent', go).value).toEqual({ decision: 'deny', reason: 'run the gate' })
  })
})
