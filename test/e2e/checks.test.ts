import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { rememberAllowed } from '../../src/app/open/checks/open.ts'
import { CHECKS_FILE } from '../../src/gate/checks/check.ts'
import { digestBytes } from '../../src/kernel/encoding/hash.ts'
import { BINARY, eventually, Program, sweep } from '../support/binary.ts'
import { gateEnvironment, gateJson, places, readEvidence } from '../support/gate.ts'
import { isRunning } from '../support/process.ts'
import { Repo } from '../support/repository.ts'
import { runJson } from '../support/run.ts'

afterAll(sweep)

const STAGES = 'stages: [PRE_COMMIT, PRE_PUSH, CI]'
const LINES = `{ run: cat results.txt, reads: lines, ${STAGES} }`
const checksFile = (checks: Readonly<Record<string, string>>): string =>
  `checks:\n${Object.entries(checks)
    .map(([name, text]) => `  ${name}: ${text}\n`)
    .join('')}`

/** A repository whose checks are committed, with a staged change. */
const repoWith = (checks: Readonly<Record<string, string>>) => {
  const text = checksFile(checks)
  const repo = Repo.init().commit({ [CHECKS_FILE]: text, 'a.txt': 'a\n', 'results.txt': '' })
  return { repo, text, allow: () => rememberAllowed(repo.folder, text) }
}

