import { describe, expect, it } from 'vitest'
import type { ScanReport } from '../../src/gate/ports.ts'
import { readPack } from '../../src/gate/rules/packs.ts'
import { asFiles, compileAll, compileUserRules, scanAll } from '../support/scan.ts'

const rule = (text: string, rest = ''): string =>
  `id: own.text\nseverity: error\nmessage: m\ntext: ${text}\n${rest}`

const places = (report: ScanReport | undefined): string[] =>
  report === undefined || report.outcome === 'skipped'
    ? []
    : report.matches.map(
        ({ line, column, endLine, endColumn }) => `${line}:${column}-${endLine}:${endColumn}`,
      )

const found = async (text: string, body: string, path = 'a.conf'): Promise<string[]> => {
  const pack = await readPack('own', '1', [{ path: 'a.yml', text }])
  const [report] = await scanAll(asFiles({ [path]: body }), compileAll([pack]))
  return places(report)
}

const WORKFLOW = `
jobs:
  a:
    steps:
    - name: \${{ x }}
    - run: |
        echo \${{ x }}

        echo \${{ x }}
      env:
        A: \${{ x }}
on: \${{ x }}
`

describe('a rule about text', () => {
  it.each([
    ['reports each match', "{ regex: 'a+' }", 'baa\r\naa\n', ['1:2-1:4', '2:1-2:3']],
    ['may span lines', "{ regex: 'a\\n b' }", 'a\n b', ['1:1-2:3']],
    ['counts a lone carriage return as a line break', "{ regex: '^b' }", 'a\rb', ['2:1-2:2']],
    ['reports a group', "{ regex: 'key=(\\w+)', group: 1 }", 'key=abc', ['1:5-1:8']],
    ['reports a named group', "{ regex: 'key=(?<v>\\w+)', group: v }", 'key=abc', ['1:5-1:8']],
    ['has its line refused by `not`', "{ regex: 'a', not: '#' }", 'a # x\na', ['2:1-2:2']],
    ['has its file refused by `unless`', "{ regex: 'a', unless: '^USER' }", 'a\nUSER x', []],
    ['finds capitals with `ignoreCase` only', "{ regex: 'a', ignoreCase: true }", 'A', ['1:1-1:2']],
    ['finds keywords in any case', "{ regex: 'A', keywords: [ab, zz] }", 'A AB', ['1:1-1:2', '1:3-1:4']],
    ['needs one of its keywords', "{ regex: 'A', keywords: [zz] }", 'A AB', []],
    ['needs the entropy', "{ regex: '\\w+', entropy: 3 }", 'aaaaaaaaaaaa\nabcdefgh12', ['2:1-2:11']],
    ['ignores empty matches', "{ regex: 'x*' }", 'axa', ['1:2-1:3']],
    [
      'looks at enclosing lines with `under`',
      "{ regex: '\\$\\{\\{ x', under: '^\\s*(- )?run:' }",
      WORKFLOW,
      ['7:14-7:19', '9:14-9:19'],
    ],
    [
      'finds the key above a list of the same indentation',
      "{ regex: 'x', under: '^\\s*steps:' }",
      WORKFLOW,
      ['5:17-5:18', '7:18-7:19', '9:18-9:19', '11:16-11:17'],
    ],
  ])('%s', async (_, text, body, wanted) => {
    expect(await found(rule(text), body)).toEqual(wanted)
  })

  it('finds the same in this process and in children, beside the rules about syntax', async () => {
    const pack = await readPack('own', '1', [
      {
        path: 'a.yml',
        text: `${rule("{ regex: '\\d' }")}---\nid: own.syntax\nlanguage: ts\nseverity: error\nmessage: m\nrule: { pattern: f($A) }\n`,
      },
    ])
    const files = asFiles({ 'a.ts': 'f(1)\n2', Dockerfile: 'FROM 1', 'b.md': '1' })
    const inline = await scanAll(files, compileAll([pack]))
    expect(inline.map(places)).toEqual([['1:1-1:5', '1:3-1:4', '2:1-2:2'], ['1:6-1:7'], ['1:1-1:2']])
    expect(await scanAll(files, compileAll([pack]), { inlineFiles: 0 })).toEqual(inline)
  })

  it.each([
    ['Dockerfile', '# warrant-ignore own.text: why', true],
    ['a.sql', 'x -- warrant-ignore own.text: why', false],
    ['a.ini', '; warrant-ignore own.text: why', true],
    ['a.proto', 'x // warrant-ignore own.text: why', false],
    ['a.css', '/* warrant-ignore own.text: why */', true],
    ['a.xml', '<a/><!-- warrant-ignore own.text: why -->', false],
    ['a.md', '<!-- warrant-ignore own.text: why -->', true],
    ['a.md', 'write `x // warrant-ignore own.text: why`', undefined],
    ['a.md', 'x // warrant-ignore own.text: why', undefined],
    ['a.yml', 'url: x#warrant-ignore own.text: why', undefined],
  ])('reads the comments of %s: %s', async (path, line, alone) => {
    const pack = await readPack('own', '1', [{ path: 'a.yml', text: rule("{ regex: '1' }") }])
    const [report] = await scanAll(asFiles({ [path]: `${line}\n` }), compileAll([pack]))
    const comments = report?.outcome === 'scanned' ? report.comments : []
    expect(comments.map((one) => one.alone)).toEqual(alone === undefined ? [] : [alone])
  })

  it('skips what is longer than 16 MiB, and reads what is no text or too long for a parser', async () => {
    const rules = [
      ...(await compileUserRules(rule("{ regex: 'key', keywords: [key] }"))),
      ...(await compileUserRules(
        'id: own.ts\nlanguage: ts\nseverity: error\nmessage: m\nrule: { pattern: a }\n',
      )),
    ].map((one) => ({ ...one, trusted: true }))
    const large = Buffer.alloc(3 * 1024 * 1024, 'x\n')
    large.write('key')
    const noise = Buffer.from(Array.from({ length: 4_000 }, (_, index) => (index * 7) % 256))
    const files = {
      'a.bin': noise,
      'a.json': large,
      'a.ts': large,
      'b.json': Buffer.alloc(16 * 1024 * 1024 + 1, 'x'),
    }
    const reports = await scanAll(asFiles(files), rules)
    expect(reports.map(({ outcome, ...rest }) => [outcome, 'why' in rest && rest.why])).toEqual([
      ['scanned', false],
      ['scanned', false],
      ['given-up', 'size'],
      ['skipped', 'size'],
    ])
    expect(reports.map(places)).toEqual([[], ['1:1-1:4'], ['1:1-1:4'], []])
  })

  it('of a repository that never ends costs its file, not the run', async () => {
    const rules = [
      ...(await compileUserRules(rule("{ regex: '(a+)+$' }"))),
      ...compileAll([
        await readPack('own', '1', [
          { path: 'a.yml', text: rule("{ regex: 'key' }").replace('own.text', 'own.key') },
        ]),
      ]),
    ]
    const files = asFiles({ 'a.env': 'key', 'b.env': `key ${'a'.repeat(60)}b`, 'c.env': 'key' })
    const reports = await scanAll(files, rules, { fileMs: 300, children: 1 })
    expect(reports.map(({ outcome }) => outcome)).toEqual(['scanned', 'given-up', 'scanned'])
    expect(reports.map(places)).toEqual([['1:1-1:4'], ['1:1-1:4'], ['1:1-1:4']])
  })
})
