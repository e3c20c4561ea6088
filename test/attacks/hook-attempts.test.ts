import { spawnSync } from 'node:child_process'
import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { loadConfig } from '../../src/app/config/load-config.ts'
import { openAgentHook } from '../../src/app/open/hooks/open.ts'
import { judgeEvent } from '../../src/hooks/judge-event.ts'
import { readAgentEvent } from '../../src/hooks/read-event.ts'
import { BINARY, cleanEnvironment } from '../support/binary.ts'
import { GIT_ENVIRONMENT, Repo } from '../support/repository.ts'
import { HOOK_ATTEMPTS, type HookAttempt, KEY } from './hook-attempts.ts'

const repo = Repo.init()
const home = new Repo()
const environment = { ...process.env, ...GIT_ENVIRONMENT, HOME: home.folder, XDG_STATE_HOME: undefined }

const NOTEBOOK = {
  cells: [{ cell_type: 'code', id: 'c1', metadata: {}, outputs: [], source: 'a = 1' }],
  metadata: {},
}

beforeAll(() => {
  repo.commit({
    'package.json': '{"dependencies":{"express":"5"}}\n',
    'lib/app.ts': 'export const one = 1\nexport const two = (input: string) => 2\n',
    'a.ipynb': JSON.stringify(NOTEBOOK),
    'scripts/quick.sh': '#!/bin/sh\ngit add -A && git commit --no-verify -m quick\n',
    '.warrant/keys.yml': 'keys: []\n',
    '.claude/settings.json':
      '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"warrant hook claude"}]}]}}\n',
  })
  repo.write({ '.git/hooks/pre-commit': '#!/bin/sh\nexit 1\n' })
  repo.git('config', 'alias.quick', 'commit --no-verify')
  symlinkSync('.git/hooks', repo.path('linked'))
  symlinkSync('.git/hooks/post-commit', repo.path('dangling'))
})

const eventOf = ({ client = 'claude', tool, input }: HookAttempt) => {
  const filled = JSON.stringify(input).replaceAll('ROOT', repo.folder)
  return {
    client,
    text: `{"hook_event_name":"PreToolUse","cwd":${JSON.stringify(repo.folder)},"tool_name":"${tool}","tool_input":${filled}}`,
  }
}

const judge = async (attempt: HookAttempt) => {
  const { client, text } = eventOf(attempt)
  const { config } = loadConfig({}, { cwd: repo.folder, environment })
  const { signal } = new AbortController()
  const context = { environment, cwd: repo.folder, program: undefined, signal, budget: 9_000 }
  const ports = await openAgentHook(config, context)
  const event = readAgentEvent(client, text)
  if (ports === undefined) throw new Error('no repository')
  return event === undefined ? ({ kind: 'allow' } as const) : judgeEvent(event, ports)
}

const named = HOOK_ATTEMPTS.map((one) => [`${one.attempt} (${one.tool})`, one] as const)

describe('an attempt to get past the hook of an agent', () => {
  it('is one of at least sixty', () => {
    expect(HOOK_ATTEMPTS.filter(({ outcome }) => outcome !== 'limit').length).toBeGreaterThanOrEqual(60)
    const passed = HOOK_ATTEMPTS.filter(({ outcome }) => outcome === 'limit' || outcome === 'after')
    expect(passed.filter(({ found }) => found === undefined)).toEqual([])
  })

  it.each(named)('%s has the outcome that the table tells', async (_, attempt) => {
    const decision = await judge(attempt)
    const passes = attempt.outcome === 'limit' || attempt.outcome === 'after'
    expect(decision.kind).toBe(passes ? 'allow' : attempt.outcome)
    expect(JSON.stringify(decision)).not.toContain(KEY)
  })
})

const CHOSEN = [
  'the short option in a cluster',
  'wrappers',
  'a function',
  'evidence written by hand',
  '`sh -c`, nested',
  '`HUSKY=0`, exported',
  'a file written by the shell',
  'a cell of a notebook',
  'settings that switch all hooks off',
  'a finding in a new file',
  'a patch that moves a file and changes it',
  'a hook, through a link to its folder',
]

describe('through the binary', () => {
  it.each(named.filter(([, { attempt }]) => CHOSEN.includes(attempt)))('%s is refused', (_, attempt) => {
    const { client, text } = eventOf(attempt)
    const { status, stdout } = spawnSync(process.execPath, [BINARY, 'hook', client, '--budget', '9000'], {
      cwd: repo.folder,
      env: cleanEnvironment({
        ...GIT_ENVIRONMENT,
        HOME: home.folder,
        XDG_STATE_HOME: join(home.folder, 'state'),
      }),
      input: text,
      encoding: 'utf8',
    })
    expect(status).toBe(0)
    expect(JSON.parse(stdout).hookSpecificOutput.permissionDecision).toBe('deny')
    expect(stdout).not.toContain(KEY)
  })

  it('by an exception that a script wrote is put to the user when it is committed', async () => {
    const commit = {
      attempt: '',
      tool: 'Bash',
      input: { command: 'git commit -am x' },
      outcome: 'ask',
    } as const
    expect((await judge(commit)).kind).toBe('allow')
    const line = '// warrant-ignore javascript.eval: a script wrote this\nexport const run = (a) => eval(a)\n'
    repo.write({ 'lib/script.js': line })
    expect(await judge(commit)).toMatchObject({
      kind: 'ask',
      rule: 'exception',
      text: expect.stringContaining('this commit accepts findings'),
    })
    repo.git('clean', '-qfd', 'lib')
  })
})
