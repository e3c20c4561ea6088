import { execFileSync, spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { isAtLeast } from '../../src/gate/policy.ts'
import type { PastFinding, Replay } from '../../src/gate/replay/judge-past.ts'
import { BINARY } from '../support/binary.ts'
import { gateEnvironment, gateJson } from '../support/gate.ts'
import { GIT_ENVIRONMENT, Repo } from '../support/repository.ts'

const rule = (name: string, severity = 'CRITICAL') => `id: project.no-${name}
language: typescript
severity: error
message: Not here.
rule: { pattern: ${name}() }
metadata: { severity: ${severity} }
`
const RULE = '.warrant/rules/todo.yml'
const thresholds = (block: string, warn: string) => {
  const stage = { blockOnOrAbove: block, warnOnOrAbove: warn }
  return JSON.stringify({ stages: { PRE_COMMIT: stage, PRE_PUSH: stage, CI: stage } })
}
// Put together here, so that no scanner takes this file for a leak.
const key = (tail: string) => `export const key = '${['AKIA', 'Z7QXN4RTP2LKW6', tail].join('')}'\n`
const filler = (seed: number) =>
  Array.from({ length: 12 }, (_, at) => `export const a${seed}x${at} = ${at * seed}\n`).join('')
const EMPTY = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'
const DAY_MS = 24 * 3_600_000

/** Runs `warrant replay`. */
const replay = (repo: Repo, args: readonly string[]) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BINARY, 'replay', ...args], {
    cwd: repo.folder,
    env: gateEnvironment(),
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

interface Report extends Replay {
  readonly judged: number
  readonly stopped: number
  readonly rules: readonly { rule: string; commits: number; places: number; fixedWithin30Days: number }[]
  readonly compared?: {
    stoppedNow: { subject: string; rules: string[] }[]
    noLongerStopped: { subject: string }[]
  }
}

const replayJson = (repo: Repo, args: readonly string[]): Report => {
  const { status, stdout, stderr } = replay(repo, [...args, '--json'])
  expect(stderr).toBe('')
  expect(status).toBe(0)
  return JSON.parse(stdout) as Report
}

/** Commits on a day after the first of January. */
const commitAt = (repo: Repo, day: number, files: Readonly<Record<string, string>>, message: string) => {
  repo.stage(files)
  const date = new Date(Date.parse(GIT_ENVIRONMENT.GIT_COMMITTER_DATE) + day * DAY_MS).toISOString()
  execFileSync('git', ['commit', '-q', '--no-verify', '-m', message], {
    cwd: repo.folder,
    env: { ...process.env, ...GIT_ENVIRONMENT, GIT_COMMITTER_DATE: date },
  })
}

/** Twenty commits with renames, merges, secrets, and changes of policy and rules. */
const generate = (): Repo => {
  const repo = Repo.init('main').commit({ 'src/a.ts': filler(1), 'src/b.ts': `${filler(2)}todo()\n` }, 'root')
  let state = 11
  const random = (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
  const paths = ['src/a.ts', 'src/b.ts']
  const texts = new Map([
    ['src/a.ts', filler(1)],
    ['src/b.ts', `${filler(2)}todo()\n`],
  ])
  const edit = (): Record<string, string> => {
    const path = paths[random(paths.length)] ?? ''
    const lines = (texts.get(path) ?? '').split('\n')
    const added =
      ['todo()', 'other()', `call(${state})`, key(`${'ABCDEFG'[random(7)]}Q`).trim()][random(4)] ?? ''
    lines.splice(random(lines.length), random(3) === 0 ? 1 : 0, added)
    texts.set(path, lines.join('\n'))
    return { [path]: lines.join('\n') }
  }
  for (let at = 1; at < 20; at += 1) {
    const special: Record<string, string> = {
      ...(at === 2 && { [RULE]: rule('todo') }),
      ...(at === 6 && { 'skills.policy.json': thresholds('CRITICAL', 'CRITICAL') }),
      ...(at === 10 && { [RULE]: rule('todo', 'WARN') }),
      ...(at === 13 && { 'skills.policy.json': thresholds('WARN', 'INFO') }),
      ...(at === 15 && { '.warrant/rules/other.yml': rule('other', 'ERROR') }),
    }
    if (at % 5 === 4) {
      const [from = '', to = `src/moved${at}.ts`] = [paths[random(paths.length)]]
      repo.git('mv', from, to)
      paths[paths.indexOf(from)] = to
      texts.set(to, texts.get(from) ?? '')
    }
    if (at === 8 || at === 16) {
      repo.git('switch', '-q', '-c', `side${at}`)
      repo.commit({ [`src/side${at}.ts`]: `${filler(at)}todo()\n${key('ZZ')}` }, `side ${at}`)
      repo.git('switch', '-q', 'main')
      repo.commit(edit(), `main ${at}`)
      repo.git('merge', '-q', '--no-ff', '-m', `merge ${at}`, `side${at}`)
      paths.push(`src/side${at}.ts`)
      texts.set(`src/side${at}.ts`, `${filler(at)}todo()\n${key('ZZ')}`)
    }
    repo.commit({ ...special, ...edit(), ...edit() }, `commit ${at}`)
  }
  return repo
}

const placesOf = (found: readonly Pick<PastFinding, 'rule' | 'path' | 'line'>[]) =>
  found.map(({ rule, path, line }) => `${rule} ${path}:${line ?? ''}`).sort()

describe('a replay of past commits', () => {
  it('stops each commit for what the gate stops it for when that commit is checked out', () => {
    const repo = generate()
    const report = replayJson(repo, ['--last', '100', '--stage', 'CI'])
    const ids = repo.git('rev-list', '--no-merges', 'HEAD').trim().split('\n')
    expect(report.commits.toSorted()).toEqual(ids.toSorted())
    let blocked = 0
    for (const id of ids) {
      repo.git('checkout', '-q', id)
      const parent = repo.git('rev-list', '--parents', '-1', id).trim().split(' ')[1] ?? EMPTY
      const gate = gateJson(repo, ['--stage', 'CI', '--range', `${parent}..${id}`, '--no-evidence'])
      const blocking = gate.findings.filter(
        (one) => one.state === 'new' && isAtLeast(one.severity, gate.policy.block_on_or_above),
      )
      const own = report.findings.filter((one) => one.commit === id && one.blocks)
      expect(placesOf(own), id).toEqual(
        placesOf(
          blocking.map(({ ruleId, file, region }) => ({ rule: ruleId, path: file, line: region?.line })),
        ),
      )
      expect(own.length > 0).toBe(gate.code === 1)
      blocked += gate.code === 1 ? 1 : 0
    }
    // Or the generator has dried up.
    expect(blocked).toBeGreaterThan(8)
    expect(blocked).toBeLessThan(ids.length)
    expect(report.stopped).toBe(blocked)
    repo.git('checkout', '-q', 'main')
    // What was recorded is told again.
    const again = replayJson(repo, ['--last', '100', '--stage', 'CI'])
    expect(again.findings).toEqual(report.findings)
  }, 120_000)

  it('tells what a later commit removed within 30 days, also from a renamed file', () => {
    const repo = Repo.init('main')
    const body = (line: string) => `${filler(3)}${line}\n`
    commitAt(repo, 0, { [RULE]: rule('todo'), 'src/x.ts': body('1') }, 'start')
    commitAt(repo, 1, { 'src/soon.ts': body('todo()'), 'src/late.ts': body('todo(); 2') }, 'adds')
    commitAt(repo, 2, { 'src/stays.ts': body('todo(); 3') }, 'stays')
    repo.git('mv', 'src/soon.ts', 'src/renamed.ts')
    repo.git('mv', 'src/stays.ts', 'src/moved.ts')
    commitAt(repo, 3, {}, 'renames')
    commitAt(repo, 10, { 'src/renamed.ts': body('4') }, 'fixes')
    commitAt(repo, 50, { 'src/late.ts': body('5') }, 'fixes late')
    const report = replayJson(repo, ['--last', '10'])
    expect(
      report.findings.map(({ subject, path, line, fixedWithin30Days: fixed }) => [
        subject,
        `${path}:${line}`,
        fixed,
      ]),
    ).toEqual([
      ['stays', 'src/stays.ts:13', false],
      ['adds', 'src/late.ts:13', false],
      ['adds', 'src/soon.ts:13', true],
    ])
    expect(report.rules).toEqual([{ rule: 'project.no-todo', commits: 2, places: 3, fixedWithin30Days: 1 }])
    const { stdout } = replay(repo, ['--since', '2026-01-03'])
    expect(stdout).toContain('project.no-todo: 1 commit, 1 place, 0 fixed within 30 days')
    expect(stdout).toMatch(/^4 commits judged at PRE_COMMIT, 1 stopped/)
    expect(stdout).toContain('src/stays.ts:13')
  })

  it('tries other rules and thresholds, and compares with an earlier replay', () => {
    const repo = Repo.init('main').commit({ [RULE]: rule('todo'), 'src/a.ts': 'export {}\n' }, 'start')
    repo.commit({ 'src/a.ts': 'todo()\n' }, 'first').commit({ 'src/b.ts': 'other()\n' }, 'second')
    const outside = new Repo().write({
      'rules/other.yml': rule('other', 'ERROR'),
      'strict.json': thresholds('ERROR', 'WARN'),
    })
    const before = replay(repo, ['--last', '3', '--json'])
    writeFileSync(outside.path('before.json'), before.stdout)
    const tried = replayJson(repo, [
      '--rules',
      outside.path('rules'),
      '--policy',
      outside.path('strict.json'),
      '--compare',
      outside.path('before.json'),
    ])
    expect(tried.rules.map((one) => one.rule)).toEqual(['project.no-other'])
    expect(tried.compared).toMatchObject({
      stoppedNow: [{ subject: 'second', rules: ['project.no-other'] }],
      noLongerStopped: [{ subject: 'first' }],
    })
    // The severity alone does not stop a commit.
    expect(replayJson(repo, ['--rules', outside.path('rules')]).stopped).toBe(0)
    outside.write({ 'rules/other.yml': 'id: [' })
    expect(replay(repo, ['--rules', outside.path('rules')])).toMatchObject({ status: 2 })
  })

  it('goes on after a commit whose contents are missing, and says which one it is', () => {
    const repo = Repo.init('main').commit({ [RULE]: rule('todo') }, 'start')
    repo.commit({ 'src/a.ts': 'todo()\n' }, 'lost').commit({ 'src/a.ts': 'todo(1)\n' }, 'next')
    repo.commit({ 'src/b.ts': 'todo()\n' }, 'whole')
    const blob = repo.git('rev-parse', 'HEAD~2:src/a.ts').trim()
    repo.git('update-index', '--refresh')
    rmSync(repo.path('.git/objects', blob.slice(0, 2), blob.slice(2)), { force: true })
    // The same content is in src/b.ts, so another one is lost with it.
    const report = replayJson(repo, ['--last', '10'])
    expect(report.notJudged.map(({ subject }) => subject).toSorted()).toEqual(['lost', 'whole'])
    expect(report.notJudged[0]?.reason).toContain('is not in this clone')
    expect(report.judged).toBe(2)
    expect(replay(repo, ['--last', '10']).stdout).toContain('2 commits not judged')
  })

  it('refuses wrong arguments', () => {
    const repo = Repo.init('main').commit({ 'a.txt': 'a\n', 'b.json': '{"commits": 1}' })
    for (const args of [
      ['--last', 'x'],
      ['--last', '0'],
      ['--last', '3', '--since', '2026-01-01'],
      ['--since', 'yesterday'],
      ['--stage', 'PRE_PUSH'],
      ['--policy', 'absent.json'],
      ['--rules', 'absent'],
      ['--compare', 'absent.json'],
      ['--compare', 'b.json'],
      ['surplus'],
    ])
      expect([args, replay(repo, args).status]).toEqual([args, 2])
    expect(replay(new Repo(), []).status).toBe(4)
  })
})
