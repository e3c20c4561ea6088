import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ACCEPTANCES_FILE } from '../../src/gate/findings/acceptances.ts'
import type { GateReport } from '../../src/gate/reports/report.ts'
import { BINARY, cleanEnvironment, sweep } from '../support/binary.ts'
import { gate, gateEnvironment, gateJson, readEvidence } from '../support/gate.ts'
import { GIT_ENVIRONMENT, Repo } from '../support/repository.ts'

afterAll(sweep)

/** Put together, so that this file holds no key. */
const KEY = ['AKIA', 'Q3EGRGTZ', 'J7LKPM5X'].join('')
const SECRET = `export const key = '${KEY}'\n`
const EVAL = 'export const run = (input: string) => eval(input)\n'

const open = (findings: GateReport['findings']) => findings.filter(({ state }) => state === 'new')
const blocking = (report: GateReport): string[] =>
  open(report.findings)
    .filter(({ severity }) => severity === 'CRITICAL' || severity === 'ERROR')
    .map(({ ruleId, file }) => `${ruleId} ${file}`)

const newRepo = (): Repo => Repo.init().commit({ 'README.md': '# x\n' })

/** Types the answer on a terminal of its own. */
const onTerminal = (repo: Repo, command: string, typed: string) => {
  const { status, stdout } = spawnSync(
    'script',
    ['-qec', `"${process.execPath}" "${BINARY}" ${command}`, '/dev/null'],
    { cwd: repo.folder, env: gateEnvironment(), input: `${typed}\n`, encoding: 'utf8' },
  )
  return { status, stdout }
}

const withoutTerminal = (repo: Repo, ...args: readonly string[]) =>
  spawnSync('setsid', ['-w', process.execPath, BINARY, ...args], {
    cwd: repo.folder,
    env: gateEnvironment(),
    encoding: 'utf8',
    input: '',
  })

/** Executes what a blocked run prints, and stages what the command then names. */
const acceptAsPrinted = (repo: Repo, printed: string, more = ''): string => {
  const [, hint = '', digits = ''] = /^Or accept it: warrant (accept ([0-9a-f]{12}) .*)$/m.exec(printed) ?? []
  const command = hint.replace('<why>', 'expired test key of the old sandbox')
  const { status, stdout } = onTerminal(repo, `${command}${more}`, digits.slice(0, 6))
  expect([status, stdout]).toEqual([0, expect.stringContaining('is accepted.')])
  const [, next = ''] = /^Next: git (add .*), then commit again/m.exec(stdout) ?? []
  repo.git(...next.split(' '))
  return stdout
}

const blob = (repo: Repo, path: string): string => repo.git('hash-object', path).trim()

const entryOf = (repo: Repo, rule: string, more: Readonly<Record<string, string>> = {}): string => {
  const found = readEvidence(repo).snapshot.findings.find(({ ruleId }) => ruleId === rule)
  const { file = '' } = found ?? {}
  const fingerprint = String(found?.fingerprint)
  const members = {
    finding: fingerprint,
    rule,
    path: file,
    blob: blob(repo, file),
    reason: 'because',
    ...more,
  }
  const lines = Object.entries(members).map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
  return `  - ${lines.join('\n    ')}\n`
}

/** What GitHub tells a build about a pull request. */
const pullRequest = (repo: Repo, headRepo: object | null) => {
  const [base, head] = ['main', 'HEAD'].map((name) => repo.git('rev-parse', name).trim())
  const event = {
    pull_request: { base: { sha: base, repo: { id: 1 } }, head: { sha: head, repo: headRepo } },
  }
  const file = join(new Repo().folder, 'event.json')
  writeFileSync(file, JSON.stringify(event))
  return { env: { CI: 'true', GITHUB_EVENT_PATH: file } }
}

