import { describe, expect, it } from 'vitest'
import { CHECK_READERS, type ReaderName } from './check-readers.ts'
import { type CheckOutput, type CheckResult, CheckUnreadable, type ReaderInput } from './reader.ts'

const ROOT = '/srv/repo'

const read = async (
  name: ReaderName,
  text: string | Uint8Array,
  input: Partial<ReaderInput> = {},
): Promise<CheckOutput> => {
  const bytes = typeof text === 'string' ? new TextEncoder().encode(text) : text
  const reader = await CHECK_READERS[name]()
  return reader({ bytes, root: ROOT, folder: ROOT, exitCode: 1, limits: { results: 100 }, ...input })
}

/** `file:line:column level rule message`, so that a table stays readable. */
const brief = ({ file, region, level, rule, message }: CheckResult): string =>
  `${file ?? '-'}${region ? `:${region.line}:${region.column}` : ''} ${level} ${rule} ${message}`

const briefs = async (...args: Parameters<typeof read>): Promise<string[]> =>
  (await read(...args)).results.map(brief)

const unreadable = (...args: Parameters<typeof read>): Promise<string> =>
  read(...args).then(
    () => 'read',
    (cause: unknown) => (cause instanceof CheckUnreadable ? cause.message : `threw ${cause}`),
  )

describe('lines', () => {
  it.each([
    ['src/a.c:3:5: error: expected ; [-Wfoo]', 'src/a.c:3:5 error -Wfoo expected ;'],
    ['src/a.c:3:5: fatal error: x.h: No such file', 'src/a.c:3:5 fatal fatal x.h: No such file'],
    [
      'a.py:5: error: Bad type (got "int")  [return-value]',
      'a.py:5:1 error return-value Bad type (got "int")',
    ],
    ["a.py:1:1: F401 'os' imported but unused", "a.py:1:1 error F401 'os' imported but unused"],
    [
      'a.py:1:0: C0114: Missing docstring (missing-docstring)',
      'a.py:1:1 convention C0114 Missing docstring (missing-docstring)',
    ],
    ['a.sh:2:6: note: Double quote it. [SC2086]', 'a.sh:2:6 note SC2086 Double quote it.'],
    ['a.yml:2:4: [error] too many spaces (colons)', 'a.yml:2:4 error colons too many spaces'],
    ['pkg/a.go:7:2: exported function F is bad', 'pkg/a.go:7:2 error line exported function F is bad'],
    ['./a.go:7: unreachable code', 'a.go:7:1 error line unreachable code'],
    [
      'src/a.js:1:5: Unused. [Warning/eslint(no-unused-vars)]',
      'src/a.js:1:5 warning eslint(no-unused-vars) Unused.',
    ],
    ['src/a.js:1:5: Unexpected token [Error]', 'src/a.js:1:5 error error Unexpected token'],
    [
      '  /srv/repo/a.py:3:5 - error: "x" is bad (reportGeneralTypeIssues)',
      'a.py:3:5 error reportGeneralTypeIssues "x" is bad',
    ],
    ['src/main.rs:3:5: error[E0308]: mismatched types', 'src/main.rs:3:5 error E0308 mismatched types'],
    ['app/(group)/page.tsx:3:5: warning: odd', 'app/(group)/page.tsx:3:5 warning warning odd'],
    ['Program.cs(12,3): error CS1002: ; expected', 'Program.cs:12:3 error CS1002 ; expected'],
    [
      'e: file:///srv/repo/src/A.kt:3:5 Unresolved reference: x',
      'src/A.kt:3:5 error error Unresolved reference: x',
    ],
    [
      '[ERROR] src/A.java:3:5: Missing Javadoc. [JavadocMethod]',
      'src/A.java:3:5 error JavadocMethod Missing Javadoc.',
    ],
    ['::error title=lint/x,file=src/a.js,line=2,col=1::Bad%0Athing', 'src/a.js:2:1 error lint/x Bad thing'],
    ['Makefile:3: error: missing separator', 'Makefile:3:1 error error missing separator'],
  ])('reads %s', async (line, expected) => {
    expect(await briefs('lines', `${line}\n`)).toEqual([expected])
  })

  it.each([
    '12:30:45: started',
    '127.0.0.1:3000: listening',
    'localhost:3000: ready',
    'Found 3 errors',
    '    at f (a.js:3:5)',
  ])('does not read %s', async (line) => {
    expect(await briefs('lines', `${line}\n`, { exitCode: 0 })).toEqual([])
  })

  it('adds the notes of a compiler to the error before them', async () => {
    const { results } = await read('lines', 'a.c:3:5: error: no\na.c:1:2: note: declared here\n')
    expect(results).toMatchObject([{ message: 'no', help: 'declared here (line 1)' }])
  })
})

