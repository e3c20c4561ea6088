import { readdirSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { expect, it } from 'vitest'
import { rememberAllowed } from '../../src/app/open/checks/allowed.ts'
import { CHECKS_FILE } from '../../src/gate/checks/check.ts'
import { gateJson } from '../support/gate.ts'
import { Repo } from '../support/repository.ts'

const STAGES = 'stages: [PRE_COMMIT]'

const judge = async (checks: string, files: Readonly<Record<string, string>>) => {
  const repo = Repo.init().commit({ [CHECKS_FILE]: checks, '.gitignore': 'node_modules\n' })
  symlinkSync(new URL('../../node_modules', import.meta.url).pathname, repo.path('node_modules'))
  await rememberAllowed(repo.folder, checks)
  return gateJson(repo.stage(files))
}

it('a check that writes a gigabyte fills neither memory nor disk', async () => {
  const folders = () => readdirSync(tmpdir()).filter((name) => name.startsWith('warrant-check-'))
  const before = folders()
  const checks = `checks:
  pipe: { run: head -c 1000000000 /dev/zero, reads: lines, ${STAGES} }
  errors: { run: 'head -c 1000000000 /dev/zero >&2', reads: exit, ${STAGES} }
  file: { run: 'head -c 1000000000 /dev/zero > $OUT; sleep 60', reads: sarif, ${STAGES} }
`
  const { checks: rows } = await judge(checks, { 'a.txt': 'a\n' })
  expect(rows?.map(({ name, outcome }) => [name, outcome])).toEqual([
    ['pipe', 'unreadable'],
    ['errors', 'clean'],
    ['file', 'unreadable'],
  ])
  expect(folders()).toEqual(before)
}, 300_000)

it('the type checker, linter and tests of this repository are read', async () => {
  const checks = `checks:
  types: { run: npx tsc --noEmit --pretty false, reads: tsc, ${STAGES} }
  lint: { run: npx biome lint --reporter=junit src, reads: junit, ${STAGES} }
  tests: { run: npx vitest run --reporter=junit --outputFile=$OUT, reads: junit, ${STAGES} }
`
  const report = await judge(checks, {
    'tsconfig.json': '{"compilerOptions":{"strict":true,"skipLibCheck":true,"types":[]},"include":["src"]}',
    'package.json': '{"type":"module"}',
    'src/a.ts': 'export const a: number = "x"\ndebugger\n',
    'test/a.test.ts': "import { expect, it } from 'vitest'\nit('adds', () => expect(1 + 1).toBe(3))\n",
  })
  const found = report.findings.map(({ source, file, region }) => `${source} ${file}:${region?.line}`)
  expect(found).toEqual(
    expect.arrayContaining([
      'check:types src/a.ts:1',
      expect.stringMatching(/^check:lint src\/a\.ts/),
      expect.stringMatching(/^check:tests test\/a\.test\.ts/),
    ]),
  )
}, 120_000)