describe('a secret that a person accepts', () => {
  const repo = newRepo()
  repo.git('branch', 'main')

  it('passes the commit, the push and a build of the same repository, and is listed there', () => {
    repo.stage({ 'src/key.ts': SECRET })
    const blocked = gate(repo, ['--stage', 'PRE_COMMIT'])
    expect(blocked.status).toBe(1)
    expect(blocked.stdout.match(/^Or /gm)).toHaveLength(1)
    const printed = acceptAsPrinted(repo, blocked.stdout, ' --by "Jane Doe" --until 2999-01-31')
    expect(printed).toContain(`blob: ${blob(repo, 'src/key.ts')}`)
    const committed = gateJson(repo, ['--stage', 'PRE_COMMIT'])
    expect(committed).toMatchObject({ code: 0, status: 'ALLOWED' })
    expect(committed.findings).toContainEqual(
      expect.objectContaining({
        state: 'suppressed',
        reason: 'expired test key of the old sandbox',
        secret: true,
      }),
    )
    repo.git('commit', '-q', '-m', 'key')
    const pushed = gateJson(repo, ['--stage', 'PRE_PUSH', '--range', 'main..HEAD'])
    expect([pushed.code, blocking(pushed)]).toEqual([0, []])
    const built = gateJson(repo, [], pullRequest(repo, { id: 1 }))
    expect([built.stage, built.code, blocking(built)]).toEqual(['CI', 0, []])
    expect(open(built.findings)).toEqual([
      expect.objectContaining({
        ruleId: 'gate.acceptance-added',
        severity: 'INFO',
        file: ACCEPTANCES_FILE,
        message: expect.stringMatching(/^\S+ in src\/key\.ts is accepted by Jane Doe: expired test key of/),
      }),
    ])
    expect(JSON.stringify([committed, built, printed])).not.toContain(KEY)
  })

  it('blocks a build of a fork, until the target has the entry', () => {
    for (const head of [{ id: 2 }, null]) {
      const built = gateJson(repo, [], pullRequest(repo, head))
      expect([built.code, blocking(built).length]).toEqual([1, 1])
      expect(built.notes?.join()).toContain('comes from a fork')
    }
    const named = gateJson(repo, ['--stage', 'CI', '--range', 'main..HEAD'], pullRequest(repo, { id: 2 }))
    expect(named.code).toBe(1)
    const gitlab = { CI: 'true', GITLAB_CI: 'true', CI_MERGE_REQUEST_PROJECT_ID: '7' }
    const [base, head] = ['main', 'HEAD'].map((name) => repo.git('rev-parse', name).trim())
    const commits = { CI_MERGE_REQUEST_DIFF_BASE_SHA: base ?? '', CI_COMMIT_SHA: head ?? '' }
    const codes = ['7', '8'].map((from) => {
      const env = { ...gitlab, ...commits, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: from }
      return gateJson(repo, [], { env }).code
    })
    expect(codes).toEqual([0, 1])
    const jenkins = { CI: 'true', CHANGE_TARGET: 'main' }
    expect(gateJson(repo, [], { env: { ...jenkins, CHANGE_FORK: 'mallory' } }).code).toBe(1)
    expect(gateJson(repo, [], { env: jenkins }).code).toBe(0)
    const other = new Repo()
    other.git('clone', '-q', repo.folder, '.')
    other.git('checkout', '-q', '-b', 'main', 'origin/main')
    other.git('checkout', '-q', 'origin/feature/x', '--', ACCEPTANCES_FILE)
    other.git('commit', '-q', '-m', 'accept')
    other.git('checkout', '-q', '-b', 'work')
    other.git('merge', '-q', '-m', 'merge', 'origin/feature/x')
    expect(gateJson(other, [], pullRequest(other, { id: 2 })).code).toBe(0)
  })

  it('blocks again when the file changes, and the newest acceptance takes the place of the old one', () => {
    repo.stage({ 'src/key.ts': `${SECRET}export const two = 2\n` })
    const pushed = gateJson(repo, ['--stage', 'PRE_PUSH', '--scope', 'staged'])
    expect(pushed.code).toBe(0)
    repo.git('commit', '-q', '-m', 'more')
    const again = gate(repo, ['--stage', 'PRE_PUSH', '--range', 'main..HEAD'])
    expect(again.status).toBe(1)
    expect(again.stdout).toContain('its blob is not that of the file')
    acceptAsPrinted(repo, again.stdout)
    repo.git('commit', '-q', '-m', 'accept again')
    expect(gateJson(repo, ['--stage', 'PRE_PUSH', '--range', 'main..HEAD']).code).toBe(0)
    expect(readFileSync(repo.path(ACCEPTANCES_FILE), 'utf8').match(/finding:/g)).toHaveLength(1)
  })

  it('blocks again when the entry is removed', () => {
    repo.write({ [ACCEPTANCES_FILE]: 'findings: []\n' }).git('commit', '-qam', 'remove')
    const pushed = gateJson(repo, ['--stage', 'PRE_PUSH', '--range', 'main..HEAD'])
    expect([pushed.code, pushed.findings.some(({ ruleId }) => ruleId === 'gate.policy-changed')]).toEqual([
      1,
      false,
    ])
  })
})

