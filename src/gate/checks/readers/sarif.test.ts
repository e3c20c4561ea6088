import { describe, expect, it } from 'vitest'
import { type CheckOutput, CheckUnreadable, type ReaderInput } from './reader.ts'
import { readSarif } from './sarif.ts'

const ROOT = '/srv/repo'

const read = (log: unknown, input: Partial<ReaderInput> = {}): CheckOutput =>
  readSarif({
    bytes: new TextEncoder().encode(typeof log === 'string' ? log : JSON.stringify(log)),
    root: ROOT,
    folder: ROOT,
    exitCode: undefined,
    limits: { results: 100 },
    ...input,
  })

const run = (results: unknown, more: object = {}) => ({
  version: '2.1.0',
  runs: [{ tool: { driver: { name: 'Scan', version: '1.2' } }, results, ...more }],
})

const at = (uri: string, more: object = {}, region: object = { startLine: 3 }) => ({
  message: { text: 'x' },
  locations: [{ physicalLocation: { artifactLocation: { uri, ...more }, region } }],
})

describe('the file of a result', () => {
  const elsewhere = { SRCROOT: { uri: 'file:///home/ci/job/' }, LIB: { uri: 'file:///usr/include/' } }
  const inside = { ROOTPATH: { uri: 'file:///srv/repo/web/' }, SUB: { uri: 'src/', uriBaseId: 'ROOTPATH' } }

  it.each([
    ['src/a.ts', {}, {}, 'src/a.ts'],
    ['./src/../src/a.ts', {}, {}, 'src/a.ts'],
    ['src/%C3%A4%20b.ts', {}, {}, 'src/ä b.ts'],
    ['src/100%.ts', {}, {}, 'src/100%.ts'],
    ['file:///srv/repo/src/a.ts', {}, {}, 'src/a.ts'],
    ['file:/srv/repo/src/a.ts', {}, {}, 'src/a.ts'],
    ['file://localhost/srv/repo/src/a.ts', {}, {}, 'src/a.ts'],
    ['/srv/repo/src/a.ts', {}, {}, 'src/a.ts'],
    ['src/a.ts', { uriBaseId: '%SRCROOT%' }, {}, 'src/a.ts'],
    ['src/a.ts', { uriBaseId: 'SRCROOT' }, elsewhere, 'src/a.ts'],
    ['a.ts', { uriBaseId: 'SUB' }, inside, 'web/src/a.ts'],
    ['stdio.h', { uriBaseId: 'LIB' }, elsewhere, undefined],
    ['../a.ts', {}, {}, undefined],
    ['%2e%2e/%2e%2e/etc/passwd', {}, {}, undefined],
    ['/etc/passwd', {}, {}, undefined],
    ['/srv/repository/a.ts', {}, {}, undefined],
    ['file:///etc/passwd', {}, {}, undefined],
    ['file://host/srv/repo/src/a.ts', {}, {}, undefined],
    ['https://example.com/a.ts', {}, {}, undefined],
    ['src/a.ts%00.png', {}, {}, undefined],
  ])('%s with %o is %s', (uri, location, originalUriBaseIds, file) => {
    const [result] = read(run([at(uri, location)], { originalUriBaseIds })).results
    expect(result?.file).toBe(file)
    expect(result?.region?.line).toBe(file === undefined ? undefined : 3)
    const isOutside = / \(in \S.*, which is outside of the repository\)$/
    expect(isOutside.test(result?.message ?? '')).toBe(file === undefined)
  })

  it('may be an artifact of the run', () => {
    const results = [
      { message: { text: 'x' }, locations: [{ physicalLocation: { artifactLocation: { index: 1 } } }] },
    ]
    const artifacts = [{ location: { uri: 'a.ts' } }, { location: { uri: 'b.ts' } }]
    expect(read(run(results, { artifacts })).results[0]?.file).toBe('b.ts')
  })
})

