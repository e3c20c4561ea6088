import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { readShippedRules } from '../../scripts/rules.ts'
import { astScanner } from '../../src/platform/scanner/scanner.ts'
import { eventually } from '../support/binary.ts'
import { someRows } from '../support/case-count.ts'
import { BACKEND, gateJson, LOG, useSeedProfile } from '../support/gate.ts'
import { isRunning } from '../support/process.ts'
import { Repo } from '../support/repository.ts'
import { asFiles, compileAll, compileUserRules, SCAN_CHILD, scanAll } from '../support/scan.ts'

useSeedProfile()

/** Rules that come with a repository are data from strangers: whatever they hold, the scan goes on and says so. */

const shipped = compileAll((await readShippedRules()).packs)
const own = shipped.filter(({ id }) => id === 'backend.no-console-log')

const nested = (depth: number): string =>
  depth === 0 ? '{ regex: "[x][y][z]" }' : `{ has: ${nested(depth - 1).replace('{', '{ stopBy: end,')} }`

/** Takes hours on a file of some size: every node looks into every node, seven times over. */
const ENDLESS = `
id: own.endless
language: TypeScript
severity: warning
message: never
rule: ${nested(7)}
`
const bigFile = `console.log(0)\n${'export const a = [[[[1, 2], [3, 4]], [5]], f(g(h(1)))]\n'.repeat(2_000)}`

const rule = (body: string, language = 'TypeScript'): string =>
  `id: own.rule\nlanguage: ${language}\nseverity: error\nmessage: m\n${body}\n`