describe('an entry', () => {
  const repo = newRepo()
  repo.stage({ 'a.ts': SECRET })
  gate(repo)
  const rule = readEvidence(repo).snapshot.findings[0]?.ruleId ?? ''
  const judge = (more: Readonly<Record<string, string>>) => {
    repo.stage({ [ACCEPTANCES_FILE]: `findings:\n${entry(more)}` })
    return gateJson(repo, ['--stage', 'PRE_COMMIT', '--no-evidence'])
  }
  const entry = (more: Readonly<Record<string, string>>) => entryOf(repo, rule, more)

  it('counts for its rule, path and file, until its day is over', () => {
    expect(judge({}).code).toBe(0)
    expect(judge({ path: 'b.ts' }).code).toBe(1)
    expect(judge({ rule: 'secrets.other' }).code).toBe(1)
    expect(judge({ blob: 'a'.repeat(40) }).notes?.join()).toContain('its blob is not that of the file')
    const ended = judge({ until: '2026-01-31' })
    expect([ended.code, ended.notes?.join()]).toEqual([1, expect.stringContaining('it ended on 2026-01-31')])
    expect(judge({ until: '2999-01-31' }).code).toBe(0)
  })

  it('has to be staged for a commit, and committed for a push', () => {
    repo.stage({ [ACCEPTANCES_FILE]: 'findings: []\n' })
    repo.write({ [ACCEPTANCES_FILE]: `findings:\n${entry({})}` })
    expect(gateJson(repo, ['--stage', 'PRE_COMMIT', '--no-evidence']).code).toBe(1)
    expect(gateJson(repo, ['--stage', 'PRE_WRITE', '--no-evidence']).code).toBe(0)
    const other = newRepo().commit({ 'a.ts': SECRET })
    other.write({ [ACCEPTANCES_FILE]: `findings:\n${entry({})}` })
    expect(gateJson(other, ['--stage', 'PRE_PUSH', '--range', 'HEAD~1..HEAD']).code).toBe(1)
  })

  it('that is wrong stops the gate, and says which member; at the base it counts as absent', () => {
    repo.stage({ [ACCEPTANCES_FILE]: `findings:\n${entry({ until: 'soon' })}` })
    const { status, stderr } = gate(repo)
    expect([status, stderr]).toEqual([2, expect.stringContaining('findings.0.until')])
    const broken = newRepo().commit({ [ACCEPTANCES_FILE]: 'findings: nonsense\n' })
    broken.stage({ [ACCEPTANCES_FILE]: 'findings: []\n' })
    expect(gateJson(broken).code).toBe(0)
    broken.stage({ [ACCEPTANCES_FILE]: `findings:\n${entry({})}`, 'a.ts': SECRET })
    expect(gateJson(broken).code).toBe(0)
  })

  it('accepts a weaker policy, as it is and no other', () => {
    const weak = newRepo().commit({ '.pumuki/hard-mode.json': '{"enabled":true}\n' })
    weak.stage({ '.pumuki/hard-mode.json': '{"enabled":false}\n' })
    const blocked = gate(weak)
    expect([blocked.status, blocked.stdout]).toEqual([1, expect.stringContaining('gate.policy-changed')])
    acceptAsPrinted(weak, blocked.stdout)
    expect(gateJson(weak)).toMatchObject({ code: 0 })
    weak.stage({ '.pumuki/hard-mode.json': '{ "enabled":false }\n' })
    expect(gateJson(weak).code).toBe(1)
  })
})

