import { spawnSync } from 'node:child_process'
import { existsSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { installLine, installPackages, mayInstall } from '../../scripts/services/install.mjs'
import { CHECKS_FILE } from '../../src/gate/checks/check.ts'
import { digestBytes } from '../../src/kernel/encoding/hash.ts'
import { describeTools, toolFile } from '../peers/peers.ts'
import { gateJson } from '../support/gate.ts'
import { Repo } from '../support/repository.ts'

type Files = Readonly<Record<string, string>>

/** A tool as a user declares it, a change that it passes, a change with a defect, and what the gate has to say. */
interface CheckedTool {
  readonly name: string
  /** Members of the check. */
  readonly check: string
  readonly config?: Files
  readonly clean: Files
  readonly defect: Files
  /** `severity rule file:line` of the planted defect. */
  readonly planted: string
}

/** Commits a change that passes and one that does not, and judges each as CI does. */
const expectJudged = (
  { name, check, config, clean, defect, planted }: CheckedTool,
  modules?: string,
): void => {
  const text = `checks:\n  ${name}: { ${check} }\n`
  const ignored = { '.gitignore': 'node_modules\n__pycache__/\n' }
  const repo = Repo.init().commit({ ...ignored, ...config, [CHECKS_FILE]: text })
  if (modules !== undefined) symlinkSync(modules, repo.path('node_modules'))
  const judge = (files: Files) => {
    repo.commit(files)
    const range = ['--stage', 'CI', '--range', 'HEAD~1..HEAD']
    return gateJson(repo, [...range, '--allow-checks', digestBytes(text)])
  }
  const passed = judge(clean)
  expect(passed.checks).toMatchObject([{ name, outcome: 'clean', consent: 'option' }])
  expect(passed).toMatchObject({ code: 0, status: 'ALLOWED', findings: [] })
  const found = judge(defect)
  expect(found.checks).toMatchObject([{ name, outcome: 'results' }])
  const results = found.findings.filter(({ source }) => source === `check:${name}`)
  const places = results.map(
    ({ severity, ruleId, file, region }) => `${severity} ${ruleId} ${file}:${region?.line}`,
  )
  expect(places).toContain(planted)
  const isBlocked = results.some(({ severity }) => severity === 'ERROR')
  expect(found.status).toBe(isBlocked ? 'BLOCKED' : 'ALLOWED')
}

const TYPE_MODULE = { 'package.json': '{"type":"module"}\n' }

const OWN_TOOLS: readonly CheckedTool[] = [
  {
    name: 'types',
    check: 'run: npx tsc --noEmit --pretty false, reads: tsc',
    config: { 'tsconfig.json': '{"compilerOptions":{"strict":true,"types":[]},"include":["src"]}\n' },
    clean: { 'src/a.ts': 'export const a: number = 1\n' },
    defect: { 'src/a.ts': '\nexport const a: number = "x"\n' },
    planted: 'ERROR types/TS2322 src/a.ts:2',
  },
  {
    name: 'biome',
    check: 'run: npx biome lint --reporter=sarif src, reads: sarif',
    config: { 'biome.json': '{}\n' },
    clean: { 'src/a.js': 'export const run = () => 1\n' },
    defect: { 'src/a.js': 'export const run = (a) => {\n  if (a == 1) return a\n}\n' },
    planted: 'ERROR biome/lint/suspicious/noDoubleEquals src/a.js:2',
  },
  {
    name: 'vitest',
    check: 'run: npx vitest run --reporter=junit --outputFile=$OUT, reads: junit',
    config: TYPE_MODULE,
    clean: { 'a.test.ts': "import { expect, it } from 'vitest'\nit('adds', () => expect(1 + 1).toBe(2))\n" },
    defect: { 'a.test.ts': "import { expect, it } from 'vitest'\nit('adds', () => expect(1 + 1).toBe(3))\n" },
    planted: 'ERROR vitest/test-failure a.test.ts:2',
  },
]

describe('tools of this project', () => {
  it.for(OWN_TOOLS)('$name judges a change', (tool) => expectJudged(tool, resolve('node_modules')))
})

const NPM_TOOLS: readonly CheckedTool[] = [
  {
    name: 'eslint',
    check: 'run: npx eslint . -f json -o $OUT, reads: eslint',
    config: {
      ...TYPE_MODULE,
      'eslint.config.js': "export default [{ rules: { 'no-unused-vars': 'error' } }]\n",
    },
    clean: { 'src/a.js': 'export const a = 1\n' },
    defect: { 'src/a.js': 'export const a = 1\nconst b = 2\n' },
    planted: 'ERROR eslint/no-unused-vars src/a.js:2',
  },
  {
    name: 'jest',
    check:
      "run: 'JEST_JUNIT_OUTPUT_FILE=$OUT npx jest --reporters=default --reporters=jest-junit', reads: junit",
    config: { 'package.json': '{"private":true}\n' },
    clean: { 'a.test.js': "test('adds', () => {\n  expect(1 + 1).toBe(2)\n})\n" },
    defect: { 'a.test.js': "test('adds', () => {\n  expect(1 + 1).toBe(3)\n})\n" },
    planted: 'ERROR jest/test-failure a.test.js:2',
  },
]

await describeTools('tools of the registry', () => {
  it.for(NPM_TOOLS)('$name judges a change', (tool) => expectJudged(tool, toolFile()))
})

interface DebianTool extends CheckedTool {
  /** The Debian package that has it. */
  readonly install: string
}

const PYTHON = {
  clean: {
    'test_a.py': '"""Tests."""\n\n\ndef test_add() -> None:\n    """Adds."""\n    assert sum([1, 1]) == 2\n',
  },
  defect: {
    'test_a.py': 'import os\n\n\ndef test_add() -> int:\n    assert 1 + 1 == 3\n    return "x"\n',
  },
}
const C = {
  clean: { 'a.c': 'int main(void) {\n  return 0;\n}\n' },
  defect: { 'a.c': 'int main(void) {\n  int *p = 0;\n  int u;\n  return *p + u;\n}\n' },
}

const DEBIAN_TOOLS: readonly DebianTool[] = [
  {
    name: 'pytest',
    install: 'python3-pytest',
    check: 'run: /usr/bin/python3 -m pytest -q --junitxml=$OUT, reads: junit',
    ...PYTHON,
    planted: 'ERROR pytest/test-failure test_a.py:5',
  },
  {
    name: 'flake8',
    install: 'flake8',
    check: 'run: /usr/bin/flake8, reads: lines',
    ...PYTHON,
    planted: 'ERROR flake8/F401 test_a.py:1',
  },
  {
    name: 'mypy',
    install: 'mypy',
    check: 'run: /usr/bin/mypy test_a.py, reads: lines',
    ...PYTHON,
    planted: 'ERROR mypy/return-value test_a.py:6',
  },
  {
    name: 'pylint',
    install: 'pylint',
    check: 'run: /usr/bin/pylint test_a.py, reads: lines',
    ...PYTHON,
    planted: 'INFO pylint/C0114 test_a.py:1',
  },
  {
    name: 'shellcheck',
    install: 'shellcheck',
    check: 'run: /usr/bin/shellcheck -f gcc a.sh, reads: lines',
    clean: { 'a.sh': '#!/bin/sh\necho "$1"\n' },
    defect: { 'a.sh': '#!/bin/sh\necho $1\n' },
    planted: 'INFO shellcheck/SC2086 a.sh:2',
  },
  {
    name: 'yamllint',
    install: 'yamllint',
    check: 'run: /usr/bin/yamllint -f parsable a.yml, reads: lines',
    clean: { 'a.yml': '---\na: 1\n' },
    defect: { 'a.yml': '---\na: 1\na:  2\n' },
    planted: 'ERROR yamllint/key-duplicates a.yml:3',
  },
  {
    name: 'cppcheck',
    install: 'cppcheck',
    check: 'run: /usr/bin/cppcheck -q --enable=all --template=gcc a.c 2>&1, reads: lines',
    ...C,
    planted: 'WARN cppcheck/nullPointer a.c:4',
  },
  {
    name: 'gcc',
    install: 'gcc',
    check: 'run: /usr/bin/gcc -Wall -Wextra -c a.c -o /dev/null 2>&1, reads: lines',
    ...C,
    planted: 'WARN gcc/-Wuninitialized a.c:4',
  },
  {
    name: 'flawfinder',
    install: 'flawfinder',
    check: 'run: /usr/bin/flawfinder --sarif . > $OUT, reads: sarif',
    clean: C.clean,
    defect: {
      'a.c': '#include <string.h>\nvoid copy(char *to, const char *from) {\n  strcpy(to, from);\n}\n',
    },
    planted: 'ERROR flawfinder/FF1001 a.c:3',
  },
]

const isInstalled = ({ name }: DebianTool): boolean =>
  name === 'pytest'
    ? spawnSync('/usr/bin/python3', ['-c', 'import pytest']).status === 0
    : existsSync(join('/usr/bin', name))

describe('tools of Debian', () => {
  beforeAll(async () => {
    const missing = DEBIAN_TOOLS.filter((tool) => !isInstalled(tool)).map(({ install }) => install)
    if (mayInstall && missing.length > 0) await installPackages(missing, new AbortController().signal)
  }, 900_000)

  it.for(DEBIAN_TOOLS)('$name judges a change', (tool, { skip }) => {
    if (!isInstalled(tool)) {
      process.stderr.write(`SKIPPED: ${tool.name} is not installed: ${installLine([tool.install])}\n`)
      skip()
    }
    expectJudged(tool)
  })
})