describe('the rule and level of a result', () => {
  const tool = {
    driver: {
      name: 'Scan',
      rules: [
        { id: 'R1', defaultConfiguration: { level: 'error' }, helpUri: 'https://example.com/R1' },
        { id: 'R2', properties: { 'security-severity': '9.8' }, messageStrings: { m: { text: 'Bad {0}' } } },
        { id: 'R3', properties: { 'security-severity': '5.0' }, shortDescription: { text: 'About R3' } },
      ],
    },
    extensions: [{ name: 'more', rules: [{ id: 'E1', defaultConfiguration: { level: 'note' } }] }],
  }

  it.each([
    [{ ruleId: 'R1' }, 'R1', 'error'],
    [{ ruleIndex: 0 }, 'R1', 'error'],
    [{ rule: { index: 0 } }, 'R1', 'error'],
    [{ ruleId: 'R1/2' }, 'R1/2', 'error'],
    [{ ruleId: 'R1', level: 'note' }, 'R1', 'note'],
    [{ ruleId: 'R1', level: 'none' }, 'R1', 'none'],
    [{ ruleId: 'R1', kind: 'review' }, 'R1', 'note'],
    [{ ruleId: 'R2', level: 'warning' }, 'R2', 'critical'],
    [{ ruleId: 'R3' }, 'R3', 'medium'],
    [{ rule: { id: 'E1', index: 0, toolComponent: { index: 0 } } }, 'E1', 'note'],
    [{ ruleId: 'unknown' }, 'unknown', 'warning'],
    [{ ruleId: '__proto__', ruleIndex: -1 }, '__proto__', 'warning'],
    [{ ruleId: 'constructor' }, 'constructor', 'warning'],
    [{}, 'no-rule', 'warning'],
  ])('%o', (result, rule, level) => {
    const [found] = read(run([{ message: { text: 'x' }, ...result }], { tool })).results
    expect(found).toMatchObject({ rule, level })
  })

  it('reads messages with arguments and links, and what the rule says', () => {
    const results = [
      { ruleId: 'R2', message: { id: 'm', arguments: ['thing'] } },
      { ruleId: 'R3', message: { text: 'Flows from [here](1) to [there](2).' } },
      { ruleId: 'R1', message: {} },
    ]
    expect(read(run(results, { tool })).results).toMatchObject([
      { message: 'Bad thing' },
      { message: 'Flows from here to there.', help: 'About R3' },
      { message: 'The tool gives no message.', help: 'https://example.com/R1' },
    ])
  })
})

describe('a log', () => {
  it('gives its tool, and counts what the tool suppressed', () => {
    const results = [
      { message: { text: 'a' }, suppressions: [{ kind: 'inSource' }] },
      { message: { text: 'b' }, suppressions: [{ kind: 'external', status: 'underReview' }] },
      { message: { text: 'c' }, kind: 'pass' },
      { message: { text: 'd' }, baselineState: 'absent' },
    ]
    const output = read(run(results))
    expect(output).toMatchObject({ tool: { name: 'Scan', version: '1.2' }, suppressed: 1 })
    expect(output.results.map(({ message }) => message)).toEqual(['b'])
  })

  it('keeps the worst results when there are too many, and counts the others', () => {
    const levels = ['note', 'error', 'warning', 'note', 'error']
    const results = levels.map((level, index) => ({ level, message: { text: `${index}` } }))
    const output = read(run(results), { limits: { results: 3 } })
    expect(output.results.map(({ message }) => message)).toEqual(['1', '2', '4'])
    expect(output.omitted).toBe(2)
  })

  it('shows no terminal sequences and no second line', () => {
    const text = '\u001b[31mred\u001b[0m\u001b]0;title\u0007 a\nb\r\u0000\u202ec'
    expect(read(run([{ ruleId: 'a\u001b[2J b', message: { text } }])).results).toMatchObject([
      { rule: 'a-b', message: 'red a b \\u0000\\u202ec' },
    ])
  })

  it('finds results also under a key with escapes, twice in a run and in UTF-16', () => {
    const one = JSON.stringify(run([{ message: { text: 'x' } }]))
    expect(read(one.replace('"results"', '"res\\u0075lts"')).results).toHaveLength(1)
    expect(
      read(one.replace('"results":', '"results":[{"message":{"text":"]}\\\\\\""}}],"results":')).results,
    ).toHaveLength(2)
    expect(read('', { bytes: Buffer.from(`\ufeff${one}`, 'utf16le') }).results).toHaveLength(1)
    expect(read(`\ufeff${one}`).results).toHaveLength(1)
  })

  it.each([
    ['', /not JSON, or it is cut/],
    ['{"version":"2.1.0","runs":[{"results":[{"message":', /not JSON, or it is cut/],
    ['{"runs":[{"results":[{},,{}]}]}', /not JSON, or it is cut/],
    ['{"runs":[{"results":[{} {}]}]}', /not JSON, or it is cut/],
    ['{"runs":[{"results":[nonsense]}]}', /not JSON, or it is cut/],
    ['[]', /no JSON object/],
    ['{"version":"2.1.0","runs":[]}', /has no run/],
    ['{"version":"1.0.0","runs":[{}]}', /SARIF 1\.0\.0/],
    [run([1]), /a result is no JSON object/],
    [run(null), /has no list of results/],
    [run([], { externalPropertyFileReferences: { results: [{}] } }), /in another file/],
    [
      run([], {
        invocations: [
          {
            executionSuccessful: false,
            toolExecutionNotifications: [{ message: { text: 'out of memory' } }],
          },
        ],
      }),
      /did not finish.*: out of memory/,
    ],
    [`{"runs":[{"results":[${'['.repeat(200_000)}`, /not JSON, or it is cut/],
  ])('is refused: %#', (log, reason) => {
    expect(() => read(log)).toThrow(CheckUnreadable)
    expect(() => read(log)).toThrow(reason)
  })

  it('may describe its taxonomies in another file', () => {
    expect(read(run([], { externalPropertyFileReferences: { taxonomies: [{}] } })).results).toEqual([])
  })

  it('without a list of results passes only when the tool says that it succeeded', () => {
    expect(read(run(null), { exitCode: 0 }).results).toEqual([])
    expect(read(run(undefined, { invocations: [{ executionSuccessful: true }] })).results).toEqual([])
  })
})
