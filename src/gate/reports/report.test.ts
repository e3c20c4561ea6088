import { describe, expect, it } from 'vitest'
import { fingerprintFindings, type Unfingerprinted } from '../findings/fingerprint.ts'
import { excerptOf, regionText, splitSourceLines } from '../findings/secret-matches.ts'
import { resolvePolicy } from '../policy.ts'
import { writeJunit } from './junit.ts'
import { comparePlaces, countFindings, type GateFinding, type GateRun } from './report.ts'
import { writeSarif } from './sarif.ts'
import { type FindingLimits, limitFindings } from './select.ts'
import { writeText } from './text.ts'

const region = { line: 2, column: 3, endLine: 2, endColumn: 14 }
const finding = ({ region: at = region, ...change }: Partial<GateFinding> = {}): GateFinding => ({
  ruleId: 'generic.rule',
  severity: 'ERROR',
  code: 'GENERIC_RULE',
  message: 'Do not.',
  file: 'src/a.ts',
  region: at,
  state: 'new',
  why: 'Because.',
  fix: 'Do something else.',
  matchedBy: 'SyntaxRule',
  source: 'git:staged',
  fingerprint: '0'.repeat(32),
  ...change,
})
const SOURCE = 'function a() {\n\tconsole.log()\n}\n'
const lines = splitSourceLines(Buffer.from(SOURCE), 'a.ts')

const run = (...findings: GateFinding[]): GateRun => {
  const sorted = [...findings].sort(comparePlaces)
  const excerpts = new Map(sorted.map((one) => [one, excerptOf(lines, one.region ?? region)]))
  const report = {
    stage: 'CI',
    status: 'BLOCKED',
    outcome: 'BLOCK',
    source: 'git:staged',
    policy: resolvePolicy('CI'),
    files: { changed: 2, scanned: 1, unmatched: 0 },
    counts: countFindings(sorted),
    findings: sorted,
    platforms: {},
    rulesets: [],
    evidence: null,
  } as const
  return { report: { ...report, findings: sorted, rulesets: [] }, excerpts }
}

const HOSTILE = 'a\u0000\u001b[31m\u202e]]><&"\'\ud800.ts'

describe('the report for people', () => {
  it('shows the place, the code, the reason and the way out, then one line and what to do next', () => {
    expect(writeText(run(finding()), { colour: false })).toBe(
      [
        'src/a.ts',
        '  2:3  ERROR  generic.rule  Do not.',
        '    2 | console.log()',
        '    why: Because.',
        '    fix: Do something else.',
        '',
        'BLOCKED CI: 1 finding (1 ERROR) in 1 file · blocks at ERROR (default)',
        'Repair what is ERROR or worse (1), then run the gate again.',
        'Or give a reason in a comment on the line above: warrant-ignore generic.rule: <reason>',
      ].join('\n'),
    )
  })

  it('groups by file, leaves out what is known, and counts it', () => {
    const text = writeText(
      run(finding({ state: 'known' }), finding({ region: { ...region, line: 3 } }), finding({ file: 'b' })),
      { colour: false },
    )
    expect(text.match(/^src\/a\.ts$/gm)).toHaveLength(1)
    expect(text).toContain('2 findings (2 ERROR) in 1 file · 1 known')
  })

  it('shows the worst first, and the first of every rule before the second of one', () => {
    const many = Array.from({ length: 80 }, (_, at) =>
      finding({
        severity: 'CRITICAL',
        ruleId: 'a.often',
        region: { ...region, line: at + 1, endLine: at + 1 },
      }),
    )
    const rare = finding({ severity: 'CRITICAL', ruleId: 'z.rare', file: 'z.ts' })
    const other = finding({ severity: 'WARN', file: 'a.ts' })
    const hint = finding({ severity: 'INFO', file: 'a.ts', ruleId: 'a.hint' })
    const text = (limits: FindingLimits = {}) =>
      writeText(run(...many, rare, other, hint), { colour: false, ...limits })
    const places = (shown: string) => shown.match(/^ {2}\d+:\d+ .*/gm) ?? []
    expect(places(text())).toHaveLength(50)
    expect(places(text()).at(-1)).toContain('z.rare')
    expect(text()).toContain('32 more findings not shown: --max 0')
    expect(text()).toContain('1 finding below WARN not shown: --severity INFO.')
    expect(text()).toContain(
      'By rule:\n  80  CRITICAL  a.often\n   1  CRITICAL  z.rare\n   1  WARN  generic.rule\n',
    )
    expect(places(text({ max: 2 }))).toHaveLength(2)
    expect(places(text({ max: 99, severity: 'INFO' }))).toHaveLength(83)
    expect(places(text({ max: 99, severity: 'CRITICAL' }))).toHaveLength(81)
    expect(text({ max: 99 }).match(/why:/g)).toHaveLength(3)
  })

  it('says what to do next only where it is blocked, and one way to accept it where there is one', () => {
    const { report, ...rest } = run(finding({ severity: 'WARN' }))
    const allowed = { ...rest, report: { ...report, status: 'ALLOWED' as const } }
    expect(writeText(allowed, { colour: false }).split('\n').at(-1)).toMatch(/^ALLOWED CI: 1 finding/)
    const lastOf = (change: Partial<GateFinding>, evidence: string | null = 'sha256:1') => {
      const blocked = run(finding({ fingerprint: 'abcdef0123456789', ...change }))
      const text = writeText({ ...blocked, report: { ...blocked.report, evidence } }, { colour: false })
      return text.split('\n').at(-1)
    }
    const region = { line: 1, column: 1, endLine: 1, endColumn: 2 }
    expect(lastOf({ region })).toMatch(
      /^Or give a reason in a comment on the line above: warrant-ignore generic/,
    )
    const command = 'Or accept it: warrant accept abcdef012345 --reason "<why>"'
    expect(lastOf({ region, secret: true })).toBe(command)
    expect(lastOf({ region, file: 'a.json' })).toBe(command)
    expect(lastOf({ region, file: '.warrant/checks.yml' })).toBe(command)
    expect(lastOf({ region, ruleId: 'gate.parse-error' })).toBe(command)
    expect(lastOf({ ruleId: 'gate.file-unread' })).toBe(command)
    expect(lastOf({ ruleId: 'gate.file-unread' }, null)).toMatch(/^Repair what is /)
    expect(lastOf({ ruleId: 'gate.protected-branch' })).toMatch(/^Repair what is /)
  })

  it('limits the findings of other formats when options ask for it, and says how many are missing', () => {
    const { report } = run(finding(), finding({ file: 'b', severity: 'INFO' }))
    expect(limitFindings(report, {})).toBe(report)
    const limited = limitFindings(report, { severity: 'ERROR' })
    expect(limited).toMatchObject({ findings: [{ file: 'src/a.ts' }], counts: { judged: 2 }, not_shown: 1 })
  })

  it('lets no name or code paint the terminal', () => {
    const text = writeText(run(finding({ file: HOSTILE, message: HOSTILE })), { colour: false })
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u)
    expect(writeText(run(finding()), { colour: true })).toContain('\u001b[31mERROR')
  })

  it('truncates long lines', () => {
    const long = `${'x'.repeat(5_000)}eval()${'y'.repeat(5_000)}`
    const one = finding({ region: { line: 1, column: 5_001, endLine: 1, endColumn: 5_007 } })
    const { report } = run(one)
    const text = writeText(
      { report, excerpts: new Map([[one, { first: 1, lines: [long] }]]) },
      { colour: false },
    )
    expect(text).toContain('eval()')
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThan(200)
  })
})

