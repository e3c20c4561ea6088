import { execFileSync, spawnSync } from 'node:child_process'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { BINARY, Program, sweep } from '../support/binary.ts'
import { BACKEND, gate, gateEnvironment, gateJson, LOG, places, useSeedProfile } from '../support/gate.ts'
import { writeScript } from '../support/openspec.ts'
import { Repo } from '../support/repository.ts'

useSeedProfile()

/** Files and settings of git that make it say something else than what is in the repository. */

afterAll(sweep)

const CLEAN = 'export const a = 1\n'
const SECRET = 'const OTHER_PROJECT = 1; console.log(OTHER_PROJECT)\n'
const backend = () => Repo.init().commit({ 'package.json': BACKEND, 'src/ok.ts': CLEAN })
const IN_A = 'backend.no-console-log src/a.ts:1'

/** A repository of the user that has nothing to do with the one under attack. */
const otherRepository = () =>
  Repo.init().commit({ 'package.json': BACKEND, 'a.ts': CLEAN }).stage({ 'private.ts': SECRET })

const callTool = async (cwd: string, name: string, args: readonly string[] = []) => {
  const program = new Program(['mcp', ...args], { cwd })
  const params = { name, arguments: { stage: 'PRE_COMMIT' } }
  program.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
  const [answer] = await program.answers(1)
  await program.finish()
  return JSON.stringify(answer)
}

describe('objects', () => {
  it('git replace does not put a clean blob in the place of the staged one', () => {
    const repo = backend().stage({ 'src/a.ts': LOG })
    const [evil, clean] = ['src/a.ts', 'src/ok.ts'].map((path) => repo.git('hash-object', path).trim())
    repo.git('replace', evil ?? '', clean ?? '')
    expect(places(gateJson(repo, ['--stage', 'PRE_COMMIT']))).toEqual([IN_A])
  })

  it('an object with other content under the id of the staged file is not read', () => {
    const repo = backend().stage({ 'src/a.ts': LOG })
    const [evil, clean] = ['src/a.ts', 'src/ok.ts'].map((path) => {
      const oid = repo.git('hash-object', path).trim()
      return repo.path('.git/objects', oid.slice(0, 2), oid.slice(2))
    })
    rmSync(evil ?? '')
    copyFileSync(clean ?? '', evil ?? '')
    expect(gateJson(repo, ['--stage', 'PRE_COMMIT'])).toMatchObject({
      code: 1,
      findings: [{ ruleId: 'gate.file-unread', file: 'src/a.ts' }],
    })
  })

  it('a graft does not move the merge base of a range', () => {
    const repo = backend().commit({ 'src/a.ts': LOG })
    const [head, base] = ['HEAD', 'HEAD~1'].map((name) => repo.git('rev-parse', name).trim())
    writeFileSync(repo.path('.git/info/grafts'), `${base} ${head}\n${head}\n`)
    expect(places(gateJson(repo, ['--stage', 'CI', '--range', `${base}..${head}`]))).toEqual([IN_A])
  })
})

describe('the index and the work tree', () => {
  it('an index of the attacker in the git folder is not the index of a hook', () => {
    const repo = backend()
    copyFileSync(repo.path('.git/index'), repo.path('.git/clean'))
    repo.stage({ 'src/a.ts': LOG })
    const env = { GIT_INDEX_FILE: '.git/clean' }
    expect(places(gateJson(repo, ['--stage', 'PRE_COMMIT'], { env }))).toEqual([IN_A])
  })

  it('core.worktree does not lead the gate to another folder', () => {
    const repo = backend().write({ 'src/a.ts': LOG })
    repo.git('config', 'core.worktree', new Repo().folder)
    expect(gateJson(repo, ['--stage', 'PRE_WRITE'])).toMatchObject({
      code: 3,
      error: { code: 'git.foreign_worktree' },
    })
  })

  it('assume-unchanged and skip-worktree hide no changed file, and files outside a sparse checkout are fine', () => {
    const repo = backend().commit({
      'src/a.ts': CLEAN,
      'src/b.ts': CLEAN,
      'src/c.ts': CLEAN,
      'docs/d.ts': LOG,
    })
    repo.git('update-index', '--assume-unchanged', 'src/a.ts', 'src/c.ts')
    repo.git('update-index', '--skip-worktree', 'src/b.ts', 'docs/d.ts')
    repo.write({ 'src/a.ts': LOG, 'src/b.ts': LOG })
    rmSync(repo.path('docs'), { recursive: true })
    const report = gateJson(repo, ['--stage', 'PRE_WRITE'])
    expect(places(report)).toEqual([IN_A, 'backend.no-console-log src/b.ts:1'])
    expect(report.files.changed).toBe(2)
  })

  it('info/exclude and core.excludesFile of the repository hide no new file', () => {
    const repo = backend().write({
      'src/a.ts': LOG,
      'src/b.ts': LOG,
      '.gitignore': 'c.ts\n',
      'src/c.ts': LOG,
    })
    writeFileSync(repo.path('.git/info/exclude'), 'a.ts\n')
    writeFileSync(repo.path('.git/own'), 'b.ts\n')
    repo.git('config', 'core.excludesFile', repo.path('.git/own'))
    const hidden = [IN_A, 'backend.no-console-log src/b.ts:1']
    expect(places(gateJson(repo, ['--stage', 'PRE_WRITE']))).toEqual(hidden)
    expect(places(gateJson(repo, ['--all']))).toEqual(hidden)
  })
})

