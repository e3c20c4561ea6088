import { describe, expect, it } from 'vitest'
import { readShippedRules } from '../../scripts/rules.ts'
import type { ScanReport } from '../../src/gate/ports.ts'
import { asFiles, compileAll, compileUserRules, scanAll } from '../support/scan.ts'

const shipped = compileAll((await readShippedRules()).packs)
const own = shipped.filter(({ id }) => id === 'backend.no-console-log')
const LINED = new Set(['backend.no-console-log', 'python.no-os-system', 'java.no-system-out'])
const lined = shipped.filter(({ id }) => LINED.has(id))

const matchesOf = (report: ScanReport | undefined) =>
  report !== undefined && 'matches' in report ? report.matches : []
const places = (report: ScanReport | undefined) => matchesOf(report).map(({ line, column }) => [line, column])
const one = async (body: string | Uint8Array, path = 'a.ts') =>
  (await scanAll(asFiles({ [path]: body }), own))[0]

const numbered = (count: number) =>
  asFiles(
    Object.fromEntries(
      Array.from({ length: count }, (_, index) => [
        `src/file-${index}.ts`,
        `${'\n'.repeat(index % 7)}console.log(${index})\nexport const value${index} = ${index}\n`,
      ]),
    ),
  )

describe('a scan', () => {
  it('reports every match with line and column', async () => {
    expect(places(await one('console.log(1)\n  console.log(2); console.log(3)\n'))).toEqual([
      [1, 1],
      [2, 3],
      [2, 19],
    ])
  })

  it('counts lines the same with CRLF and a byte order mark', async () => {
    expect(places(await one('\ufeffconsole.log(1)\r\n\r\n  console.log(2)\r\n'))).toEqual([
      [1, 1],
      [3, 3],
    ])
  })

  it('counts columns in UTF-16 code units', async () => {
    expect(places(await one("const a = '😀é'; console.log(a)"))).toEqual([[1, 18]])
  })

  it('reads UTF-16 with a byte order mark', async () => {
    const text = Buffer.from('\ufeff// héllo\nconsole.log(1)', 'utf16le')
    expect(places(await one(text))).toEqual([[2, 1]])
    expect(places(await one(text.swap16()))).toEqual([[2, 1]])
  })

  it('survives bytes that are no UTF-8, and a NUL does not hide code', async () => {
    const latin = Buffer.concat([
      Buffer.from('const a = "'),
      Buffer.from([0xe9, 0xff]),
      Buffer.from('"\nconsole.log(1)'),
    ])
    expect(places(await one(latin))).toEqual([[2, 1]])
    expect(places(await one('// \0\nconsole.log(1)'))).toEqual([[2, 1]])
  })

  it.each([
    ['a.js', '// a\u2028console.log(1)', [[1, 6]]],
    ['a.js', '#!/usr/bin/env node\u2028console.log(1)', [[2, 1]]],
    ['a.js', '// a\rconsole.log(1)', [[2, 1]]],
    ['a.py', '# a\rimport os\ros.system(x)', [[3, 1]]],
    ['a.java', 'class A { // a\r void f() { System.out.println(1); } }', [[2, 13]]],
  ])('ends comments of %s where the compiler ends them: %j', async (path, text, expected) => {
    const [report] = await scanAll(asFiles({ [path]: text }), lined)
    expect(places(report)).toEqual(expected)
  })

  it('gives up on binary files, and leaves files no rule looks at', async () => {
    const noise = Buffer.from(Array.from({ length: 4_000 }, (_, index) => (index * 71) % 256))
    expect(await one(noise)).toMatchObject({ path: 'a.ts', outcome: 'given-up', why: 'binary' })
    expect(await one('console.log(1)', 'notes.txt')).toEqual({ path: 'notes.txt', outcome: 'skipped' })
    expect(await one('console.log(1)', 'weird.constructor')).toMatchObject({ outcome: 'skipped' })
  })

  it('gives up on a file past the size limit', async () => {
    const [report] = await scanAll(asFiles({ 'a.ts': 'console.log(1)' }), own, { fileBytes: 10 })
    expect(report).toMatchObject({ outcome: 'given-up', why: 'size', matches: [] })
  })

  it.each([
    ['console.log(1)\nconst = ;\n', 2, 1],
    ['console.log(1)\nif (a) {\n', 2, 9],
    ['console.log(1)\nf(a, b;\n', 2, 7],
    ['console.log(1)\nfor (const a of b { }\n', 2, 18],
  ])('says where %j does not parse, and what else it found', async (text, line, column) => {
    const report = await one(text)
    expect(report).toMatchObject({ outcome: 'broken', line, column })
    expect(places(report)).toEqual([[1, 1]])
  })

  it.each([
    'interface A<in T> { a(b: T): void }',
    'type A<in out T, out U extends string = "u"> = (a: T) => U',
    "export type * from 'a'\nexport type * as b from 'b'",
    "import defer * as a from 'a'",
    'interface A<\n  out B = unknown,\n  /** c */\n  in out D extends B = B,\n> extends E<B> {}',
  ])('%s is valid, although the grammar does not know it', async (text) => {
    const [report] = await scanAll(asFiles({ 'a.ts': `${text}\nconsole.log(1)\n` }), own)
    expect(report).toMatchObject({ outcome: 'scanned', matches: [{ ruleId: 'backend.no-console-log' }] })
  })

  it.each(['type A<in T,, U> = 1', 'interface A<in T U> {}', 'export type from', 'import defer * from'])(
    '%s is broken',
    async (text) => {
      const [report] = await scanAll(asFiles({ 'a.ts': text }), own)
      expect(report).toMatchObject({ outcome: 'broken', line: 1 })
    },
  )

  it.each(['', '\n', '// only this\n', 'export {}\n'])('%j is not broken', async (text) => {
    expect(await one(text)).toMatchObject({ outcome: 'scanned', matches: [] })
  })

  it.each([
    ['closed', `x = ${'('.repeat(30_000)}1${')'.repeat(30_000)}`, 'scanned'],
    ['left open', `x = ${'f('.repeat(30_000)}`, 'broken'],
    ['chained', `f(${'a+'.repeat(25_000)}1)`, 'scanned'],
  ])('reads a tree that is thirty thousand levels deep (%s)', async (_, text, outcome) => {
    const [report] = await scanAll(asFiles({ 'a.ts': text }), shipped)
    expect(report?.outcome).toBe(outcome)
  })

  it('looks at TypeScript, TSX and JavaScript alike', async () => {
    const paths = ['a.ts', 'a.mts', 'a.cts', 'a.tsx', 'a.js', 'a.mjs', 'a.cjs', 'a.jsx']
    const reports = await scanAll(
      asFiles(Object.fromEntries(paths.map((path) => [path, 'console.log(1)']))),
      own,
    )
    expect(reports.map(places)).toEqual(paths.map(() => [[1, 1]]))
  })

  it('finds the same in this process and in children, in the order of the files', async () => {
    const files = numbered(200)
    const here = await scanAll(files, own, { inlineFiles: 1_000, inlineBytes: 10_000_000 })
    const there = await scanAll(files, own, { inlineFiles: 0, children: 3 })
    expect(here.map(({ path }) => path)).toEqual(files.map(({ path }) => path))
    expect(here.every((report) => matchesOf(report).length === 1)).toBe(true)
    expect(there).toEqual(here)
  })

  it('keeps the comments that speak to it, and only comments', async () => {
    const text = [
      'console.log(1) // warrant-ignore backend.no-console-log: shown to the user',
      '  /* warrant-ignore x */',
      "const a = '// warrant-ignore y: no comment'",
    ].join('\n')
    expect(await one(text)).toMatchObject({
      comments: [
        { line: 1, column: 16, alone: false },
        { line: 2, column: 3, endLine: 2, alone: true, text: '/* warrant-ignore x */' },
      ],
    })
  })

  it('names in the message what a variable stood for', async () => {
    const rules = await compileUserRules(`
id: own.fs
language: TypeScript
severity: warning
message: fs.$METHOD blocks
rule: { pattern: 'fs.$METHOD($$$)' }
constraints: { METHOD: { regex: 'Sync$' } }
`)
    const [report] = await scanAll(asFiles({ 'a.ts': 'fs.readFileSync(a); fs.readFile(b)' }), rules)
    expect(matchesOf(report).map(({ message }) => message)).toEqual(['fs.readFileSync blocks'])
  })

  it('runs with what the build made', async () => {
    const { loadShippedRules, openScanner } = await import('../../src/app/open/load-rules.ts')
    const rules = compileAll((await loadShippedRules()).packs).map((rule) => ({ ...rule, trusted: false }))
    const scanner = await openScanner()
    const files = (async function* () {
      yield* asFiles({ 'a.ts': 'console.log(1)', 'a.kt': 'fun f() { Thread.sleep(1) }' })
    })()
    const ids: string[] = []
    for await (const report of scanner.scan(files, rules, new AbortController().signal)) {
      ids.push(...matchesOf(report).map(({ ruleId }) => ruleId))
    }
    expect(ids).toEqual([
      'backend.no-console-log',
      'frontend.no-console-log',
      'heuristics.ts.console-log.ast',
      'javascript.no-console-log',
      'android.no-thread-sleep',
      'heuristics.android.thread-sleep.ast',
    ])
  })
})