const childrenOf = (parent: number): number[] =>
  execFileSync('ps', ['-eo', 'pid=,ppid=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line))
    .filter((found) => found !== null && Number(found[2]) === parent && found[3]?.includes('scan-child'))
    .map((found) => Number(found?.[1]))

const areGone = (pids: readonly number[]): Promise<void> =>
  eventually('the end of all children', () => !pids.some(isRunning))

describe('a hostile rule', () => {
  it('that never ends costs its file, not the run and not the findings of our own rules', async () => {
    const rules = [...own, ...(await compileUserRules(ENDLESS))]
    const files = asFiles({ 'a.ts': 'console.log(1)', 'big.ts': bigFile, 'c.ts': 'console.log(3)' })
    const reports = await scanAll(files, rules, { fileMs: 1_000, children: 2 })
    expect(reports.map(({ path, outcome }) => [path, outcome])).toEqual([
      ['a.ts', 'scanned'],
      ['big.ts', 'given-up'],
      ['c.ts', 'scanned'],
    ])
    expect(reports[1]).toMatchObject({
      why: 'time',
      matches: [{ ruleId: 'backend.no-console-log', line: 1 }],
    })
    expect(reports[2]).toMatchObject({ matches: [{ line: 1 }] })
    expect(childrenOf(process.pid)).toEqual([])
  })

  it.each([
    ['an unknown kind', 'rule: { kind: nope }', /own\.rule: .*Kind `nope` is invalid/],
    ['a regex that does not parse', "rule: { regex: '(' }", /own\.rule: .*unclosed group/],
    ['a giant regex', "rule: { regex: 'a{1000}{1000}{1000}' }", /own\.rule: .*exceeds size limit/],
    ['a utility that is itself', 'rule: { matches: x }\nutils: { x: { matches: x } }', /own\.rule: .*cyclic/],
    ['a utility nobody wrote', 'rule: { matches: x }', /own\.rule: .*not defined/],
    ['two patterns in one', 'rule: { pattern: a b }', /own\.rule: .*Multiple AST nodes/],
    [
      'an unknown field',
      'rule: { has: { kind: identifier, field: nope } }',
      /own\.rule: .*invalid field nope/,
    ],
    ['nothing to look for', 'rule: {}', /own\.rule: .*positive matcher/],
  ])('with %s is a fault that names it', async (_, body, message) => {
    const rules = await compileUserRules(rule(body))
    await expect(scanAll(asFiles({ 'a.ts': 'x' }), rules)).rejects.toMatchObject({
      code: 'rule.refused',
      message: expect.stringMatching(message),
    })
    expect(childrenOf(process.pid)).toEqual([])
  })

  it('for another language is a fault when its kinds are not there', async () => {
    const rules = await compileUserRules(rule('rule: { kind: statement_block }', 'python'))
    await expect(scanAll(asFiles({ 'a.py': 'x = 1' }), rules)).rejects.toMatchObject({ code: 'rule.refused' })
  })

  it('that matches every node is cut off with the first matches kept', async () => {
    const rules = await compileUserRules(rule("rule: { regex: '.' }"))
    const [report] = await scanAll(asFiles({ 'big.ts': bigFile }), rules, { fileMs: 20_000 })
    expect(report).toMatchObject({ outcome: 'given-up', why: 'matches' })
    expect(report !== undefined && 'matches' in report && report.matches.length).toBeGreaterThan(5_000)
  })

  it('cannot rewrite or run anything', async () => {
    const rules = await compileUserRules(
      rule(
        'rule: { pattern: f($A) }\ntransform: { B: { replace: { source: $A, replace: a, by: b } } }\nfix: g($B)',
      ),
    )
    const [report] = await scanAll(asFiles({ 'a.ts': 'f(1)' }), rules)
    expect(report).toMatchObject({ outcome: 'scanned', matches: [{ line: 1 }] })
  })
})

describe('a hostile text', () => {
  // Found by trying: grammars that take minutes over, or crash on, a few kilobytes.
  const small: readonly (readonly [string, string, RegExp])[] = [
    ['a.java', 'A<'.repeat(30_000), /the scan took too long/],
    ['a.kt', '"${'.repeat(20_000), /the parser crashed/],
  ]
  it.each(small)('in %s costs its file and nothing else, small as it is', (name, text, why) => {
    const repo = Repo.init().stage({ 'package.json': BACKEND, [name]: text, 'src/b.ts': LOG })
    const { code, findings } = gateJson(repo)
    expect(code).toBe(1)
    expect(findings.map(({ ruleId, file }) => [ruleId, file])).toEqual([
      ['gate.file-given-up', name],
      ['backend.no-console-log', 'src/b.ts'],
    ])
    expect(findings[0]?.message).toMatch(why)
  })

  it.each(someRows(['(', '[', 'a<', '{a:', '`${', '<a>'], 6))(
    'of %s, nested beyond reason, is read by a child',
    async (open) => {
      const files = asFiles({ 'a.tsx': open.repeat(20_000), 'b.ts': 'console.log(1)' })
      const reports = await scanAll(files, own, { fileMs: 5_000, children: 1 })
      expect(['broken', 'given-up']).toContain(reports[0]?.outcome)
      expect(reports[1]).toMatchObject({ outcome: 'scanned', matches: [{ line: 1 }] })
    },
  )
})

describe('a scan that is stopped', () => {
  it('ends at once and leaves no child behind', async () => {
    const controller = new AbortController()
    const rules = await compileUserRules(ENDLESS)
    const scan = scanAll(asFiles({ 'big.ts': bigFile }), rules, { fileMs: 600_000 }, controller.signal)
    scan.catch(() => {})
    let children: number[] = []
    await eventually('a child', () => {
      children = childrenOf(process.pid)
      return children.length > 0
    })
    controller.abort(new Error('enough'))
    await expect(scan).rejects.toThrow('enough')
    await areGone(children)
  })

  it('by killing its process leaves no child behind, not even one that is stuck', async () => {
    const [endless] = await compileUserRules(ENDLESS)
    const program = `
      const { fork } = require('node:child_process')
      const child = fork(${JSON.stringify(SCAN_CHILD)}, [], { serialization: 'advanced', execArgv: [] })
      child.on('message', ({ kind }) => {
        if (kind !== 'ready') return
        child.send({ kind: 'group', id: 0, passes: [{ grammar: 'TypeScript', comments: [], matchers: [0] }], texts: [] })
        child.send({ kind: 'files', files: [{ group: 0, path: 'a.ts', bytes: Buffer.from(${JSON.stringify(bigFile)}) }] })
        process.stdout.write(String(child.pid))
      })
      child.send({ kind: 'rules', guarded: true, matchers: [{ language: 'typescript', trusted: false, variables: [], body: ${JSON.stringify(endless?.matcher)} }] })
    `
    const parent = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] })
    const [pid] = await once(parent.stdout, 'data')
    await sleep(500)
    parent.kill('SIGKILL')
    await areGone([Number(String(pid))])
  })

  it('says so when scanning processes cannot start', async () => {
    const { astScanner } = await import('../../src/platform/scanner/scanner.ts')
    const scanner = astScanner({ worker: '/nowhere/scan-child.js', limits: { inlineFiles: 0 } })
    const files = (async function* () {
      yield* asFiles({ 'a.ts': 'x' })
    })()
    const run = async () => {
      for await (const _ of scanner.scan(files, own, new AbortController().signal));
    }
    await expect(run()).rejects.toMatchObject({ code: 'rule.scanner_down' })
  })
})

describe('a child on a busy machine', () => {
  it.skipIf(process.platform !== 'linux')(
    'that got no processor for longer than the limit of a file is not given up',
    async () => {
      // Stands in for the scanner, and stops itself in the middle of a file.
      const worker = join(mkdtempSync(join(tmpdir(), 'warrant-child-')), 'scan-child.cjs')
      writeFileSync(
        worker,
        `process.on('message', ({ kind }) => {
          if (kind === 'rules') process.send({ kind: 'ready' })
          if (kind !== 'files') return
          process.kill(process.pid, 'SIGSTOP')
          process.send({ kind: 'results', results: [{ hits: [], comments: [] }] })
        })`,
      )
      const files = (async function* () {
        yield* asFiles({ 'a.ts': 'export {}' })
      })()
      const limits = { fileMs: 500, inlineFiles: 0 }
      const scan = astScanner({ worker, limits }).scan(files, own, new AbortController().signal)
      const report = scan[Symbol.asyncIterator]().next()
      const isStopped = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') T ')
      let child: number | undefined
      await eventually('a stopped child', () => {
        child = childrenOf(process.pid).find(isStopped)
        return child !== undefined
      })
      await sleep(1_200)
      process.kill(Number(child), 'SIGCONT')
      expect((await report).value).toMatchObject({ path: 'a.ts', outcome: 'scanned' })
    },
  )
})
