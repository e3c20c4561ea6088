import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { BACKEND, gateEnvironment, LOG, useSeedProfile } from './support/gate.ts'
import { GIT_ENVIRONMENT, Repo } from './support/repository.ts'

useSeedProfile()

const here = fileURLToPath(new URL('..', import.meta.url))
const [, major = 0, minor = 0] =
  /(\d+)\.(\d+)/
    .exec(spawnSync('pre-commit', ['--version'], { encoding: 'utf8' }).stdout ?? '')
    ?.map(Number) ?? []
// Older versions do not know the names of the stages in `.pre-commit-hooks.yaml`.
const present = major > 3 || (major === 3 && minor >= 2)
if (!present) process.stderr.write('SKIPPED: no real pre-commit of version 3.2 or newer is on the path\n')

const config = (rev: string) => `repos:\n- repo: ${here}\n  rev: ${rev}\n  hooks: [{ id: warrant-gate }]\n`

describe.skipIf(!present)('the real pre-commit', () => {
  it('builds the package from its repository, and stops the commits that the gate blocks', () => {
    const rev = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: here, encoding: 'utf8' }).trim()
    const repo = Repo.init().stage({ 'package.json': BACKEND, '.pre-commit-config.yaml': config(rev) })
    const env = {
      ...gateEnvironment({ PRE_COMMIT_HOME: mkdtempSync(join(tmpdir(), 'warrant-pre-commit-')) }),
      ...GIT_ENVIRONMENT,
    }
    const run = () =>
      spawnSync('pre-commit', ['run', '--verbose'], { cwd: repo.folder, env, encoding: 'utf8' })
    expect(run()).toMatchObject({ status: 0, stdout: expect.stringContaining('ALLOWED PRE_COMMIT') })
    repo.stage({ 'src/a.ts': LOG })
    expect(run()).toMatchObject({ status: 1, stdout: expect.stringContaining('BLOCKED PRE_COMMIT') })
  }, 600_000)
})
