import { chmodSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { LOG } from '../support/gate.ts'
import { writeScript } from '../support/openspec.ts'
import { Repo } from '../support/repository.ts'
import { SignedProject } from '../support/signed-project.ts'

const project = new SignedProject()
const { repo } = project
const id = (name: string): string => repo.git('rev-parse', name).trim()

const commit = ['commit', '-q', '-m', 'avoided'] as const
const hook = repo.path('.git/hooks/pre-commit')
const managed = readFileSync(hook, 'utf8')

/** Commits while the hook is another one. */
const withHook = (text: string, mode = 0o755) => {
  writeFileSync(hook, text)
  chmodSync(hook, mode)
  project.git(...commit)
  writeFileSync(hook, managed)
  chmodSync(hook, 0o755)
}

/** Ways to commit what is staged without a verdict on it. None of them is stopped when it happens. */
const WAYS: Readonly<Record<string, () => void>> = {
  'git commit --no-verify': () => project.git(...commit, '--no-verify'),
  'git -c core.hooksPath=/dev/null commit': () => project.git('-c', 'core.hooksPath=/dev/null', ...commit),
  'the same through GIT_CONFIG_COUNT': () => {
    const env = { GIT_CONFIG_COUNT: '1', GIT_CONFIG_KEY_0: 'core.hooksPath', GIT_CONFIG_VALUE_0: '/dev/null' }
    expect(project.tryGit([...commit], env).status).toBe(0)
  },
  'core.hooksPath set for good': () => {
    repo.git('config', 'core.hooksPath', '/dev/null')
    project.git(...commit)
    repo.git('config', '--unset', 'core.hooksPath')
  },
  'git commit-tree and git update-ref': () => {
    const made = repo.git('commit-tree', repo.git('write-tree').trim(), '-p', 'HEAD', '-m', 'avoided').trim()
    repo.git('update-ref', 'HEAD', made)
  },
  'git am': () => {
    repo.git(...commit, '--no-verify')
    const patch = repo.git('format-patch', '-1', '--stdout')
    repo.git('reset', '-q', '--hard', 'HEAD^')
    writeFileSync(repo.path('.git/patch'), patch)
    project.git('am', '-q', '.git/patch')
  },
  'cherry-pick and rebase of what another clone committed without hooks': () => {
    repo.git('reset', '-q', '--hard')
    const clone = new Repo()
    clone.git('clone', '-q', repo.folder, '.')
    clone.commit({ 'src/picked.ts': 'export {}\n' }).commit({ 'src/rebased.ts': 'export {}\n' })
    repo.git('fetch', '-q', clone.folder, 'HEAD')
    const start = id('HEAD')
    project.git('cherry-pick', 'FETCH_HEAD^')
    repo.git('switch', '-q', '--detach', 'FETCH_HEAD')
    project.git('rebase', '-q', '--onto', 'ways', `${start}~0`)
    repo.git('branch', '-qf', 'ways', 'HEAD')
    repo.git('switch', '-q', 'ways')
  },
  'a hook with an exit before the block': () => withHook(managed.replace('\n', '\nexit 0\n')),
  'a hook that is not executable': () => withHook(managed, 0o644),
  'a hook whose program is gone, with another one in node_modules': () => {
    writeScript(repo.path('node_modules/.bin/warrant'), 'exit 0')
    withHook(managed.replace(/warrant_program='[^']*'/, "warrant_program='/nowhere'"))
    rmSync(repo.path('node_modules'), { recursive: true })
  },
  'a hook that runs after ours and adds to the commit': () =>
    withHook(`${managed}\necho 'export {}' > src/late.ts; git add src/late.ts\n`),
}

describe('commits that no receipt covers', () => {
  it('are all named by the push and by the build, however the hook was avoided', () => {
    project.branch('ways')
    for (const [at, make] of Object.values(WAYS).entries()) {
      repo.stage({ [`src/f${at}.ts`]: 'export {}\n' })
      make()
    }
    const ids = repo.git('rev-list', '--reverse', 'origin/main..HEAD').trim().split('\n')
    expect(ids).toHaveLength(Object.keys(WAYS).length + 1)
    const missing = ids.map((one) => `The commit ${one.slice(0, 12)} is not covered by a receipt`)
    const refused = project.tryGit(['push', '-q', 'origin', 'ways'])
    expect(refused.status).not.toBe(0)
    for (const text of missing) expect(refused.said).toContain(text)
    project.git('push', '-q', '--no-verify', '-u', 'origin', 'ways')
    const built = project.build('ways')
    expect(built.code).toBe(1)
    expect(built.findings.map(({ ruleId }) => ruleId)).toEqual(ids.map(() => 'gate.receipt-missing'))
    for (const text of missing)
      expect(built.findings.some(({ message }) => message.startsWith(text))).toBe(true)
    // The repair that the message names.
    expect(project.warrant(['receipts', 'check', '--judge'])).toMatchObject({
      status: 0,
      value: { covered: true, commits: ids.map((one) => ({ commit: one })) },
    })
    project.git('push', '-q', 'origin', 'ways')
    expect(project.build('ways')).toMatchObject({ code: 0, findings: [] })
  })

  it('are found where what they brought was taken out again before the push', () => {
    project.branch('secret').commit({ 'src/evil.ts': LOG }, '--no-verify')
    repo.git('rm', '-q', 'src/evil.ts')
    project.git(...commit)
    const refused = project.tryGit(['push', '-q', 'origin', 'secret'])
    expect(refused.said).toContain(`The commit ${id('HEAD^').slice(0, 12)} is not covered`)
    expect(refused.said).toContain('1 finding')
    // By address nothing says what the remote has, so that all files are judged, and no commit.
    project.git('push', '-q', project.remote.folder, 'secret')
    expect(project.build('secret')).toMatchObject({
      code: 1,
      findings: [{ ruleId: 'gate.receipt-missing' }],
    })
    // It is not repaired by judging: the gate blocks that commit.
    expect(project.check('--judge')).toEqual(['failed', 'covered'])
  })

  it('and that the gate blocked are told apart, where the hook threw its result away', () => {
    project.branch('thrown')
    repo.stage({ 'src/evil.ts': LOG })
    withHook(managed.replaceAll('|| exit $?', '|| true'))
    expect(project.check()).toEqual(['failed'])
  })

  it('are found behind git replace, a graft, moved refs, tags and other branches', () => {
    project.branch('hidden').commit({ 'src/h.ts': 'export {}\n' }, '--no-verify')
    const named = `The commit ${id('HEAD').slice(0, 12)} is not covered by a receipt`
    const refused = (...refs: string[]) => project.tryGit(['push', '-q', 'origin', ...refs]).said
    repo.git('replace', 'HEAD', 'origin/main')
    expect(refused('hidden')).toContain(named)
    repo.git('replace', '-d', 'HEAD')
    writeFileSync(repo.path('.git/info/grafts'), `${id('HEAD')}\n`)
    expect(refused('hidden')).toContain(named)
    rmSync(repo.path('.git/info/grafts'))
    repo.git('tag', 'v1')
    repo.git('switch', '-q', 'secret')
    expect(refused('v1')).toContain(named)
    // For a branch that the remote does not have, a local ref says where it started; the build has refs of its own.
    repo.git('update-ref', 'refs/remotes/origin/main', 'hidden')
    project.git('push', '-q', 'origin', 'hidden')
    repo.git('fetch', '-q', 'origin')
    expect(project.build('hidden').findings).toMatchObject([{ ruleId: 'gate.receipt-missing' }])
  })

  it('are asked for by the newest commit of the target, not by one from before it listed keys', () => {
    project.branch('early', 'origin/main^').commit({ 'src/e.ts': 'export {}\n' }, '--no-verify')
    const refused = project.tryGit(['push', '-q', 'origin', 'early'])
    expect(refused.said).toContain('gate.receipt-missing')
    project.git('push', '-q', '--no-verify', 'origin', 'early')
    expect(project.build('early').findings).toMatchObject([{ ruleId: 'gate.receipt-missing' }])
  })

  it('are not allowed by --receipts off: the build decides for itself', () => {
    project.branch('off').commit({ 'src/o.ts': 'export {}\n' }, '--no-verify')
    const range = ['--range', 'origin/main..HEAD']
    expect(project.warrant(['gate', '--stage', 'PRE_PUSH', '--receipts', 'off', ...range]).status).toBe(0)
    project.git('push', '-q', '--no-verify', 'origin', 'off')
    expect(project.build('off').findings).toMatchObject([{ ruleId: 'gate.receipt-missing' }])
  })
})

describe('what the hook refuses or the push finds', () => {
  const evil = { 'src/evil.ts': LOG }
  const severities = { '.warrant/rules/severities.yml': 'severities: { backend.no-console-log: OFF }' }

  /** Changes by bypass. The hook refuses each where keys are listed, so that no receipt says PASSED. */
  const CHANGES: Readonly<Record<string, () => void>> = {
    'severities in the same change': () => repo.stage({ ...evil, ...severities }),
    'a manifest without the platform': () => repo.stage({ ...evil, 'package.json': '{}' }),
    'a policy as a link': () => {
      symlinkSync('package.json', repo.path('skills.policy.json'))
      repo.git('add', 'skills.policy.json')
    },
    'program text as the target of a link': () => {
      symlinkSync(LOG.trim(), repo.path('evil.ts'))
      repo.git('add', 'evil.ts')
    },
    'a comment that says the file is generated': () =>
      repo.stage({ 'src/evil.ts': `// @generated by a tool, do not edit\n${LOG}` }),
    'a file that is too long': () =>
      repo.stage({ 'src/long.ts': `${LOG}// ${'x'.repeat(3 * 1024 * 1024)}\n` }),
  }

  it.each(Object.entries(CHANGES))('where keys are listed: %s', (_, make) => {
    repo.git('switch', '-q', '--detach', 'origin/main')
    make()
    const { status, said } = project.tryGit([...commit])
    repo.git('reset', '-q', '--hard')
    repo.git('clean', '-qfdx', '-e', '.warrant')
    expect(status).not.toBe(0)
    expect(said).toMatch(/BLOCKED PRE_COMMIT|skills\.policy\.json is a symbolic link/)
  })

  it('where keys are listed: a suppression of a secret', () => {
    const text = `export const key = '${['AKIA', 'Z7QXN4RTP2LKW6HD'].join('')}' // warrant-ignore secrets.aws-access-key-id: try\n`
    repo.git('switch', '-q', '--detach', 'origin/main')
    repo.stage({ 'src/evil.ts': text })
    const { status, said } = project.tryGit([...commit])
    repo.git('reset', '-q', '--hard')
    expect([status, said]).toEqual([1, expect.stringContaining('warrant.suppression-refused')])
  })
})
