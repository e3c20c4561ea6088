import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { BINARY, cleanEnvironment } from '../support/binary.ts'
import { GIT_ENVIRONMENT, Repo } from '../support/repository.ts'

const repo = Repo.init()
const home = new Repo()
const env = cleanEnvironment({ ...GIT_ENVIRONMENT, HOME: home.folder, XDG_STATE_HOME: home.path('state') })

const warrant = (args: readonly string[], input = '', cwd = repo.folder) =>
  spawnSync(process.execPath, [BINARY, ...args], { cwd, env, input, encoding: 'utf8' })

/** Runs the hook with time enough for a busy machine. */
const hook = (client: string, event: object | string, ...options: string[]) => {
  const input = typeof event === 'string' ? event : JSON.stringify({ cwd: repo.folder, ...event })
  const { status, stdout, stderr } = warrant(['hook', client, '--budget', '9000', ...options], input)
  return { status, stderr, value: stdout === '' ? undefined : JSON.parse(stdout) }
}

const EVAL = 'export const run = (input: string) => eval(input)\n'

beforeAll(() => {
  repo.commit({
    'package.json': '{"dependencies":{"express":"5"}}\n',
    'old.ts': EVAL,
    'app.ts': 'export const one = 1\n',
  })
})

describe('warrant hook', () => {
  it('refuses a write with rule, line, reason and repair, and lets a clean one pass without a word', () => {
    const tool = { hook_event_name: 'PreToolUse', tool_name: 'Write' }
    const { status, value } = hook('claude', { ...tool, tool_input: { file_path: 'new.ts', content: EVAL } })
    const { permissionDecision, permissionDecisionReason } = value.hookSpecificOutput
    expect([status, permissionDecision]).toEqual([0, 'deny'])
    expect(permissionDecisionReason).toMatch(
      /new\.ts:1 CRITICAL javascript\.eval: .+\n {2}why: .+\n {2}fix: /,
    )
    const clean = hook('claude', {
      ...tool,
      tool_input: { file_path: 'new.ts', content: 'export const a = 1\n' },
    })
    expect(clean).toEqual({ status: 0, stderr: '', value: undefined })
  })

  it('counts what is on the lines that it changes, and secrets that it brings', () => {
    const input = { file_path: repo.path('old.ts'), old_string: 'run', new_string: 'start' }
    const event = { hook_event_name: 'PreToolUse', tool_name: 'Edit', tool_input: input }
    const key = `export const key = '${['AKIA', 'Q3EGRGTZ', 'J7LKPM5X'].join('')}'\n`
    writeFileSync(repo.path('old.ts'), `${EVAL}\n${key}\nexport const two = 2\n`)
    const far = { ...event, tool_input: { ...input, old_string: 'two = 2', new_string: 'two = 3' } }
    expect(hook('claude', far).value).toBeUndefined()
    expect(hook('claude', event).value.hookSpecificOutput.permissionDecision).toBe('deny')
    repo.git('checkout', '-q', '--', 'old.ts')
  })

  it('refuses a command in the shape of each client', () => {
    const command = 'git commit --no-verify -m x'
    const cursor = hook('cursor', { hook_event_name: 'beforeShellExecution', command })
    expect([cursor.status, cursor.value.permission]).toEqual([2, 'deny'])
    const gemini = hook('gemini', {
      hook_event_name: 'BeforeTool',
      tool_name: 'run_shell_command',
      tool_input: { command },
    })
    expect([gemini.status, gemini.value.decision]).toEqual([0, 'deny'])
    const copilot = hook('copilot', { timestamp: 1, toolName: 'bash', toolArgs: JSON.stringify({ command }) })
    expect([copilot.status, copilot.value.permissionDecision]).toEqual([0, 'deny'])
    const codex = hook('codex', { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command } })
    expect(Object.keys(codex.value)).toEqual(['hookSpecificOutput'])
  })

  it('refuses what it cannot read, and what takes too long', () => {
    expect(hook('claude', '{').value.hookSpecificOutput.permissionDecision).toBe('deny')
    expect(hook('gemini', '[]').value.decision).toBe('deny')
    expect(hook('cursor', '').status).toBe(2)
    const event = {
      hook_event_name: 'PreToolUse',
      tool_name: 'Write',
      tool_input: { file_path: 'new.ts', content: EVAL },
    }
    const late = hook('claude', event, '--budget', '100')
    expect(late.value.hookSpecificOutput.permissionDecisionReason).toContain('in time')
    expect(hook('claude', event, '--budget', '100', '--on-timeout', 'allow').value).toBeUndefined()
    expect(hook('zed', event)).toMatchObject({ status: 2, value: undefined })
  })

  it('tells the agent the findings of a written file, and to run the gate before it ends, once', () => {
    repo.write({ 'new.ts': EVAL })
    const after = {
      hook_event_name: 'PostToolUse',
      tool_name: 'Write',
      tool_input: { file_path: 'new.ts', content: EVAL },
      tool_response: {},
    }
    expect(hook('claude', after).value.hookSpecificOutput.additionalContext).toContain('javascript.eval')
    const stop = { hook_event_name: 'Stop', stop_hook_active: false }
    expect(hook('claude', stop).value).toMatchObject({
      decision: 'block',
      reason: expect.stringContaining('warrant gate'),
    })
    expect(hook('claude', { ...stop, stop_hook_active: true }).value).toBeUndefined()
    repo.write({ 'new.ts': 'export const a = 1\n' })
    expect(warrant(['gate', '--stage', 'PRE_WRITE']).status).toBe(0)
    expect(hook('claude', stop).value).toBeUndefined()
    const { additionalContext } = hook('claude', { hook_event_name: 'SessionStart', source: 'startup' }).value
      .hookSpecificOutput
    expect(additionalContext.split('\n')).toEqual([
      'Warrant: the gate allows the present files.',
      'Open findings: 0',
      'Required: nothing.',
    ])
  })

  it('has no answer outside of a repository, and to events and tools that it does not know', () => {
    const event = JSON.stringify({
      cwd: home.folder,
      hook_event_name: 'PreToolUse',
      tool_name: 'Write',
      tool_input: { file_path: 'a.ts', content: EVAL },
    })
    const { status, stdout } = warrant(['hook', 'claude', '--budget', '9000'], event, home.folder)
    expect([status, stdout]).toEqual([0, ''])
    expect(hook('claude', { hook_event_name: 'Later', tool_name: 'Write' })).toMatchObject({
      status: 0,
      value: undefined,
    })
  })
})
