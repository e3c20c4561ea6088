import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { CHECKS_FILE } from '../../src/gate/checks/check.ts'
import { parseChecks } from '../../src/gate/checks/parse-checks.ts'
import { BINARY } from '../support/binary.ts'
import { gateEnvironment } from '../support/gate.ts'
import { Repo } from '../support/repository.ts'

it('checks are suggested from what the repository declares, and written only once', async () => {
  const repo = Repo.init().commit({
    'package.json': JSON.stringify({
      scripts: { lint: 'eslint src --max-warnings 0', test: 'vitest', prepare: 'echo ran > ran.log' },
      devDependencies: { eslint: '1', vitest: '1', typescript: '1' },
    }),
    'package-lock.json': '{}',
    'tsconfig.json': '{}',
  })
  const checks = (...args: readonly string[]) =>
    spawnSync(process.execPath, [BINARY, 'checks', ...args], {
      cwd: repo.folder,
      env: gateEnvironment(),
      encoding: 'utf8',
    })
  const unlisted = checks('list')
  expect(unlisted.status).toBe(4)
  expect(unlisted.stderr).toMatch(/^warrant: the repository has no .*: warrant checks suggest --write\n$/)

  const suggested = checks('suggest')
  expect(suggested.status).toBe(0)
  expect(repo.git('status', '--porcelain')).toBe('')
  const file = await parseChecks(suggested.stdout)
  expect(file.checks.map(({ name, run, reads, install }) => [name, run, reads, install])).toEqual([
    ['types', 'npx tsc --noEmit --pretty false', 'tsc', 'npm ci'],
    ['lint', 'npx eslint src --max-warnings 0 -f json -o $OUT', 'eslint', 'npm ci'],
    [
      'tests',
      'npx vitest run --reporter=default --reporter=junit --outputFile.junit=$OUT',
      'junit',
      'npm ci',
    ],
  ])

  expect(checks('suggest', '--write').stdout).toContain('with 3 checks')
  expect(readFileSync(repo.path(CHECKS_FILE), 'utf8')).toBe(suggested.stdout)
  expect(checks('suggest', '--write')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('exists already'),
  })
  expect(repo.git('status', '--porcelain', '-uall')).toBe(`?? ${CHECKS_FILE}\n`)
})