describe('tsc', () => {
  const MESSAGE = "Type 'A' is not assignable to type 'B'. Types of 'b' are incompatible."

  it('reads the plain format, with messages of several lines and without a file', async () => {
    const output = `src/a.ts(2,14): error TS2322: Type 'A' is not assignable to type 'B'.\n  Types of 'b' are incompatible.\nerror TS18003: No inputs were found in config file '/x/tsconfig.json'.\n`
    expect(await briefs('tsc', output)).toEqual([
      `src/a.ts:2:14 error TS2322 ${MESSAGE}`,
      "- error TS18003 No inputs were found in config file '/x/tsconfig.json'.",
    ])
  })

  it('reads the pretty format without its source code and its related places', async () => {
    const output = `\u001b[96msrc/a.ts\u001b[0m:\u001b[93m2\u001b[0m:\u001b[93m14\u001b[0m - \u001b[91merror\u001b[0m\u001b[90m TS2322: \u001b[0mType 'A' is not assignable to type 'B'.\n  Types of 'b' are incompatible.\n\n\u001b[7m2\u001b[0m const x\n  \u001b[96mt.ts\u001b[0m:1:17 - The expected type comes from here\n\nFound 1 error.\n`
    expect(await briefs('tsc', output)).toEqual([`src/a.ts:2:14 error TS2322 ${MESSAGE}`])
  })

  it('reads paths relative to the folder that the tool ran in', async () => {
    const output = 'src/a.ts(1,1): error TS1: x\n../../../etc/b.ts(1,1): error TS1: y\n'
    expect(await briefs('tsc', output, { folder: `${ROOT}/packages/web` })).toEqual([
      'packages/web/src/a.ts:1:1 error TS1 x',
      '- error TS1 y (in ../../../etc/b.ts, which is outside of the repository)',
    ])
  })
})

describe('exit', () => {
  it('is one result with the last lines', async () => {
    expect(await briefs('exit', 'one\n\ntwo\u001b[31m!\u001b[0m\n', { exitCode: 3 })).toEqual([
      '- error exit The tool ended with exit code 3: one | two!',
    ])
    expect(await briefs('exit', 'all good', { exitCode: 0 })).toEqual([])
    expect(await unreadable('exit', '', { exitCode: undefined })).toBe('the tool has no exit code')
  })
})

describe('eslint', () => {
  const files = [
    {
      filePath: `${ROOT}/src/a.js`,
      messages: [
        {
          ruleId: 'no-unused-vars',
          severity: 1,
          message: 'unused',
          line: 1,
          column: 5,
          endLine: 1,
          endColumn: 11,
        },
        { ruleId: null, fatal: true, severity: 2, message: 'Parsing error', line: 1, column: 11 },
        { ruleId: null, severity: 2, message: 'File ignored' },
      ],
      suppressedMessages: [{ ruleId: 'no-undef' }],
      source: 'var unused = "[{]}"',
    },
    { filePath: `${ROOT}/src/b.js`, messages: [] },
  ]

  it.each([
    ['json', files],
    ['json-with-metadata', { results: files, metadata: {} }],
  ])('reads the format %s', async (_, value) => {
    const output = await read('eslint', JSON.stringify(value))
    expect(output.results.map(brief)).toEqual([
      'src/a.js:1:5 warning no-unused-vars unused',
      'src/a.js:1:11 fatal parse-error Parsing error',
      'src/a.js error no-rule File ignored',
    ])
    expect(output.results[0]?.region).toEqual({ line: 1, column: 5, endLine: 1, endColumn: 11 })
    expect(output.suppressed).toBe(1)
  })

  it.each([
    '',
    '{}',
    '[1]',
    '[{"filePath":"a.js"}]',
    '[{"filePath":"a.js","messages":[',
    'Oops! Something went wrong',
  ])('refuses %s', async (text) => {
    expect(await unreadable('eslint', text)).toMatch(/^the output is not /)
  })
})

