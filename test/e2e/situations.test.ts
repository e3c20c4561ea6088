import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BINARY, Program, sweep } from '../support/binary.ts'
import { gateEnvironment } from '../support/gate.ts'
import { Repo } from '../support/repository.ts'
import { runJson } from '../support/run.ts'

/**
 * One verdict in every place: for each situation `gate`, `why`, the hook of a commit, `gate_run` and `gate_check` say
 * the same word, before there is evidence and after it. What concerns agents alone is told beside it.
 */

type Stage = 'PRE_WRITE' | 'PRE_COMMIT' | 'PRE_PUSH' | 'CI'

interface Situation {
  readonly stage?: Stage
  readonly status: 'ALLOWED' | 'BLOCKED'
  /** Codes that stop an agent beside the change. Default: none. */
  readonly agents?: readonly string[]
  /** Rules of the findings that block. */
  readonly reasons?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Whether the evidence is made to grow old. */
  readonly grows?: true
  /** A part of the text that `gate` prints. */
  readonly says?: string
  readonly make: (repo: Repo) => Repo | undefined
}

const EVAL = 'javascript.eval'
const run = (name: string) => `export function ${name}(text) {\n  return eval(text)\n}\n`
const rest = Array.from({ length: 12 }, (_, at) => `export const a${at} = ${at}\n`).join('')
const OLD = `${run('old')}${rest}export function other(text) {\n  return text\n}\n`
// Put together here, so that no scanner takes this file for a leak.
const key = (tail: string) => `export const key = '${['AKIA', 'Z7QXN4RTP2LKW6', tail].join('')}'\n`
const KEY = 'secrets.aws-access-key-id'
const policy = (block: string) => {
  const both = { blockOnOrAbove: block, warnOnOrAbove: 'INFO' }
  return JSON.stringify({ stages: { PRE_COMMIT: both, PRE_PUSH: both, CI: both } })
}
const CLEAN = { 'src/new.js': 'export const one = 1\n' }
const BAD = { 'src/new.js': run('added') }

/** The commits of a pull request, as GitHub tells them to a build. */
const pullRequest = (repo: Repo, base: string, head: string): Record<string, string> => {
  const path = repo.path('.git', 'event.json')
  const sha = (name: string) => repo.git('rev-parse', name).trim()
  const repository = (id: number) => ({ repo: { id } })
  writeFileSync(
    path,
    JSON.stringify({
      pull_request: {
        base: { sha: sha(base), ...repository(1) },
        head: { sha: sha(head), ...repository(2) },
      },
    }),
  )
  return { GITHUB_EVENT_PATH: path }
}

