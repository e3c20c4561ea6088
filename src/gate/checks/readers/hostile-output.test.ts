import fc from 'fast-check'
import { expect, it } from 'vitest'
import { writeJunit } from '../../reports/junit.ts'
import type { GateFinding, GateReport, GateRun } from '../../reports/report.ts'
import { writeSarif } from '../../reports/sarif.ts'
import { CHECK_READERS, type ReaderName } from './check-readers.ts'
import { type CheckOutput, CheckUnreadable } from './reader.ts'

const ROOT = '/srv/repo'
const NAMES = Object.keys(CHECK_READERS) as ReaderName[]

const path = fc.oneof(
  fc.constantFrom(
    'src/a.ts',
    '../x',
    '/etc/passwd',
    `${ROOT}/a`,
    'file:///etc/x',
    '..%2f..%2fx',
    'a\0b',
    'C:\\x',
    '\u001b[2J',
  ),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
)
const number = fc.oneof(fc.integer(), fc.double(), fc.constant('1'), fc.constant(null))
const text = fc.string({ unit: 'binary', maxLength: 40 })

const sarif = fc.record(
  {
    ruleId: fc.oneof(text, fc.constantFrom('__proto__', 'constructor', 'toString')),
    ruleIndex: number,
    level: fc.oneof(text, fc.constantFrom('error', 'note')),
    message: fc.oneof(
      fc.record({ text }),
      fc.record({ id: text, arguments: fc.array(text) }),
      fc.jsonValue(),
    ),
    suppressions: fc.oneof(fc.jsonValue(), fc.constant([{ kind: 'inSource' }])),
    locations: fc.array(
      fc.record({
        physicalLocation: fc.record(
          {
            artifactLocation: fc.record({ uri: path, uriBaseId: text, index: number }, { requiredKeys: [] }),
            region: fc.record({ startLine: number, startColumn: number, endLine: number, endColumn: number }),
          },
          { requiredKeys: [] },
        ),
      }),
    ),
  },
  { requiredKeys: [] },
)
const bases = fc.dictionary(text, fc.record({ uri: path, uriBaseId: text }, { requiredKeys: [] }))
const eslint = fc.record({
  filePath: path,
  messages: fc.array(fc.record({ ruleId: text, message: text, line: number, column: number })),
})
const line = fc
  .tuple(path, number, number, fc.constantFrom('error', 'warning', 'note', 'error TS1'), text)
  .map(
    ([file, row, column, level, said]) =>
      `${file}:${row}:${column}: ${level}: ${said}\n${file}(${row},${column}): ${level}: ${said}\n`,
  )
const record = fc
  .tuple(path, number, number)
  .map(([file, row, hits]) => `SF:${file}\nDA:${row},${hits}\nend_of_record\n`)