describe('checks', () => {
  it('do not run before a person allows them, and that blocks', async () => {
    const { repo, text } = repoWith({ touch: `{ run: 'echo ran >> ran.log', reads: exit, ${STAGES} }` })
    repo.stage({ 'b.txt': 'b\n' })
    const refused = gateJson(repo)
    expect(refused).toMatchObject({
      code: 1,
      status: 'BLOCKED',
      checks: [{ name: 'touch', outcome: 'not-allowed' }],
    })
    expect(places(refused)).toEqual([`gate.check-not-allowed ${CHECKS_FILE}:2`])
    expect(runJson(repo.folder, ['checks', 'run'])).toMatchObject({
      status: 3,
      value: { error: { code: 'gate.checks_not_allowed' } },
    })
    // A program without a terminal, as an agent starts it.
    const asked = spawnSync('setsid', [process.execPath, BINARY, 'checks', 'allow'], {
      cwd: repo.folder,
      env: gateEnvironment(),
      input: `${digestBytes(text).slice(7, 15)}\n`,
      encoding: 'utf8',
    })
    expect(asked).toMatchObject({ status: 3, stderr: expect.stringContaining('there is no terminal') })
    expect(existsSync(repo.path('ran.log'))).toBe(false)
    expect(gateJson(repo, ['--allow-checks', 'sha256:1'])).toMatchObject({ code: 2 })
    expect(gateJson(repo, ['--allow-checks', digestBytes(text)])).toMatchObject({
      code: 0,
      checks: [{ name: 'touch', outcome: 'clean', consent: 'option' }],
    })
    expect(readFileSync(repo.path('ran.log'), 'utf8')).toBe('ran\n')
  })

  it('are allowed on a terminal, by the digest of what was shown, and a change asks again', () => {
    const { repo, text } = repoWith({ a: '{ run: cat a.txt, reads: exit }' })
    const answer = (typed: string) =>
      spawnSync('script', ['-qec', `"${process.execPath}" "${BINARY}" checks allow`, '/dev/null'], {
        cwd: repo.folder,
        env: gateEnvironment(),
        input: `${typed}\n`,
        encoding: 'utf8',
      })
    expect(answer('yes').status).toBe(1)
    expect(runJson(repo.folder, ['checks', 'list']).value).toMatchObject({ allowed: false })
    const first = answer(digestBytes(text).slice(7, 15))
    expect(first.stdout).toContain('run: cat a.txt')
    expect(runJson(repo.folder, ['checks', 'list']).value).toMatchObject({
      allowed: true,
      digest: digestBytes(text),
    })
    repo.write({ [CHECKS_FILE]: text.replace('cat a.txt', 'cat b.txt') })
    expect(runJson(repo.folder, ['checks', 'list']).value).toMatchObject({ allowed: false })
    const second = answer('no')
    expect(second.stdout).toMatch(/- {3}a: \{ run: cat a\.txt.*\r?\n\+ {3}a: \{ run: cat b\.txt/)
  })

  it('that give no result block, each with its reason, and none passes by accident', async () => {
    const { repo, allow } = repoWith({
      gone: `{ run: no-such-tool --x, reads: exit, ${STAGES}, install: apt install no-such-tool }`,
      hung: `{ run: 'sleep 60 & setsid sleep 61', reads: exit, ${STAGES}, timeout: 1s }`,
      silent: `{ run: exit 1, reads: junit, ${STAGES} }`,
      broken: `{ run: echo not json, reads: eslint, ${STAGES} }`,
      unwritten: `{ run: 'true $OUT', reads: sarif, ${STAGES} }`,
      cheerful: `{ run: 'cat results.txt; exit 0', reads: lines, ${STAGES} }`,
      fine: `{ run: 'test -z "$PUMUKI_TOKEN$SECRET" -a "$GIVEN" = yes', reads: exit, ${STAGES}, env: [GIVEN] }`,
    })
    await allow()
    repo.stage({ 'results.txt': 'a.txt:1:1: error: bad \u001b[31mthing [rule-1]\n' })
    const env = { PUMUKI_TOKEN: 'x', SECRET: 'y', GIVEN: 'yes' }
    const report = gateJson(repo, [], { env })
    expect(report.status).toBe('BLOCKED')
    expect(report.findings.map(({ ruleId, severity }) => `${severity} ${ruleId}`).sort()).toEqual(
      expect.arrayContaining([
        'CRITICAL gate.check-missing',
        'CRITICAL gate.check-timeout',
        'CRITICAL gate.check-unreadable',
      ]),
    )
    const outcomes = Object.fromEntries(report.checks?.map(({ name, outcome }) => [name, outcome]) ?? [])
    expect(outcomes).toMatchObject({
      gone: 'missing',
      hung: 'timeout',
      broken: 'unreadable',
      unwritten: 'unreadable',
      cheerful: 'results',
      fine: 'clean',
    })
    expect(['failed', 'unreadable']).toContain(outcomes.silent)
    expect(report.findings.find(({ ruleId }) => ruleId === 'gate.check-missing')?.fix).toContain(
      'apt install',
    )
    const result = report.findings.find(({ source }) => source === 'check:cheerful')
    expect(result).toMatchObject({ severity: 'ERROR', file: 'a.txt', region: { line: 1 }, state: 'new' })
    expect(result?.message).not.toContain('\u001b')
    const { snapshot, rulesets } = readEvidence(repo)
    expect(snapshot.checks).toHaveLength(7)
    expect(JSON.stringify(snapshot.checks)).not.toContain('duration')
    expect(rulesets).toContainEqual(expect.objectContaining({ platform: 'check', bundle: 'cheerful' }))
  })

  it('changed by a pull request: the new command does not run, the old one does, and the verdict says so', async () => {
    const { repo, text, allow } = repoWith({
      tests: `{ run: 'echo old >> ran.log', reads: exit, ${STAGES} }`,
    })
    await allow()
    repo.commit({ '.gitignore': 'ran.log\n' })
    repo.commit({ [CHECKS_FILE]: text.replace('echo old', 'echo new') })
    const report = gateJson(repo, ['--stage', 'CI', '--range', 'HEAD~1..HEAD'])
    expect(report).toMatchObject({ code: 1, status: 'BLOCKED' })
    expect(places(report)).toEqual(
      expect.arrayContaining([
        `gate.check-not-allowed ${CHECKS_FILE}:2`,
        `gate.policy-changed ${CHECKS_FILE}`,
      ]),
    )
    expect(readFileSync(repo.path('ran.log'), 'utf8')).toBe('old\n')
    repo.git('rm', '-q', CHECKS_FILE)
    repo.git('commit', '-qm', 'no checks')
    const removed = gateJson(repo, ['--stage', 'CI', '--range', 'HEAD~2..HEAD'])
    expect(removed.findings.find(({ ruleId }) => ruleId === 'gate.policy-changed')?.message).toContain(
      'tests is removed',
    )
    expect(removed.checks?.map(({ name, outcome }) => [name, outcome])).toEqual([['tests (base)', 'clean']])
  })

  it('say when they saw other files than those that are judged', async () => {
    const { repo, allow } = repoWith({ lint: `{ run: 'true', reads: exit, ${STAGES}, paths: ['src/**'] }` })
    await allow()
    repo
      .stage({ 'src/a.ts': 'export {}\n' })
      .write({ 'src/a.ts': 'export const a = 1\n', 'docs/b.md': 'b\n' })
    expect(gateJson(repo).findings).toMatchObject([
      {
        ruleId: 'gate.check-tree-differs',
        severity: 'WARN',
        message: expect.stringMatching(/judged: src\/a\.ts\.$/),
      },
    ])
    repo.git('add', '-A')
    expect(gateJson(repo).findings).toEqual([])
    repo.git('commit', '-qm', 'one')
    repo.commit({ 'src/a.ts': 'export const a = 2\n' }, 'two')
    const older = gateJson(repo, ['--stage', 'PRE_PUSH', '--range', 'HEAD~2..HEAD~1'])
    expect(older).toMatchObject({
      code: 1,
      findings: [{ ruleId: 'gate.check-tree-differs', severity: 'ERROR' }],
    })
    // Nothing in the change concerns the check.
    repo.git('add', '-A')
    repo.stage({ 'docs/c.md': 'c\n' })
    expect(gateJson(repo).checks).toEqual([{ name: 'lint', origin: 'run', outcome: 'skipped', results: 0 }])
  })

  it('are cached by what they depend on, and the evidence is the same', async () => {
    const cached = `{ run: 'echo run >> runs.log; cat results.txt', reads: lines, ${STAGES}, paths: ['src/**'], version: echo 1.2.3 }`
    const { repo, allow } = repoWith({ lint: cached })
    await allow()
    repo.commit({ '.gitignore': 'runs.log\n', 'results.txt': 'src/a.ts:1:1: warning: w\n' })
    repo.stage({ 'src/a.ts': 'export {}\n' })
    const runs = () => readFileSync(repo.path('runs.log'), 'utf8').split('\n').length - 1
    const judge = () => {
      const { checks } = gateJson(repo, ['--clock', 'deterministic'])
      const { evidence_chain: _, repo_state: __, ...evidence } = readEvidence(repo)
      return { row: checks?.[0], evidence: JSON.stringify(evidence) }
    }
    const [first, second] = [judge(), judge()]
    expect(first.row).toMatchObject({ outcome: 'results', version: '1.2.3', duration_ms: expect.any(Number) })
    expect(second.row).toMatchObject({ outcome: 'results', cached: true })
    expect(second.evidence).toBe(first.evidence)
    expect(runs()).toBe(1)
    repo.stage({ 'src/a.ts': 'export const a = 1\n' })
    expect(judge().row?.cached).toBeUndefined()
    expect(runs()).toBe(2)
  })

  it('leave findings that a comment can accept, and the base does not make known', async () => {
    const { repo, allow } = repoWith({ lint: LINES })
    await allow()
    repo.commit({
      'src/a.ts': 'export const a = 1\n// warrant-ignore lint/error: known to the team\nexport const b = 2\n',
      'results.txt': 'src/a.ts:3:1: error: bad\nb.ts:1:1: error: worse\n',
    })
    repo.git('commit', '-q', '--allow-empty', '-m', 'x')
    const [rule] = gateJson(repo, ['--all', '--stage', 'CI']).findings
    expect(rule?.ruleId).toMatch(/^lint\//)
    repo.write({
      'src/a.ts': readFileSync(repo.path('src/a.ts'), 'utf8').replace('lint/error', rule?.ruleId ?? ''),
    })
    repo.git('add', '-A')
    repo.git('commit', '-qm', 'accepted')
    const after = gateJson(repo, ['--all', '--stage', 'CI'])
    expect(
      after.findings
        .filter(({ source }) => source === 'check:lint')
        .map(({ state }) => state)
        .sort(),
    ).toEqual(['new', 'suppressed'])
  })

  it('are replaced by imported results, whose format is recognized, and the report says so', () => {
    const { repo } = repoWith({ tests: `{ run: 'echo ran > ran.log', reads: junit, ${STAGES} }` })
    const sarif = {
      version: '2.1.0',
      runs: [
        {
          tool: { driver: { name: 'My Scanner', version: '3', rules: [] } },
          results: [
            {
              ruleId: 'sqli',
              level: 'warning',
              message: { text: 'look' },
              locations: [
                { physicalLocation: { artifactLocation: { uri: 'a.txt' }, region: { startLine: 1 } } },
              ],
            },
          ],
        },
      ],
    }
    repo.stage({ 'b.txt': 'b\n' }).write({
      'x.sarif': JSON.stringify(sarif),
      'unit.xml': '<testsuite name="s" tests="1"><testcase name="t" classname="a"/></testsuite>',
      'types.txt': 'a.txt(1,1): error TS1: bad\n',
      'cut.sarif': '{"$schema": "sarif", "runs": [{"tool"',
      'notes.txt': 'hello\n',
    })
    const files = ['x.sarif', 'tests=unit.xml', 'tsc=types.txt', 'cut.sarif']
    const report = gateJson(
      repo,
      files.flatMap((file) => ['--import', file]),
    )
    expect(report.checks).toMatchObject([
      { name: 'my-scanner', origin: 'imported', file: 'x.sarif', outcome: 'results', version: '3' },
      { name: 'tests', origin: 'imported', file: 'unit.xml', outcome: 'clean' },
      { name: 'tsc', origin: 'imported', outcome: 'results' },
      { name: 'sarif', origin: 'imported', outcome: 'unreadable' },
    ])
    expect(places(report)).toEqual([
      'my-scanner/sqli a.txt:1',
      'tsc/TS1 a.txt:1',
      'gate.check-unreadable cut.sarif',
    ])
    expect(report.status).toBe('BLOCKED')
    expect(existsSync(repo.path('ran.log'))).toBe(false)
    expect(readEvidence(repo).snapshot.checks).toMatchObject(report.checks ?? [])
    expect(gateJson(repo, ['--import', 'notes.txt'])).toMatchObject({
      code: 2,
      error: { code: 'gate.import_unknown' },
    })
    expect(gateJson(repo, ['--import', 'no.xml'])).toMatchObject({ code: 2, error: { code: 'usage.option' } })
  })

  it('end with the program that is interrupted', async () => {
    const { repo, allow } = repoWith({
      slow: `{ run: 'echo $$ > pids; sleep 60 & echo $! >> pids; setsid sh -c "echo \\$\\$ >> pids; sleep 60"', reads: exit, ${STAGES} }`,
    })
    await allow()
    repo.stage({ 'b.txt': 'b\n' })
    const program = new Program(['gate', '--stage', 'PRE_COMMIT'], { cwd: repo.folder })
    const pids = () =>
      existsSync(repo.path('pids'))
        ? readFileSync(repo.path('pids'), 'utf8').trim().split('\n').map(Number)
        : []
    await eventually('three processes', () => pids().length === 3)
    program.child.kill('SIGINT')
    expect((await program.ended()).code).toBe(130)
    await eventually('the end of the processes', () => !pids().some(isRunning))
    expect(existsSync(repo.path('.ai_evidence.json'))).toBe(false)
  })
})