const SITUATIONS: Readonly<Record<string, Situation>> = {
  'nothing changed': { status: 'ALLOWED', says: 'nothing to judge: no file changed', make: () => undefined },
  'a file without rules': {
    status: 'ALLOWED',
    make: (repo) => repo.stage({ 'notes.txt': 'a\n' }),
  },
  'a clean staged change': { status: 'ALLOWED', grows: true, make: (repo) => repo.stage(CLEAN) },
  'a bad staged change': { status: 'BLOCKED', reasons: [EVAL], grows: true, make: (repo) => repo.stage(BAD) },
  'a bad untracked file, and nothing staged': {
    status: 'BLOCKED',
    reasons: [EVAL],
    make: (repo) => repo.write(BAD),
  },
  'a bad untracked file beside a clean staged change': {
    status: 'ALLOWED',
    make: (repo) => repo.stage(CLEAN).write({ 'src/later.js': run('later') }),
  },
  'the same before a write': {
    stage: 'PRE_WRITE',
    status: 'BLOCKED',
    reasons: [EVAL],
    make: (repo) => repo.stage(CLEAN).write({ 'src/later.js': run('later') }),
  },
  'a line added to a file with an old finding': {
    status: 'ALLOWED',
    make: (repo) => repo.stage({ 'src/old.js': `// a comment\n${OLD}` }),
  },
  'a protected branch': {
    status: 'ALLOWED',
    agents: ['GITFLOW_PROTECTED_BRANCH'],
    make: (repo) => {
      repo.git('switch', '-q', 'main')
      return repo.stage(CLEAN)
    },
  },
  'a branch that the operator protects': {
    status: 'BLOCKED',
    agents: ['GITFLOW_PROTECTED_BRANCH'],
    reasons: ['gate.protected-branch'],
    env: { WARRANT_PROTECTED_BRANCHES: 'topic' },
    make: (repo) => repo.stage(CLEAN),
  },
  'a comment with a reason': {
    status: 'ALLOWED',
    make: (repo) =>
      repo.stage({ 'src/new.js': `// warrant-ignore ${EVAL}: a calculator\neval(process.argv[2])\n` }),
  },
  'a comment about a secret': {
    status: 'BLOCKED',
    reasons: [KEY],
    make: (repo) => repo.stage({ 'src/new.js': `// warrant-ignore ${KEY}: a test\n${key('ZZ')}` }),
  },
  'a weaker policy': {
    stage: 'PRE_PUSH',
    status: 'BLOCKED',
    reasons: ['gate.policy-changed'],
    make: (repo) => repo.commit({ 'skills.policy.json': policy('CRITICAL') }),
  },
  'a stricter policy that is not committed': {
    status: 'BLOCKED',
    reasons: ['javascript.no-console-log'],
    make: (repo) => {
      repo.stage({ 'src/new.js': "export const f = () => console.log('x')\n" })
      return repo.write({ 'skills.policy.json': policy('WARN') })
    },
  },
  'a merge that brings what the other side has': {
    status: 'ALLOWED',
    make: (repo) => {
      repo.git('switch', '-q', '-c', 'side', 'main')
      repo.commit({ 'src/side.js': run('side') })
      repo.git('switch', '-q', 'topic')
      repo.commit(CLEAN)
      repo.git('merge', '-q', '--no-commit', '--no-ff', 'side')
      return repo
    },
  },
  'a merge that adds something': {
    status: 'BLOCKED',
    reasons: [EVAL],
    make: (repo) => {
      repo.git('switch', '-q', '-c', 'side', 'main')
      repo.commit({ 'src/side.js': run('side') })
      repo.git('switch', '-q', 'topic')
      repo.commit(CLEAN)
      repo.git('merge', '-q', '--no-commit', '--no-ff', 'side')
      return repo.stage({ 'src/side.js': `${run('side')}${run('more')}` })
    },
  },
  'a push whose target went on': {
    stage: 'PRE_PUSH',
    status: 'ALLOWED',
    make: (repo) => {
      repo.git('switch', '-q', '-c', 'ahead', 'main')
      repo.commit({ 'src/theirs.js': run('theirs') })
      repo.git('update-ref', 'refs/remotes/origin/main', 'ahead')
      repo.git('switch', '-q', 'topic')
      return repo.commit({ 'src/old.js': `${OLD}// ours\n` })
    },
  },
  'a push whose target removed the finding that the branch still has': {
    stage: 'PRE_PUSH',
    status: 'ALLOWED',
    make: (repo) => {
      repo.git('switch', '-q', '-c', 'ahead', 'main')
      repo.commit({ 'src/old.js': OLD.replace('eval(text)', 'text') })
      repo.git('update-ref', 'refs/remotes/origin/main', 'ahead')
      repo.git('switch', '-q', 'topic')
      return repo.commit({ 'src/old.js': `${OLD}// ours\n` })
    },
  },
  'a push that conflicts with its target': {
    stage: 'PRE_PUSH',
    status: 'BLOCKED',
    reasons: [EVAL],
    says: 'The change conflicts with',
    make: (repo) => {
      repo.git('switch', '-q', '-c', 'ahead', 'main')
      repo.commit({ 'src/new.js': 'export const theirs = 1\n' })
      repo.git('update-ref', 'refs/remotes/origin/main', 'ahead')
      repo.git('switch', '-q', 'topic')
      return repo.commit(BAD)
    },
  },
  'a criss-cross merge that brings removed code back': {
    stage: 'PRE_PUSH',
    status: 'BLOCKED',
    reasons: [EVAL],
    make: (repo) => {
      repo.commit({ 'src/ours.js': 'export {}\n' })
      repo.git('switch', '-q', '-c', 'side', 'main')
      repo.commit({ 'src/theirs.js': 'export {}\n' })
      repo.git('branch', 'side-1')
      repo.git('merge', '-q', '-m', 'one', 'topic')
      repo.git('switch', '-q', 'topic')
      repo.git('merge', '-q', '-m', 'two', 'side-1')
      repo.git('switch', '-q', 'side')
      repo.commit({ 'src/old.js': OLD.replace('eval(text)', 'text') })
      repo.git('update-ref', 'refs/remotes/origin/main', 'side')
      repo.git('switch', '-q', 'topic')
      return repo.commit({ 'src/again.js': run('old') })
    },
  },
  'a renamed file': {
    status: 'ALLOWED',
    make: (repo) => {
      repo.git('mv', 'src/old.js', 'src/renamed.js')
      return repo.stage({ 'src/renamed.js': `${OLD}// renamed\n` })
    },
  },
  'a copied file': { status: 'BLOCKED', reasons: [EVAL], make: (repo) => repo.stage({ 'src/copy.js': OLD }) },
  'a renamed function': {
    status: 'ALLOWED',
    make: (repo) => repo.stage({ 'src/old.js': OLD.replace('function old(', 'function renamed(') }),
  },
  'eval that goes to another function': {
    status: 'BLOCKED',
    reasons: [EVAL],
    make: (repo) =>
      repo.stage({
        'src/old.js': OLD.replace('eval(text)', 'text').replace(
          /return text\n\}\n$/,
          'return eval(text)\n}\n',
        ),
      }),
  },
  'a secret that stands': {
    status: 'ALLOWED',
    make: (repo) => repo.stage({ 'src/key.js': `// a\n${key('HD')}` }),
  },
  'a secret replaced by another': {
    status: 'BLOCKED',
    reasons: [KEY],
    make: (repo) => repo.stage({ 'src/key.js': key('HE') }),
  },
  'a secret moved out of a test folder': {
    status: 'BLOCKED',
    reasons: [KEY],
    make: (repo) => {
      repo.git('mv', 'test/key.js', 'src/live.js')
      return repo
    },
  },
  'a new branch': { stage: 'PRE_PUSH', status: 'BLOCKED', reasons: [EVAL], make: (repo) => repo.commit(BAD) },
  'the first push of a repository': {
    stage: 'PRE_PUSH',
    status: 'BLOCKED',
    reasons: [EVAL, KEY],
    make: (repo) => {
      repo.git('update-ref', '-d', 'refs/remotes/origin/main')
      return repo
    },
  },
  'a push without commits of its own': { stage: 'PRE_PUSH', status: 'ALLOWED', make: () => undefined },
  'a pull request': { stage: 'CI', status: 'BLOCKED', reasons: [EVAL], make: (repo) => repo.commit(BAD) },
  'a pull request from a fork that touches old code': {
    stage: 'CI',
    status: 'ALLOWED',
    make: (repo) => repo.commit({ 'src/old.js': `// a\n${OLD}` }),
  },
  'a fresh clone': {
    status: 'ALLOWED',
    make: (repo) => {
      const near = new Repo()
      near.git('clone', '-q', '-b', 'topic', `file://${repo.folder}`, near.path('clone'))
      return new Repo(near.path('clone')).stage({ 'src/old.js': `// a\n${OLD}` })
    },
  },
  'a shallow clone': {
    status: 'ALLOWED',
    make: (repo) => {
      repo.commit(CLEAN)
      const near = new Repo()
      near.git('clone', '-q', '--depth', '1', '-b', 'topic', `file://${repo.folder}`, near.path('clone'))
      return new Repo(near.path('clone')).stage({ 'src/old.js': `// a\n${OLD}` })
    },
  },
}

