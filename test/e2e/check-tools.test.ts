import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { CHECK_READERS, type ReaderName } from '../../src/gate/checks/readers/check-readers.ts'
import type { CheckResult } from '../../src/gate/checks/readers/reader.ts'

let root = ''

beforeAll(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'warrant-tools-')))
  mkdirSync(join(root, 'src'))
  symlinkSync(resolve('node_modules'), join(root, 'node_modules'))
  writeFileSync(join(root, 'package.json'), '{"type":"module"}')
  writeFileSync(join(root, 'biome.json'), '{}')
  writeFileSync(
    join(root, 'src/types.ts'),
    'export const f: (a: { b: number }) => string = (a: { b: string }) => a.b\n',
  )
  writeFileSync(join(root, 'src/lint.js'), 'export const run = () => {\n  debugger\n}\n')
  writeFileSync(
    join(root, 'src/sum.test.ts'),
    "import { expect, it } from 'vitest'\nit('adds', () => {\n  expect(1 + 1).toBe(3)\n})\nit.skip('later', () => {})\nit('passes', () => {})\n",
  )
})

afterAll(() => rmSync(root, { recursive: true, force: true }))

/** Runs a tool of this project on a file with one defect, and reads its output or the file that it writes. */
const runTool = async (
  name: ReaderName,
  program: string,
  args: readonly string[],
): Promise<readonly CheckResult[]> => {
  const out = join(root, 'out')
  const filled = args.map((arg) => arg.replace('$OUT', out))
  const { stdout, status } = spawnSync(join('node_modules', '.bin', program), filled, { cwd: root })
  const bytes = args.join().includes('$OUT') ? readFileSync(out) : stdout
  const read = await CHECK_READERS[name]()
  return read({ bytes, root, folder: root, exitCode: status ?? undefined, limits: { results: 10 } }).results
}

const MESSAGE =
  "Type '(a: { b: string; }) => string' is not assignable to type '(a: { b: number; }) => string'. Types of parameters 'a' and 'a' are incompatible. Type '{ b: number; }' is not assignable to type '{ b: string; }'. Types of property 'b' are incompatible. Type 'number' is not assignable to type 'string'."

it.each(['true', 'false'])('reads tsc --pretty %s', async (pretty) => {
  const results = await runTool('tsc', 'tsc', ['--noEmit', '--strict', '--pretty', pretty, 'src/types.ts'])
  expect(results).toEqual([
    {
      rule: 'TS2322',
      level: 'error',
      message: MESSAGE,
      file: 'src/types.ts',
      region: { line: 1, column: 14, endLine: 1, endColumn: 14 },
    },
  ])
})

it.each<[ReaderName, string]>([
  ['sarif', '--reporter=sarif'],
  ['lines', '--reporter=github'],
  ['junit', '--reporter=junit'],
])('reads biome as %s', async (reader, reporter) => {
  const results = await runTool(reader, 'biome', ['lint', reporter, 'src/lint.js'])
  expect(results).toMatchObject([{ file: 'src/lint.js', region: { line: 2, column: 3 } }])
  expect(results[0]?.message).toMatch(/unexpected use of the debugger statement\.$/)
})

it('reads the JUnit report of vitest', async () => {
  const results = await runTool('junit', 'vitest', ['run', '--reporter=junit', '--outputFile=$OUT'])
  expect(results).toMatchObject([
    {
      rule: 'test-failure',
      level: 'failure',
      message: 'adds: expected 2 to be 3 // Object.is equality',
      file: 'src/sum.test.ts',
      region: { line: 3, column: 17 },
    },
  ])
})
