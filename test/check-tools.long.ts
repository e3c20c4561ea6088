import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CHECK_READERS, type ReaderName } from '../src/gate/checks/readers/check-readers.ts'
import { MAX_OUTPUT_BYTES } from '../src/gate/checks/readers/reader.ts'

/** Tools of Debian, each run on a file with defects, and what the reader has to find. */
interface DebianTool {
  readonly name: string
  /** The Debian package that has it. */
  readonly install: string
  readonly reader: ReaderName
  readonly run: string
  /** `file:line rule` of the first result. */
  readonly first: string
}

const FILES = {
  'test_a.py': 'import os\n\n\ndef test_add() -> int:\n    assert 1 + 1 == 3\n    return "x"\n',
  'a.sh': '#!/bin/sh\necho $1\n',
  'a.yml': '---\na: 1\na:  2\n',
  'a.c': 'int main(void) {\n  int *p = 0;\n  int u;\n  return *p + u;\n}\n',
}

const TOOLS: readonly DebianTool[] = [
  {
    name: 'pytest',
    install: 'python3-pytest',
    reader: 'junit',
    run: '/usr/bin/python3 -m pytest -q --junitxml=$OUT',
    first: 'test_a.py:5 test-failure',
  },
  { name: 'flake8', install: 'flake8', reader: 'lines', run: 'flake8', first: 'test_a.py:1 F401' },
  {
    name: 'mypy',
    install: 'mypy',
    reader: 'lines',
    run: 'mypy test_a.py',
    first: 'test_a.py:6 return-value',
  },
  { name: 'pylint', install: 'pylint', reader: 'lines', run: 'pylint test_a.py', first: 'test_a.py:1 C0114' },
  {
    name: 'shellcheck',
    install: 'shellcheck',
    reader: 'lines',
    run: 'shellcheck -f gcc a.sh',
    first: 'a.sh:2 SC2086',
  },
  {
    name: 'yamllint',
    install: 'yamllint',
    reader: 'lines',
    run: 'yamllint -f parsable a.yml',
    first: 'a.yml:3 key-duplicates',
  },
  {
    name: 'cppcheck',
    install: 'cppcheck',
    reader: 'lines',
    run: 'cppcheck -q --enable=all --template=gcc a.c 2>&1',
    first: 'a.c:4 nullPointer',
  },
  {
    name: 'gcc',
    install: 'gcc',
    reader: 'lines',
    run: 'gcc -Wall -Wextra -c a.c -o /dev/null 2>&1',
    first: 'a.c:4 -Wuninitialized',
  },
]

const isInstalled = ({ name, run }: DebianTool): boolean =>
  name === 'pytest'
    ? spawnSync('/usr/bin/python3', ['-c', 'import pytest']).status === 0
    : existsSync(join('/usr/bin', run.split(' ')[0] ?? ''))

describe('tools of Debian', () => {
  let root = ''
  beforeAll(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'warrant-debian-')))
    for (const [name, text] of Object.entries(FILES)) writeFileSync(join(root, name), text)
  })
  afterAll(() => rmSync(root, { recursive: true, force: true }))

  it.for(TOOLS)('reads $name', async (tool, { skip }) => {
    if (!isInstalled(tool)) {
      process.stderr.write(
        `SKIPPED: ${tool.name} is not installed; as root: apt-get install ${tool.install}\n`,
      )
      skip()
    }
    const out = join(root, 'out')
    const env = { ...process.env, OUT: out, PATH: '/usr/bin:/bin' }
    const { stdout, status } = spawnSync('sh', ['-c', tool.run], { cwd: root, env })
    const bytes = tool.run.includes('$OUT') ? readFileSync(out) : stdout
    const read = await CHECK_READERS[tool.reader]()
    const { results } = read({
      bytes,
      root,
      folder: root,
      exitCode: status ?? undefined,
      limits: { results: 50 },
    })
    const [first] = results
    expect(`${first?.file}:${first?.region?.line} ${first?.rule}`).toBe(tool.first)
  })
})

it('reads a SARIF file of 100 MB one result at a time, and keeps the worst', async () => {
  const result = (level: string) =>
    JSON.stringify({
      ruleId: 'R1',
      level,
      message: { text: 'something is wrong here' },
      locations: [{ physicalLocation: { artifactLocation: { uri: 'src/a.ts' }, region: { startLine: 3 } } }],
    })
  const million = Buffer.from(`${Array(7_000).fill(result('note')).join(',')},`)
  const count = Math.ceil(100_000_000 / million.length)
  const bytes = Buffer.concat([
    Buffer.from('{"version":"2.1.0","runs":[{"tool":{"driver":{"name":"x"}},"results":['),
    ...Array(count).fill(million),
    Buffer.from(`${result('error')}]}]}`),
  ])
  expect(bytes.length).toBeLessThan(MAX_OUTPUT_BYTES)
  const read = await CHECK_READERS.sarif()
  const before = process.memoryUsage().rss
  const output = read({ bytes, root: '/r', folder: '/r', exitCode: 1, limits: { results: 10 } })
  expect(output.results.map(({ level }) => level)).toEqual([...Array(9).fill('note'), 'error'])
  expect(output.omitted).toBe(count * 7_000 + 1 - 10)
  expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000)
})
