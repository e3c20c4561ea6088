import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { BINARY, cleanEnvironment } from './binary.ts'
import { GIT_ENVIRONMENT, Repo } from './repository.ts'
import type { SetupShape } from './setup-shapes.ts'

/** A user whose home has no client, and on whose PATH is `warrant`. */
export const user = new Repo()
mkdirSync(user.path('bin'))
symlinkSync(BINARY, user.path('bin/warrant'))
chmodSync(BINARY, 0o755)
export const environment = (extra: Readonly<Record<string, string>> = {}) =>
  cleanEnvironment({
    ...GIT_ENVIRONMENT,
    HOME: user.folder,
    XDG_STATE_HOME: user.path('state'),
    PATH: `${user.path('bin')}:${process.env.PATH}`,
    ...extra,
  })

export const run = (repo: Repo, args: readonly string[], env = environment(), folder = repo.folder) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BINARY, ...args, '--json'], {
    cwd: folder,
    env,
    encoding: 'utf8',
    input: '',
  })
  return { status, stderr, value: stdout === '' ? undefined : JSON.parse(stdout) }
}

/** Every file of the working tree and the files of git that init may change, as bytes, with modes. */
export const takePicture = (repo: Repo): Readonly<Record<string, string>> => {
  const picture: Record<string, string> = {}
  const common = repo.git('rev-parse', '--path-format=absolute', '--git-common-dir').trim()
  const visit = (folder: string, name: string): void => {
    for (const entry of readdirSync(join(folder, name), { withFileTypes: true })) {
      const path = join(name, entry.name)
      // The state of this clone, with the log of what was done, stays.
      if (['.git', '.warrant'].includes(path)) continue
      if (entry.isDirectory()) {
        picture[`${path}/`] = ''
        visit(folder, path)
      } else {
        const { mode } = lstatSync(join(folder, path))
        picture[path] =
          `${mode.toString(8)} ${entry.isSymbolicLink() ? 'link' : readFileSync(join(folder, path), 'latin1')}`
      }
    }
  }
  visit(repo.folder, '')
  for (const part of ['hooks', 'info']) if (existsSync(join(common, part))) visit(common, part)
  return { ...picture, config: readFileSync(join(common, 'config'), 'utf8') }
}

export const read = (repo: Repo, path: string): string => {
  const [first, ...rest] = path.split('/')
  return readFileSync(first === '.git' ? join(repo.path('.git'), ...rest) : repo.path(path), 'utf8')
}

/** Sets a repository up, commits, and takes it back: every byte is as before. */
export const checkShape = (shape: SetupShape): void => {
  const { name } = shape
  const repo = shape.make()
  const status = repo.git('status', '--porcelain')
  const before = takePicture(repo)
  const folder = name.startsWith('monorepo') ? repo.path('packages/one') : repo.folder
  const init = run(repo, ['init', '--yes', '--clients', shape.clients], environment(), folder)
  expect(init).toMatchObject({ status: 0, stderr: '', value: { written: true } })
  for (const [path, text] of Object.entries(shape.has ?? {})) expect(read(repo, path)).toContain(text)
  const skipped: readonly { path: string; why: string; byHand: string }[] = init.value.skipped
  for (const [path, why] of Object.entries(shape.skips ?? {}))
    expect(skipped).toContainEqual({
      path,
      why: expect.stringContaining(why),
      byHand: expect.stringContaining('warrant'),
    })
  expect(
    skipped.filter(({ path }) => shape.skips?.[path] === undefined && path !== '.husky/pre-push'),
  ).toEqual([])

  const written = takePicture(repo)
  expect(run(repo, ['init', '--yes', '--clients', shape.clients]).value.changes).toEqual([])
  expect(takePicture(repo)).toEqual(written)

  // The evidence and the state are not seen by git; a commit passes the gate.
  expect(repo.git('status', '--porcelain')).not.toMatch(/ai_evidence|lineage/)
  repo.write({ 'src/new.ts': 'export const fresh = 1\n' }).git('add', 'src/new.ts')
  const commit = spawnSync('git', ['commit', '-qm', 'a commit'], { cwd: repo.folder, env: environment() })
  expect(commit.status).toBe(0)

  const uninstall = run(repo, ['uninstall', '--yes'])
  expect(uninstall).toMatchObject({ status: 0, stderr: '', value: { left: [] } })
  const { 'src/new.ts': added, ...after } = takePicture(repo) as Record<string, string>
  expect(added).toContain('fresh')
  if (!Object.keys(before).includes('src/')) delete after['src/']
  expect(after).toEqual(before)
  expect(repo.git('status', '--porcelain')).toBe(status)
}