describe('the way out that a blocked run prints', () => {
  it('is a comment where a comment works, and not for a secret', () => {
    const repo = newRepo().stage({ 'package.json': '{"dependencies":{"express":"5"}}\n', 'a.ts': EVAL })
    const blocked = gate(repo)
    const [, comment = ''] = /comment on the line above: (.*)$/m.exec(blocked.stdout) ?? []
    expect(blocked.stdout.match(/^Or /gm)).toHaveLength(1)
    repo.stage({ 'a.ts': `// ${comment.replace('<reason>', 'the input is ours')}\n${EVAL}` })
    expect(gate(repo).status).toBe(0)
    repo.stage({ 'b.ts': `// warrant-ignore secrets.aws-access-key-id: it is old\n${SECRET}` })
    const secret = gate(repo)
    expect(secret.stdout).not.toContain('comment on the line above')
    expect(secret.status).toBe(1)
    expect(gateJson(repo).findings.map(({ ruleId }) => ruleId)).toContain('warrant.suppression-refused')
    acceptAsPrinted(repo, secret.stdout)
    expect(gate(repo).status).toBe(0)
  })

  it('says how to add the file where git ignores the folder', () => {
    const repo = newRepo().write({ '.warrant/.gitignore': '*\n' }).stage({ 'src/key.ts': SECRET })
    expect(acceptAsPrinted(repo, gate(repo).stdout)).toContain('git add --force')
    expect(gate(repo).status).toBe(0)
  })

  it('is the command for files without comments, and for what was not checked', () => {
    const repo = newRepo().stage({ 'a.py': `# coding: utf-16\nx = 1\n` })
    const blocked = gate(repo)
    expect(blocked.stdout).toContain('gate.file-unread')
    acceptAsPrinted(repo, blocked.stdout)
    expect(gate(repo).status).toBe(0)
    repo.stage({ 'a.py': `# coding: utf-16\nx = 2\n` })
    expect(gate(repo).status).toBe(1)
    const json = newRepo().stage({ 'broken.json': '{"a": \n' })
    const broken = gate(json, ['--stage', 'PRE_PUSH', '--scope', 'staged'])
    acceptAsPrinted(json, broken.stdout)
    expect(gate(json, ['--stage', 'PRE_PUSH', '--scope', 'staged']).status).toBe(0)
  })

  it('is none for what cannot be accepted', () => {
    const repo = newRepo().stage({ 'a.txt': 'a\n' })
    const env = { WARRANT_PROTECTED_BRANCHES: 'feature/x' }
    const { status, stdout } = gate(repo, [], { env })
    expect([status, stdout]).toEqual([1, expect.stringContaining('gate.protected-branch')])
    expect(stdout).not.toMatch(/^Or /m)
    const [found] = readEvidence(repo).snapshot.findings
    const refused = withoutTerminal(repo, 'accept', String(found?.fingerprint), '--reason', 'x')
    expect([refused.status, refused.stderr]).toEqual([2, expect.stringContaining('cannot be accepted')])
  })
})