describe('what an owner reads', () => {
  const at = (line: number, change: Partial<GateFinding> = {}) =>
    finding({ region: { line, column: 1, endLine: line, endColumn: 2 }, ...change })

  it('folds repeated warnings of one rule in a file, and nothing worse', () => {
    const warnings = [4, 8, 15, 16].map((line) => at(line, { severity: 'WARN' }))
    const text = writeText(run(...warnings), { colour: false })
    expect(text.match(/WARN {2}generic\.rule/g)).toHaveLength(1)
    expect(text).toContain('also on lines 8, 15, 16')
    expect(text).toContain('4 findings (4 WARN)')
    const errors = writeText(run(at(4), at(8), at(15)), { colour: false })
    expect(errors.match(/ERROR {2}generic\.rule/g)).toHaveLength(3)
  })

  it('says that a later stage blocks what this one allows', () => {
    const { report, ...rest } = run(finding())
    const allowed = { ...report, status: 'ALLOWED' as const, policy: resolvePolicy('PRE_COMMIT') }
    expect(writeText({ ...rest, report: allowed }, { colour: false })).toContain(
      '1 finding of ERROR does not stop a commit, but stops a push and CI.',
    )
  })
})

describe('the report for code scanning', () => {
  const sarif = (...findings: GateFinding[]) => JSON.parse(writeSarif(run(...findings), '1.2.3')).runs[0]

  it('names the rule, the place and the fingerprint', () => {
    const { tool, results, columnKind } = sarif(finding())
    expect(columnKind).toBe('utf16CodeUnits')
    expect(tool.driver.rules).toMatchObject([
      { id: 'generic.rule', help: { text: 'Because.\n\nDo something else.' } },
    ])
    expect(results).toMatchObject([
      {
        ruleId: 'generic.rule',
        ruleIndex: 0,
        level: 'error',
        partialFingerprints: { 'warrant/v1': '0'.repeat(32) },
        locations: [
          {
            physicalLocation: {
              artifactLocation: { uri: 'src/a.ts' },
              region: { startLine: 2, startColumn: 3, endLine: 2, endColumn: 14 },
            },
          },
        ],
      },
    ])
  })

  it('tags rules, and scores those about security', () => {
    const properties = (change: Partial<GateFinding>) =>
      sarif(finding({ severity: 'CRITICAL', ...change })).tool.driver.rules[0].properties
    expect(properties({ category: 'security', cwe: 'CWE-89' })).toEqual({
      severity: 'CRITICAL',
      tags: ['security', 'external/cwe/cwe-89'],
      'security-severity': '9.5',
    })
    expect(properties({ category: 'secrets' }).tags).toEqual(['security', 'secrets'])
    expect(properties({ category: 'logging' })).toEqual({ severity: 'CRITICAL', tags: ['logging'] })
  })

  it('links a rule to the page of its weakness, where it names one', () => {
    const rule = (change: Partial<GateFinding>) => sarif(finding(change)).tool.driver.rules[0]
    expect(rule({ cwe: 'CWE-89' }).helpUri).toBe('https://cwe.mitre.org/data/definitions/89.html')
    expect(rule({})).not.toHaveProperty('helpUri')
  })

  it('escapes names so that none is a scheme, a query or half a character', () => {
    const uri = (file: string) =>
      sarif(finding({ file })).results[0].locations[0].physicalLocation.artifactLocation.uri
    expect(uri('ñ and/100%?#.ts')).toBe('%C3%B1%20and/100%25%3F%23.ts')
    expect(uri('javascript:x')).toBe('javascript%3Ax')
    expect(uri(HOSTILE)).toMatch(/^[\w%./'-]+$/)
  })

  it('says what a comment suppresses, and what is about no line', () => {
    const { region: _, ...whole } = finding({ file: 'b' })
    const [second, first] = sarif(finding({ state: 'suppressed', reason: 'agreed' }), whole).results
    expect(first.suppressions).toEqual([{ kind: 'inSource', status: 'accepted', justification: 'agreed' }])
    expect(second.locations[0].physicalLocation.region).toBeUndefined()
  })
})

describe('the report for build servers', () => {
  it('fails on what blocks and on nothing else', () => {
    const xml = writeJunit(
      run(
        finding(),
        finding({ file: 'b', severity: 'WARN' }),
        finding({ file: 'c', state: 'suppressed', reason: 'agreed' }),
      ).report,
    )
    expect(xml).toContain('<testsuites tests="3" failures="1" errors="0" skipped="1">')
    expect(xml.match(/<failure/g)).toHaveLength(1)
    expect(xml).toContain('<skipped message="agreed"/>')
    expect(writeJunit(run().report)).toContain('tests="1" failures="0"')
  })

  it('holds nothing that XML cannot', () => {
    const xml = writeJunit(run(finding({ file: HOSTILE, message: HOSTILE })).report)
    expect(xml.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
    expect(xml.isWellFormed()).toBe(true)
    expect(xml).toContain('a\\u0000\\u001b[31m\u202e]]&gt;&lt;&amp;&quot;&apos;\\ud800.ts')
  })
})

describe('excerpts', () => {
  it('count lines as editors do and give the text of a region', () => {
    const mixed = splitSourceLines(Buffer.from('a\r\nbc\rd\ne'), 'a.ts')
    expect(splitSourceLines(Buffer.from('\ufeffa\r\nbc\rd\ne', 'utf16le'), 'a.ts')).toEqual(mixed)
    expect(mixed).toEqual(['a', 'bc', 'd', 'e'])
    expect(regionText(mixed, { line: 2, column: 2, endLine: 3, endColumn: 2 })).toBe('c\nd')
    expect(regionText(mixed, { line: 2, column: 1, endLine: 2, endColumn: 2 })).toBe('b')
    expect(regionText(mixed, { line: 9, column: 1, endLine: 9, endColumn: 2 })).toBe('')
  })
})

describe('a fingerprint', () => {
  const unmarked = (line: number, text: string, file = 'a.ts'): Unfingerprinted => {
    const {
      fingerprint: _,
      state: __,
      ...rest
    } = finding({ file, region: { ...region, line, endLine: line } })
    return { ...rest, text }
  }
  const marks = (findings: Unfingerprinted[]) => [...fingerprintFindings(findings).values()]

  it('stays the same when lines move and when code is indented, in the same declaration', () => {
    const before = marks([unmarked(3, 'eval(x)'), unmarked(9, 'eval(y)')])
    expect(marks([unmarked(30, 'eval(x)'), unmarked(90, '  eval(y)  ')])).toEqual(before)
    expect(marks([{ ...unmarked(3, 'eval(x)'), within: 'A.run' }])[0]).not.toBe(before[0])
    expect(marks([unmarked(3, 'eval(x)', 'b.ts')])[0]).not.toBe(before[0])
  })

  it('tells equal findings apart, so that one more is new', () => {
    const before = marks([unmarked(1, 'eval(x)'), unmarked(2, 'eval(x)')])
    const after = marks([unmarked(1, 'eval(x)'), unmarked(2, 'eval(x)'), unmarked(3, 'eval(x)')])
    expect(new Set(after).size).toBe(3)
    expect(after.filter((one) => !before.includes(one))).toHaveLength(1)
  })
})
