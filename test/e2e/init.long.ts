import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describePeers, peerFile } from '../peers/peers.ts'
import { Repo } from '../support/repository.ts'
import { SETUP_SHAPES } from '../support/setup-shapes.ts'
import { checkShape, environment, run, takePicture } from '../support/setup-user.ts'

const SHAPE_MS = 120_000

describe('init, a commit, and uninstall leave every byte as it was', () => {
  it.each(SETUP_SHAPES.map((shape) => [shape.name, shape] as const))(
    '%s',
    (_, shape) => checkShape(shape),
    SHAPE_MS,
  )
})

const BAD = 'export const f = (input) => eval(input)\n'
const GOOD = 'export const f = 1\n'

interface Manager {
  readonly repo: Repo
  readonly env: NodeJS.ProcessEnv
  /** Makes the manager generate its hooks. */
  readonly activate: () => void
}

/** The manager is installed after init and once more, and the gate still judges; uninstall leaves nothing behind. */
const checkManager = ({ repo, env, activate }: Manager): void => {
  const commit = (text: string) => {
    // pre-commit refuses to run while its own file is not staged.
    repo.stage({ 'src/a.ts': text }).git('add', '-u')
    const { status, stdout, stderr } = spawnSync('git', ['commit', '-qm', 'x'], {
      cwd: repo.folder,
      env,
      encoding: 'utf8',
    })
    return { status, text: stdout + stderr }
  }
  activate()
  const before = takePicture(repo)
  expect(run(repo, ['init', '--yes', '--clients', 'none'], env).status).toBe(0)
  expect(commit(BAD)).toMatchObject({ text: expect.stringContaining('BLOCKED PRE_COMMIT') })
  activate()
  expect(commit(BAD).status).not.toBe(0)
  expect(commit(GOOD).status).toBe(0)
  const findings = run(repo, ['doctor', '--port', '0'], env).value.findings
  expect(findings.filter(({ check }: { check: string }) => check === 'hooks')).toEqual([])
  expect(run(repo, ['uninstall', '--yes'], env)).toMatchObject({ status: 0, value: { left: [] } })
  activate()
  // Lefthook keeps the digest of its file and the time, and a hook that it once generated.
  const managed = { 'src/a.ts': '', 'info/lefthook.checksum': '', 'hooks/pre-push': '' }
  const after = takePicture(repo)
  expect(after['hooks/pre-push'] ?? '').not.toContain('warrant')
  expect({ ...after, ...managed }).toEqual({ ...before, ...managed })
}

const make = (files: Readonly<Record<string, string>>): Repo =>
  Repo.init('main').commit({ 'src/a.ts': 'export {}\n', ...files })

await describePeers('the real lefthook', () => {
  it(
    'runs the step, also after its next install',
    () => {
      const repo = make({
        'lefthook.yml': '# mine\npre-commit:\n  jobs:\n    - name: a\n      run: "true"\n',
      })
      const folder = dirname(peerFile('.bin/lefthook'))
      const env = environment({ PATH: `${environment().PATH}:${folder}`, LEFTHOOK_VERBOSE: '0' })
      checkManager({
        repo,
        env,
        activate: () => spawnSync('lefthook', ['install'], { cwd: repo.folder, env }),
      })
    },
    SHAPE_MS,
  )
})

const hasPreCommit = spawnSync('pre-commit', ['--version']).status === 0
if (!hasPreCommit) process.stderr.write('SKIPPED: no real pre-commit is on the path\n')

describe.skipIf(!hasPreCommit)('the real pre-commit', () => {
  it(
    'runs the entry, also after its next install',
    () => {
      const config =
        'repos:\n-   repo: local\n    hooks:\n    -   {id: a, name: a, entry: "true", language: system}\n'
      const repo = make({ '.pre-commit-config.yaml': config })
      const env = environment({ PRE_COMMIT_HOME: mkdtempSync(join(tmpdir(), 'warrant-pre-commit-')) })
      checkManager({
        repo,
        env,
        activate: () => spawnSync('pre-commit', ['install'], { cwd: repo.folder, env }),
      })
    },
    SHAPE_MS,
  )
})

const packages = mkdtempSync(join(tmpdir(), 'warrant-husky-'))
const fetched = spawnSync('npm', ['install', '--prefix', packages, '--no-audit', '--no-fund', 'husky@9.1.7'])
if (fetched.status !== 0) process.stderr.write('SKIPPED: husky could not be installed\n')

describe.skipIf(fetched.status !== 0)('the real husky', () => {
  it(
    'runs the lines, also after its next install',
    () => {
      const repo = make({ '.husky/pre-commit': 'true\n' })
      const env = environment()
      const program = join(packages, 'node_modules/husky/bin.js')
      checkManager({
        repo,
        env,
        activate: () => spawnSync(process.execPath, [program], { cwd: repo.folder, env }),
      })
    },
    SHAPE_MS,
  )
})