const xml = fc.tuple(path, text, text, number).map(([file, name, said, row]) => {
  const quote = (value: unknown) => String(value).replace(/[<&"]/g, ' ')
  return `<testsuite name="${quote(name)}"><testcase file="${quote(file)}" line="${row}"><failure message="${quote(said)}">${quote(file)}:${row}:1</failure></testcase></testsuite>`
})

/** Outputs that are near to what a reader expects, and bytes that are not. */
const output = fc.oneof(
  fc
    .tuple(fc.array(sarif), bases)
    .map(([results, originalUriBaseIds]) => JSON.stringify({ runs: [{ results, originalUriBaseIds }] })),
  fc.array(eslint).map((files) => JSON.stringify(files)),
  fc.array(line).map((lines) => lines.join('')),
  fc.array(record).map((records) => records.join('')),
  fc.array(xml).map((suites) => `<testsuites>${suites.join('')}</testsuites>`),
  fc.array(xml).map((suites) => `<coverage>${suites.join('')}`),
  fc.json(),
  text,
)

const isInside = (file: string): boolean =>
  file !== '' &&
  !file.startsWith('/') &&
  !file.split('/').some((part) => part === '..' || part === '.' || part === '')

const readAny = async (name: ReaderName, bytes: Uint8Array): Promise<CheckOutput | undefined> => {
  const read = await CHECK_READERS[name]()
  try {
    return read({ bytes, root: ROOT, folder: `${ROOT}/web`, exitCode: 1, limits: { results: 5 } })
  } catch (cause) {
    if (cause instanceof CheckUnreadable) return undefined
    throw cause
  }
}

it('is read or refused by every reader, and no result leaves the repository or the line', async () => {
  let results = 0
  await fc.assert(
    fc.asyncProperty(output, fc.nat(), fc.nat(9), async (whole, cut, chance) => {
      // One in ten is cut, as by a tool that was killed.
      const bytes = new TextEncoder().encode(chance === 0 ? whole.slice(0, cut % (whole.length + 1)) : whole)
      for (const name of NAMES) {
        const found = await readAny(name, bytes)
        for (const { file, message, rule, help = '', region } of found?.results ?? []) {
          results += 1
          expect(file === undefined || isInside(file)).toBe(true)
          expect(`${file ?? ''}${rule}${message}${help}`).not.toMatch(/[\p{Cc}\u2028\u202e]/u)
          expect([rule.length > 0, rule.length <= 200, message.length <= 1_300]).toEqual([true, true, true])
          if (region !== undefined) expect(region.endLine).toBeGreaterThanOrEqual(region.line)
        }
        for (const file of found?.coverage?.files.keys() ?? []) expect(isInside(file)).toBe(true)
        expect(found?.results.length ?? 0).toBeLessThanOrEqual(5)
      }
    }),
    { numRuns: 400 },
  )
  // Otherwise the generator produces nothing that a reader accepts.
  expect(results).toBeGreaterThan(500)
})

const name = fc.stringMatching(/^[a-z][a-z0-9ä %#?]{0,8}[a-z0-9]$/)
const finding: fc.Arbitrary<GateFinding> = fc
  .record({
    ruleId: fc.stringMatching(/^[a-z]{1,8}\.[a-z-]{1,8}$/),
    severity: fc.constantFrom('CRITICAL', 'ERROR', 'WARN', 'INFO'),
    message: fc.stringMatching(/^[A-Za-z<>&"' ]{1,30}[a-z.]$/),
    folder: name,
    file: name,
    line: fc.integer({ min: 1, max: 1e6 }),
    column: fc.integer({ min: 1, max: 1e3 }),
  })
  .map(({ folder, file, line: row, column, message, ...rest }) => ({
    ...rest,
    message: message.trim(),
    code: rest.ruleId,
    file: `${folder}/${file}.ts`,
    region: { line: row, column, endLine: row + 1, endColumn: column },
    state: 'new' as const,
    matchedBy: 'test',
    source: 'git:staged',
    fingerprint: 'f',
  }))

const LEVELS = { CRITICAL: 'error', ERROR: 'error', WARN: 'warning', INFO: 'note' } as const

it('reads back what our own SARIF and JUnit reports say', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(finding, { maxLength: 8 }), async (findings) => {
      const report = {
        stage: 'CI',
        status: 'BLOCKED',
        policy: { block_on_or_above: 'INFO' },
        findings,
      } as unknown as GateReport
      const run: GateRun = { report, excerpts: new Map() }
      const input = { root: ROOT, folder: ROOT, exitCode: undefined, limits: { results: 100 } }
      const sarifOutput = (await CHECK_READERS.sarif())({
        ...input,
        bytes: Buffer.from(writeSarif(run, '1.0.0')),
      })
      expect(sarifOutput.tool).toEqual({ name: 'Warrant', version: '1.0.0' })
      expect(sarifOutput.results.map(({ help: _, ...rest }) => rest)).toEqual(
        findings.map(({ ruleId, severity, message, file, region }) => ({
          rule: ruleId,
          level: LEVELS[severity],
          message,
          file,
          region,
        })),
      )
      const junitOutput = (await CHECK_READERS.junit())({ ...input, bytes: Buffer.from(writeJunit(report)) })
      expect(junitOutput.results.map(({ file, region }) => [file, region?.line])).toEqual(
        findings.map(({ file, region }) => [file, region?.line]),
      )
    }),
    { numRuns: 50 },
  )
})