describe('junit', () => {
  const report = (body: string) => `<?xml version="1.0"?><testsuites>${body}</testsuites>`

  it.each([
    [
      'vitest',
      `<testsuite name="test/a.test.ts"><testcase classname="test/a.test.ts" name="sum &gt; adds"><failure message="expected 2 to be 3">AssertionError: expected 2 to be 3\n- 3\n+ 2\n ❯ test/a.test.ts:2:58\n</failure></testcase></testsuite>`,
      'test/a.test.ts:2:58 failure test-failure sum > adds: expected 2 to be 3',
    ],
    [
      'jest',
      `<testsuite name="sum"><testcase classname="sum adds" name="sum adds"><failure>received, expected\n    at Object.f (${ROOT}/node_modules/x.js:1:1)\n    at Object.g (${ROOT}/test/a.test.js:1:62)</failure></testcase></testsuite>`,
      'test/a.test.js:1:62 failure test-failure sum adds: received, expected',
    ],
    [
      'jest, of a test in the root folder',
      `<testsuite name="undefined"><testcase classname=" adds" name=" adds"><failure>received, expected\n    at Object.g (${ROOT}/a.test.js:2:17)</failure></testcase></testsuite>`,
      'a.test.js:2:17 failure test-failure adds: received, expected',
    ],
    [
      'mocha',
      `<testsuite name="M"><testcase classname="sum" name="adds" file="${ROOT}/test/a.js"><failure>2 !== 3\n    at Context.f (test/a.js:1:62)</failure></testcase></testsuite>`,
      'test/a.js:1:62 failure test-failure sum › adds: 2 !== 3',
    ],
    [
      'pytest',
      `<testsuite name="pytest"><testcase classname="py.test_a" name="test_add"><failure message="assert 2 == 3">def test_add():\n\npy/conftest.py:9: in helper\npy/test_a.py:3: AssertionError</failure></testcase></testsuite>`,
      'py/test_a.py:3:1 failure test-failure py.test_a › test_add: assert 2 == 3',
    ],
    [
      'Surefire',
      `<testsuite name="org.A"><testcase classname="org.A" name="works"><error message="boom" type="X"><![CDATA[java.lang.X: boom\n\tat org.A.works(A.java:12)]]></error><system-out>error</system-out></testcase><testcase name="flaky"><flakyFailure message="once"/></testcase></testsuite>`,
      '- error test-error org.A › works: boom',
    ],
    [
      'gotestsum',
      `<testsuite name="example.com/x"><testcase classname="example.com/x" name="TestA"><failure message="Failed" type="">=== RUN TestA\n    a_test.go:12: bad</failure></testcase></testsuite>`,
      '- failure test-failure example.com/x › TestA: Failed',
    ],
    [
      'a suite in a suite with a failure of its own',
      '<testsuite name="outer"><testsuite name="inner"><error message="setup failed"/></testsuite></testsuite>',
      '- error test-error inner: setup failed',
    ],
  ])('reads the report of %s', async (_, body, expected) => {
    const withOthers = `${body}<testsuite name="s"><testcase name="ok"/><testcase name="later"><skipped message="x"/></testcase></testsuite>`
    expect(await briefs('junit', report(withOthers))).toContain(expected)
    expect(await briefs('junit', report(withOthers))).toHaveLength(1)
  })

  it('says when no test ran', async () => {
    expect(await briefs('junit', '<testsuites tests="0"/>')).toEqual([
      '- warning no-tests The report has no test: nothing was tested.',
    ])
  })

  it.each([
    [
      '<testsuites failures="2"><testsuite><testcase name="a"/></testsuite></testsuites>',
      /counts 2 failures and describes none/,
    ],
    ['<html></html>', /its root is <html>/],
    ['<testsuites><testsuite>', /not closed/],
    ['', /exactly one root/],
    ['<!DOCTYPE x [<!ENTITY a "b">]><testsuites/>', /document type declaration/],
    [
      '<!DOCTYPE x SYSTEM "file:///etc/passwd"><testsuites><testsuite name="&x;"/></testsuites>',
      /&x; is not predefined/,
    ],
    [`${'<testsuite>'.repeat(300)}${'</testsuite>'.repeat(300)}`, /nested deeper than 200/],
  ])('refuses %#', async (text, reason) => {
    expect(await unreadable('junit', text)).toMatch(reason)
  })
})