afterAll(sweep)

describe('one verdict', () => {
  let template: Repo
  beforeAll(() => {
    template = Repo.init('main').commit({
      'src/old.js': OLD,
      'src/key.js': key('HD'),
      'test/key.js': key('AB'),
      'skills.policy.json': policy('ERROR'),
    })
    template.git('update-ref', 'refs/remotes/origin/main', 'main')
    template.git('switch', '-q', '-c', 'topic')
  })

  const open = (): Repo => {
    const folder = join(realpathSync(mkdtempSync(join(tmpdir(), 'warrant-repo-'))), 'repo')
    cpSync(template.folder, folder, { recursive: true })
    return new Repo(folder)
  }

  it.each(Object.entries(SITUATIONS))('of %s', async (_, situation) => {
    const { stage = 'PRE_COMMIT', status, agents = [], reasons = [], says = '' } = situation
    const start = open()
    const repo = situation.make(start) ?? start
    const event = stage === 'CI' ? pullRequest(repo, 'origin/main', 'HEAD') : {}
    const env = { ...gateEnvironment({ ...situation.env, ...event }) } as Record<string, string>
    const code = status === 'ALLOWED' ? 0 : 1
    const server = new Program(['mcp'], { cwd: repo.folder, env })
    let id = 0
    const call = async (name: string) => {
      id += 1
      server.send(
        JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: { stage } } }),
      )
      const answers = (await server.answers(id)) as ReturnType<typeof JSON.parse>[]
      return answers.find((one) => one.id === id).result.structuredContent
    }
    const gate = (...args: string[]) => runJson(repo.folder, ['gate', '--stage', stage, ...args], env)
    const rules = (found: readonly { readonly rule: string }[]) =>
      [...new Set(found.map(({ rule }) => rule))].sort()
    const sameEverywhere = async (evidence: readonly string[]) => {
      const check = await call('gate_check')
      const why = runJson(repo.folder, ['why', '--stage', stage], env)
      expect([check.status, why.value.status, why.status]).toEqual([status, status, code])
      expect([rules(check.reasons), rules(why.value.reasons)]).toEqual([reasons, reasons])
      const found = check.agents.reasons.map((one: { readonly code: string }) => one.code)
      expect([found, why.value.agents.reasons.length]).toEqual([[...evidence, ...agents], found.length])
      expect(check.agents.allowed).toBe(status === 'ALLOWED' && found.length === 0)
    }
    await sameEverywhere([])
    const judged = gate('--no-evidence')
    expect([judged.value.status, judged.status]).toEqual([status, code])
    expect((await call('gate_run')).status).toBe(status)
    await sameEverywhere([])
    if (says !== '') {
      const args = [BINARY, 'gate', '--stage', stage, '--no-evidence']
      const { stdout } = spawnSync(process.execPath, args, { cwd: repo.folder, env, encoding: 'utf8' })
      expect(stdout).toContain(says)
    }
    if (situation.grows === true) {
      runJson(repo.folder, ['gate', '--stage', stage], { ...env, SOURCE_DATE_EPOCH: '1700000000' })
      // Old evidence stops agents; the verdict on the change stays.
      await sameEverywhere(['EVIDENCE_STALE'])
    }
    if (stage === 'PRE_COMMIT' && repo.git('diff', '--cached', '--name-only') !== '') {
      const hook = runJson(repo.folder, ['gate'], { ...env, GIT_INDEX_FILE: '.git/index' })
      expect([hook.value.stage, hook.value.status, hook.status]).toEqual([stage, status, code])
    }
  })
})
