import { cpSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { BACKEND, gateJson, LOG } from './gate.ts'
import { Repo } from './repository.ts'

/** Judges a repository of so many source files whole, and then one staged file alone. Ten files have a finding. */
export const expectAllJudged = (count: number): void => {
  const files: Record<string, string> = { 'package.json': BACKEND }
  for (let at = 0; at < count; at += 1)
    files[`src/${at % 100}/file-${at}.ts`] = at % (count / 10) === 0 ? LOG : `export const a${at} = ${at}\n`
  const repo = Repo.init().write(files)
  repo.git('add', '-A')
  repo.git('commit', '-qm', 'many')
  const whole = gateJson(repo, ['--all', '--stage', 'PRE_COMMIT'])
  expect(whole).toMatchObject({ code: 1, files: { changed: count + 1, scanned: count + 1 } })
  expect(whole.findings.filter(({ ruleId }) => ruleId === 'backend.no-console-log')).toHaveLength(10)
  repo.stage({ 'src/1/file-1.ts': LOG })
  expect(gateJson(repo)).toMatchObject({ code: 1, files: { changed: 1, scanned: 1 } })
}

const PACKAGE = new URL('../../node_modules/zod/src/', import.meta.url)

/** Judges folders of the sources of a public package: no file is given up. */
export const expectPackageJudged = (...folders: readonly string[]): void => {
  const repo = Repo.init().write({ 'package.json': BACKEND })
  for (const folder of folders)
    cpSync(fileURLToPath(new URL(folder, PACKAGE)), repo.path('src', folder), { recursive: true })
  repo.git('add', '-A')
  const report = gateJson(repo, ['--all', '--stage', 'CI'])
  const troubles = report.findings.filter(({ ruleId }) => ruleId.startsWith('gate.'))
  expect(report.files.scanned).toBeGreaterThan(100)
  expect(troubles).toEqual([])
}
