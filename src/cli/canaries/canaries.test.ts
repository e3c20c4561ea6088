import { describe, expect, it } from 'vitest'
import { answerEvent } from '../../hooks/answer.ts'
import { HOOK_CLIENTS } from '../../hooks/clients.ts'
import { readAgentEvent } from '../../hooks/read-event.ts'
import { CLIENT_HOOKS } from '../../setup/client-hooks.ts'
import { canaryEvents, makeCanary } from './canary-events.ts'
import { findHookLine, readCodexTrust, readGeminiTrust } from './hook-line.ts'
import { judgeWorkflow, readAnswer, runsGate } from './read-answer.ts'

const canary = makeCanary(new Uint8Array(20).fill(7))

describe.each(HOOK_CLIENTS)('canaries for %s', (client) => {
  it('are events that the hook reads, and whose refusal is recognised', () => {
    const events = canaryEvents(client, '/repo', canary).map(({ input, expected }) => ({
      event: readAgentEvent(client, input),
      expected,
    }))
    expect(events.map(({ expected }) => expected)).toEqual(['allowed', 'denied', 'denied'])
    expect(events.map(({ event }) => event?.tool?.kind === 'shell')).toEqual([false, false, true])
    for (const { event } of events) {
      if (event === undefined) throw new Error('not read')
      expect(event.cwd).toBe('/repo')
      const answer = (text: string) => answerEvent(event, { kind: 'deny', rule: 'hooks-skipped', text })
      expect(readAnswer(client, answer('no'))).toBe('denied')
      expect(readAnswer(client, answer('Warrant could not judge this in time.'))).toBe('late')
      expect(readAnswer(client, answerEvent(event, { kind: 'allow' }))).toBe('allowed')
    }
  })

  it('take no crash and no foreign answer for a refusal', () => {
    for (const stdout of ['denied', '{}', '[]', '{"decision":"block"}'])
      expect(readAnswer(client, { exitCode: 0, stdout })).toBe('none')
    for (const exitCode of [1, 127, undefined])
      expect(readAnswer(client, { exitCode, stdout: '' })).toBe('none')
  })

  it('find the line that init writes, and no other', async () => {
    const { events, write } = CLIENT_HOOKS[client]
    const file = (command: string, names = events.map(({ event }) => event)) =>
      JSON.stringify({
        hooks: Object.fromEntries(
          events
            .filter(({ event }) => names.includes(event))
            .map((one) => [one.event, [write(one, command)]]),
        ),
      })
    const line = `warrant hook ${client}`
    expect(await findHookLine(client, file(line))).toMatchObject({ state: 'present', command: line })
    expect(await findHookLine(client, file(`true # ${line}`))).toEqual({ state: 'edited' })
    expect(await findHookLine(client, file(`warrant-other || ${line}`))).toEqual({ state: 'edited' })
    expect(await findHookLine(client, file('other'))).toEqual({ state: 'absent' })
    const after = events.filter(({ blocks }) => !blocks).map(({ event }) => event)
    expect(await findHookLine(client, file(line, after))).toEqual({ state: 'after' })
    expect(await findHookLine(client, '{')).toMatchObject({ state: 'unreadable' })
  })
})

describe('what trusts a hook', () => {
  const project = '[projects."/repo"]\ntrust_level = "trusted"\n'
  const hook = '[hooks.state."/repo/.codex/hooks.json:pre_tool_use:0:0"]\ntrusted_hash = "sha256:1"\n'

  it('is for Codex the project and a digest of a hook of its file', () => {
    expect(readCodexTrust(undefined, '/repo')).toBe('untrusted')
    expect(readCodexTrust(project, '/repo')).toBe('untrusted')
    expect(readCodexTrust(hook, '/repo')).toBe('untrusted')
    expect(readCodexTrust(project.replace('"trusted"', '"untrusted"') + hook, '/repo')).toBe('untrusted')
    expect(readCodexTrust(project + hook, '/repo')).toBe('trusted')
    expect(readCodexTrust(project + hook, '/other')).toBe('untrusted')
    expect(readCodexTrust('= ', '/repo')).toBe('unknown')
  })

  it('is for Gemini the nearest folder', () => {
    const folders = JSON.stringify({ '/': 'TRUST_FOLDER', '/repo': 'DO_NOT_TRUST' })
    expect(readGeminiTrust(folders, undefined, '/repo/inner')).toBe('untrusted')
    expect(readGeminiTrust(folders, undefined, '/repository')).toBe('trusted')
    expect(readGeminiTrust(undefined, undefined, '/repo')).toBe('untrusted')
    const off = '{"security":{"folderTrust":{"enabled":false}}}'
    expect(readGeminiTrust(undefined, off, '/repo')).toBe('trusted')
    expect(readGeminiTrust('[', undefined, '/repo')).toBe('unknown')
  })
})

describe('a workflow', () => {
  const commit = '0123456789012345678901234567890123456789'
  it('runs the gate by its action or by a command, and not in a comment', () => {
    expect(runsGate(`      - uses: owner/warrant@${commit}\n`)).toBe(true)
    expect(runsGate('      - run: npx --no-install warrant gate --stage CI\n')).toBe(true)
    expect(runsGate('      # run: warrant gate --stage CI\n')).toBe(false)
    expect(runsGate(`      - uses: owner/other@${commit}\n`)).toBe(false)
  })

  it('is told which actions are not pinned', () => {
    const text = `- uses: actions/checkout@v4\n- uses: owner/warrant@${commit} # v1\n`
    const detail = 'w.yml runs the gate; not pinned by commit: actions/checkout@v4'
    expect(judgeWorkflow('w.yml', text)).toMatchObject([{ result: 'cannot be shown', detail }])
    expect(judgeWorkflow('w.yml', text.replace('v4', commit))).toEqual([])
  })
})