describe('a git folder that belongs to another repository', () => {
  const victims = {
    'a .git file that names it': (root: string, other: Repo) =>
      writeFileSync(join(root, '.git'), `gitdir: ${other.path('.git')}\n`),
    'a .git link to it': (root: string, other: Repo) => symlinkSync(other.path('.git'), join(root, '.git')),
    'a commondir that names it': (root: string, other: Repo) => {
      mkdirSync(join(root, '.git'))
      for (const name of ['HEAD', 'index']) copyFileSync(other.path('.git', name), join(root, '.git', name))
      writeFileSync(join(root, '.git/commondir'), `${other.path('.git')}\n`)
    },
    'alternates in it': (root: string, other: Repo) => {
      cpSync(other.path('.git'), join(root, '.git'), { recursive: true })
      rmSync(join(root, '.git/objects'), { recursive: true })
      mkdirSync(join(root, '.git/objects/info'), { recursive: true })
      writeFileSync(join(root, '.git/objects/info/alternates'), `${other.path('.git/objects')}\n`)
    },
    'links to its objects': (root: string, other: Repo) => {
      cpSync(other.path('.git'), join(root, '.git'), { recursive: true })
      rmSync(join(root, '.git/objects'), { recursive: true })
      symlinkSync(other.path('.git/objects'), join(root, '.git/objects'))
    },
  }

  it.each(Object.entries(victims))('is not read through %s', (_, plant) => {
    const other = otherRepository()
    const root = new Repo()
    plant(root.folder, other)
    const { status, stdout, stderr } = gate(root, ['--stage', 'PRE_COMMIT'])
    expect(stdout + stderr).not.toContain('OTHER_PROJECT')
    expect(stderr).toContain('outside')
    expect(status).toBe(3)
  })

  it('is read by no tool, and gets no hooks and no settings from install', async () => {
    const other = otherRepository()
    const root = new Repo()
    writeFileSync(root.path('.git'), `gitdir: ${other.path('.git')}\n`)
    const before = [readdirSync(other.path('.git/hooks')), readFileSync(other.path('.git/config'), 'utf8')]
    const words = [BINARY, 'init', '--yes', '--clients', 'none']
    const run = spawnSync(process.execPath, words, { cwd: root.folder, env: gateEnvironment() })
    expect(run.status).toBe(3)
    expect([readdirSync(other.path('.git/hooks')), readFileSync(other.path('.git/config'), 'utf8')]).toEqual(
      before,
    )
    const answer = await callTool(root.folder, 'gate_run')
    expect(answer).toContain('git.foreign_folder')
    expect(answer).not.toContain('private.ts')
  })

  it.each(['config', 'info'])('is not written through a link in the place of .git/%s', (name) => {
    const repo = backend()
    const outside = new Repo()
    renameSync(repo.path('.git', name), outside.path('kept'))
    symlinkSync(outside.path('kept'), repo.path('.git', name))
    const content = () =>
      name === 'config'
        ? readFileSync(outside.path('kept'), 'utf8')
        : readdirSync(outside.path('kept')).map((one) => readFileSync(outside.path('kept', one), 'utf8'))
    const before = content()
    expect(
      spawnSync(process.execPath, [BINARY, 'init', '--yes', '--clients', 'none'], {
        cwd: repo.folder,
        env: gateEnvironment(),
      }).status,
    ).toBe(3)
    expect(content()).toEqual(before)
  })
})

describe('the root', () => {
  it('that the operator names is not left for a repository further up', async () => {
    const repo = backend().stage({ 'private.ts': SECRET })
    repo.write({ 'sub/inner/a.txt': '' })
    const answer = await callTool('/', 'gate_run', ['--root', repo.path('sub/inner')])
    expect(answer).not.toContain('private.ts')
    expect(answer).toContain('git.above_root')
    expect(existsSync(repo.path('.ai_evidence.json'))).toBe(false)
    // From a folder of the repository the gate still finds its top.
    expect(gate(repo, ['--stage', 'PRE_COMMIT'], { cwd: repo.path('sub/inner') }).status).toBe(1)
  })
})

describe('programs', () => {
  it('a git in node_modules/.bin, or elsewhere in the repository, is not started', () => {
    const repo = backend()
    const marks = ['node_modules/.bin', 'tools'].map((folder) => {
      writeScript(repo.path(folder, 'git'), `touch '${repo.path('.git/sprung')}'; exit 1`)
      return repo.path(folder)
    })
    const linked = join(new Repo().folder, 'link')
    symlinkSync(repo.path('tools'), linked)
    const PATH = [...marks, linked, process.env.PATH].join(delimiter)
    expect(gate(repo, ['--stage', 'PRE_COMMIT'], { env: { PATH } }).status).toBe(0)
    spawnSync(process.execPath, [BINARY, 'doctor'], { cwd: repo.folder, env: gateEnvironment({ PATH }) })
    expect(existsSync(repo.path('.git/sprung'))).toBe(false)
  })

  it('git-lfs of the user, which runs what the repository configures, is not started', () => {
    const home = new Repo()
    const sprung = home.path('sprung')
    execFileSync('git', [
      'config',
      '--file',
      home.path('config'),
      'filter.lfs.process',
      `touch '${sprung}'; cat`,
    ])
    execFileSync('git', [
      'config',
      '--file',
      home.path('config'),
      'filter.lfs.clean',
      `touch '${sprung}'; cat`,
    ])
    const repo = backend().commit({ '.gitattributes': '*.ts filter=lfs\n', 'src/a.ts': CLEAN })
    repo.write({ 'src/a.ts': CLEAN.toUpperCase() })
    utimesSync(repo.path('src/a.ts'), 1, 1)
    gate(repo, ['--stage', 'PRE_WRITE'], { env: { GIT_CONFIG_GLOBAL: home.path('config') } })
    expect(existsSync(sprung)).toBe(false)
  })
})
