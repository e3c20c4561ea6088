import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { BINARY, cleanEnvironment } from '../support/binary.ts'
import { GIT_ENVIRONMENT, Repo } from '../support/repository.ts'

const repo = Repo.init('main')
const home = new Repo()
const env = cleanEnvironment({ ...GIT_ENVIRONMENT, HOME: home.folder, XDG_STATE_HOME: home.path('state') })

const warrant = (args: readonly string[], input = '') =>
  spawnSync(process.execPath, [BINARY, ...args], { cwd: repo.folder, env, input, encoding: 'utf8' })

const json = (...args: readonly string[]) => JSON.parse(warrant([...args, '--json']).stdout)

const fire = (client: string, session: string, tool: string, input: object) =>
  warrant(
    ['hook', client, '--budget', '9000'],
    JSON.stringify({
      hook_event_name: client === 'gemini' ? 'BeforeTool' : 'PreToolUse',
      session_id: session,
      cwd: repo.folder,
      tool_name: tool,
      tool_input: input,
    }),
  )

const SECRET = 'hunter2-is-a-secret'
const eventFiles = (): string[] => {
  const folder = join(home.path('state'), 'warrant', 'events')
  return readdirSync(folder).flatMap((one) =>
    readdirSync(join(folder, one))
      .filter((name) => name.endsWith('.jsonl'))
      .map((name) => join(folder, one, name)),
  )
}

beforeAll(() => {
  repo.commit({ 'package.json': '{}\n' })
  fire('claude', 'first', 'Bash', {
    command: `DB=${SECRET} mysql -p${SECRET} --password=${SECRET} ${SECRET}; git push origin ${SECRET}`,
  })
  fire('claude', 'first', 'Bash', { command: 'git commit --no-verify -m x' })
  fire('claude', 'second', 'Write', { file_path: 'src/a.ts', content: `export const a = '${SECRET}'\n` })
  fire('gemini', 'third', 'write_file', {
    file_path: 'src/b.ts',
    content: 'export const run = (input: string) => eval(input)\n',
  })
})

describe('warrant log', () => {
  it('shows every event, newest first, and what was decided', () => {
    const { events, unsealed } = json('log')
    expect(unsealed).toBe(4)
    expect(events).toMatchObject([
      {
        client: 'gemini',
        session: 'third',
        what: 'write',
        paths: ['src/b.ts'],
        verdict: 'refused',
        rule: 'finding',
        rules: ['javascript.eval'],
      },
      { client: 'claude', session: 'second', what: 'write', paths: ['src/a.ts'], verdict: 'allowed' },
      {
        client: 'claude',
        what: 'command',
        command: 'git commit --no-verify -m',
        verdict: 'refused',
        rule: 'hooks-skipped',
      },
      { client: 'claude', what: 'command', command: 'mysql -p --password; git push', verdict: 'allowed' },
    ])
    const lines = warrant(['log']).stdout.split('\n')
    expect(lines[2]).toMatch(
      /^\d\d-\d\d \d\d:\d\d {2}gemini {2}third {4}refused {2}write src\/b\.ts \(finding javascript\.eval\)$/,
    )
    expect(lines.filter((line) => line.length > 80)).toEqual([])
  })

  it.each([
    [['--refused'], ['gemini', 'claude']],
    [['--client', 'gemini'], ['gemini']],
    [
      ['--session', 'fir'],
      ['claude', 'claude'],
    ],
    [['--path', 'a.ts'], ['claude']],
    [['--since', '1h', '--limit', '1'], ['gemini']],
    [['--since', '2999-01-01'], []],
  ])('%j shows only those', (options, clients) => {
    expect(json('log', ...options).events.map(({ client }: { client: string }) => client)).toEqual(clients)
  })

  it('refuses what it cannot filter by', () => {
    expect(json('log', '--since', 'yesterday').error.code).toBe('usage.option')
    expect(json('log', 'entries', '--refused').error.code).toBe('usage.option')
  })

  it('keeps no content, no secret and no argument of a command', () => {
    const kept = eventFiles()
      .map((path) => readFileSync(path, 'utf8'))
      .join('')
    expect(kept.split('\n')).toHaveLength(5)
    expect(kept).not.toContain(SECRET)
    expect(kept).not.toContain('eval(')
  })

  it('is sealed by the next run of the gate, and shows by its verification that it was edited', () => {
    expect(warrant(['gate']).status).toBe(0)
    expect(json('log').unsealed).toBe(0)
    expect(json('log', 'entries').entries.map(({ operation }: { operation: string }) => operation)).toContain(
      'agent_events',
    )
    expect(warrant(['log', 'verify']).status).toBe(0)
    const [file = ''] = eventFiles()
    writeFileSync(file, readFileSync(file, 'utf8').replace('"refused"', '"allowed"'))
    const { status, stdout } = warrant(['log', 'verify'])
    expect([status, JSON.parse(stdout).changed_events]).toEqual([
      1,
      [expect.stringMatching(/^\d{4}-\d\d-\d\d$/)],
    ])
  })
})