describe('warrant accept', () => {
  const repo = newRepo().stage({ 'a.ts': SECRET, 'b.ts': SECRET })
  gate(repo)
  const [first] = readEvidence(repo).snapshot.findings
  const fingerprint = String(first?.fingerprint)

  it('wants a person, a reason and a finding of the newest run, and writes nothing otherwise', () => {
    const alone = withoutTerminal(repo, 'accept', fingerprint, '--reason', 'x')
    expect([alone.status, alone.stderr]).toEqual([
      2,
      expect.stringContaining('A person runs it in a terminal'),
    ])
    expect(withoutTerminal(repo, 'accept', fingerprint).stderr).toContain('--reason')
    expect(withoutTerminal(repo, 'accept', '12345', '--reason', 'x').stderr).toContain('at least 6')
    const unknown = withoutTerminal(repo, 'accept', '000000', '--reason', 'x').stderr
    expect(unknown).toMatch(new RegExp(`${fingerprint.slice(0, 12)} \\S+ a\\.ts:1`))
    expect(withoutTerminal(repo, 'accept', fingerprint, '--reason', 'x', '--read-only').stderr).toContain(
      '--read-only',
    )
    expect(onTerminal(repo, `accept ${fingerprint} --reason x`, 'yes').status).toBe(1)
    expect(onTerminal(repo, `accept ${fingerprint} --reason x --until 2020-01-01`, '').status).toBe(2)
    expect(onTerminal(repo, `accept ${fingerprint} --reason x --until never`, '').status).toBe(2)
    expect(existsSync(repo.path(ACCEPTANCES_FILE))).toBe(false)
  })

  it('keeps the text of the file, whatever its shape', () => {
    const kept =
      '# ours\nfindings:\n- finding: 00000000000000000000000000000abc # theirs\n  rule: r\n  path: p\n  reason: old'
    repo.write({ [ACCEPTANCES_FILE]: kept })
    const answer = () =>
      onTerminal(
        repo,
        `accept ${fingerprint.slice(0, 8)} --reason 'a "b": #c' --json`,
        fingerprint.slice(0, 6),
      )
    const { status, stdout } = answer()
    expect([status, stdout]).toEqual([0, expect.stringContaining(`{"finding":"${fingerprint}"`)])
    const text = readFileSync(repo.path(ACCEPTANCES_FILE), 'utf8')
    expect(text).toContain('# ours')
    expect(text).toContain('00000000000000000000000000000abc # theirs')
    expect(text).toContain('a "b": #c')
    const own = `# ours\nfindings:\n  - finding: 00000000000000000000000000000abc # theirs\n    rule: r\n    path: p\n    reason: old\n# end`
    repo.write({ [ACCEPTANCES_FILE]: own })
    expect(answer().status).toBe(0)
    const added = readFileSync(repo.path(ACCEPTANCES_FILE), 'utf8')
    expect(added.startsWith(`${own.replace('\n# end', '')}\n  - finding: `)).toBe(true)
    expect(added).toContain('# end')
    repo.git('add', '-A')
    expect(gateJson(repo).findings.filter(({ state }) => state === 'suppressed')).toHaveLength(1)
  })
})

describe('an agent', () => {
  const repo = newRepo().commit({ 'app.ts': 'export const one = 1\n' })
  const home = new Repo()
  const env = cleanEnvironment({ ...GIT_ENVIRONMENT, HOME: home.folder, XDG_STATE_HOME: home.path('state') })
  const hook = (tool: string, input: object) => {
    const event = { cwd: repo.folder, hook_event_name: 'PreToolUse', tool_name: tool, tool_input: input }
    const { stdout } = spawnSync(process.execPath, [BINARY, 'hook', 'claude', '--budget', '9000'], {
      cwd: repo.folder,
      env,
      input: JSON.stringify(event),
      encoding: 'utf8',
    })
    return stdout === '' ? 'nothing' : JSON.parse(stdout).hookSpecificOutput
  }
  const file_path = ACCEPTANCES_FILE
  const entry = `  - finding: 00000000000000000000000000000abc\n    rule: secrets.x\n    path: a.ts\n    reason: because\n`

  it('puts an entry to the user, and cannot run the command or write the file in its shell', () => {
    const written = hook('Write', { file_path, content: `findings:\n${entry}` })
    expect(written).toMatchObject({
      permissionDecision: 'ask',
      permissionDecisionReason: expect.stringContaining('secrets.x in a.ts is accepted: because'),
    })
    expect(hook('Write', { file_path, content: 'findings: []\n' })).toBe('nothing')
    expect(hook('Write', { file_path, content: 'findings: nonsense\n' }).permissionDecision).toBe('deny')
    for (const command of [
      'npx --no-install warrant accept 3f2a00 --reason x',
      'script -qec "warrant accept 3f2a00 --reason x" /dev/null',
      `echo 'findings: []' > ${ACCEPTANCES_FILE}`,
    ])
      expect([command, hook('Bash', { command }).permissionDecision]).toEqual([command, 'deny'])
  })

  it('is not asked again about an entry that a person has written already', () => {
    repo.write({ [ACCEPTANCES_FILE]: `findings:\n${entry}` })
    expect(hook('Write', { file_path: 'b.ts', content: 'export const b = 1\n' })).toBe('nothing')
  })
})
