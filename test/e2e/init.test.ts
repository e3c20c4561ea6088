import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { describe, expect, it } from 'vitest'
import { BINARY } from '../support/binary.ts'
import { Repo } from '../support/repository.ts'
import { SETUP_SHAPES } from '../support/setup-shapes.ts'
import { checkShape, environment, read, run, takePicture, user } from '../support/setup-user.ts'

describe('init, a commit, and uninstall leave every byte as it was', () => {
  // All of them: init.long.ts.
  it.each(SETUP_SHAPES.filter(({ quick }) => quick).map((shape) => [shape.name, shape] as const))(
    '%s',
    (_, shape) => checkShape(shape),
  )
})

describe('init', () => {
  it('without a terminal and without --yes shows files and changes, writes nothing, and says so', () => {
    const repo = Repo.init().commit({ 'CLAUDE.md': '# x\n', 'a.ts': '' })
    mkdirSync(user.path('state'), { recursive: true })
    const before = takePicture(repo)
    const env = environment({ XDG_STATE_HOME: user.path('unused') })
    const { status, stdout } = spawnSync(process.execPath, [BINARY, 'init'], {
      cwd: repo.folder,
      env,
      encoding: 'utf8',
      input: 'y\n',
    })
    expect(status).toBe(0)
    expect(stdout).toContain('clients     claude (CLAUDE.md)')
    expect(stdout).toContain('languages   typescript 1')
    expect(stdout).toContain('--- /dev/null\n+++ b/.mcp.json\n@@ -0,0 +1,8 @@\n+{\n')
    expect(stdout).toContain('"command": "warrant"')
    expect(stdout).toMatch(/\nagents .*\ncommit .*\npush .*\nCI .*\nreceipts .*\n\nNothing was written/)
    expect(takePicture(repo)).toEqual(before)
    expect([existsSync(repo.path('.warrant')), existsSync(user.path('unused'))]).toEqual([false, false])
  })

  it('shows exactly what it writes: git can apply the diff', () => {
    const files = {
      '.mcp.json': '{\r\n  "mcpServers": {\r\n    "a": {} // last\r\n  }\r\n}',
      '.codex/config.toml': 'a = 1',
      '.gemini/settings.json': '{\n  "a": 1\n}\n',
    }
    const repo = Repo.init().commit(files)
    const other = Repo.init().commit(files)
    const { value } = run(repo, ['init', '--yes', '--clients', 'claude,codex,gemini'])
    const paths: { path: string; diff: string }[] = value.changes.filter(
      ({ path }: { path: string }) => !path.startsWith('.git/'),
    )
    writeFileSync(other.path('.git/patch'), paths.map(({ diff }) => `${diff}\n`).join(''))
    other.git('apply', '.git/patch')
    for (const { path } of paths) expect(read(other, path)).toBe(read(repo, path))
  })

  it('writes files for the clients that are there, or that are named, and for no other', () => {
    const repo = Repo.init().commit({ a: '1' })
    const none = run(repo, ['init', '--dry-run', '--yes']).value
    expect(none.clients).toEqual([])
    expect(none.enforced.agents).toContain('warrant init --clients claude')
    const paths = (value: { changes: { path: string }[] }) =>
      value.changes.map(({ path }) => path).filter((path) => !/^\.git\/|^\.warrant\//.test(path))
    expect(paths(none)).toEqual([])
    const home = new Repo().write({ '.codex/config.toml': '', 'bin/cursor': '#!/bin/sh\n' })
    chmodSync(home.path('bin/cursor'), 0o755)
    const env = environment({ HOME: home.folder, PATH: `${home.path('bin')}:${process.env.PATH}` })
    const own = [
      { client: 'cursor', by: 'the program cursor', shared: false },
      { client: 'codex', by: '~/.codex', shared: false },
    ]
    expect(run(repo, ['init', '--dry-run'], env).value).toMatchObject({ clients: [], offered: own })
    const found = run(repo, ['init', '--yes', '--clients', 'mine'], env).value
    expect(found).toMatchObject({ clients: own, offered: [] })
    // The team gets none of it.
    expect(repo.git('status', '--porcelain', '-uall')).toBe('')
    expect(paths(found)).toEqual([
      '.cursor/mcp.json',
      '.cursor/hooks.json',
      '.codex/config.toml',
      '.codex/hooks.json',
    ])
    // A program of the repository is none of the user.
    repo.write({ 'tools/claude': '#!/bin/sh\n' })
    chmodSync(repo.path('tools/claude'), 0o755)
    expect(
      run(repo, ['init'], environment({ PATH: `${repo.path('tools')}:${process.env.PATH}` })).value.clients,
    ).toEqual([])
    expect(run(repo, ['init', '--clients', 'emacs']).value.error.message).toContain('emacs')
  })

  it('starts the server by a command that no version changes: by name, by npx, or else by path', () => {
    const repo = Repo.init().commit({ 'package.json': '{"devDependencies":{"warrant":"1.0.0"}}' })
    const env = environment({ PATH: process.env.PATH ?? '' })
    const launch = () => run(repo, ['init'], env).value.launch
    expect(launch()).toEqual([process.execPath, BINARY])
    repo.write({ 'node_modules/warrant/package.json': '{}' })
    expect(launch()).toEqual(['npx', '--no-install', 'warrant'])
    expect(run(repo, ['init']).value.launch).toEqual(['warrant'])
    // Another program of that name.
    const other = new Repo().write({ warrant: '#!/bin/sh\n' })
    chmodSync(other.path('warrant'), 0o755)
    const path = `${other.folder}:${process.env.PATH}`
    expect(run(repo, ['init'], environment({ PATH: path })).value.launch[0]).toBe('npx')
  })

  it('creates the workflow for a pinned action alone, and the checks file when asked', () => {
    const repo = Repo.init().commit({
      'package.json': '{"devDependencies":{"typescript":"5"}}',
      'tsconfig.json': '{}',
    })
    expect(run(repo, ['init', '--action', 'a/b@v1']).value.error.message).toContain('full id of a commit')
    const action = `a/b@${'0123456789'.repeat(4)}`
    const { value } = run(repo, ['init', '--yes', '--checks', '--clients', 'none', '--action', action])
    expect(value.enforced.CI).toContain('required check')
    expect(read(repo, '.github/workflows/warrant.yml')).toContain(
      `      - uses: ${action}\n        with:\n          signing-key: `,
    )
    expect(read(repo, '.warrant/checks.yml')).toContain('types:')
    expect(run(repo, ['uninstall', '--yes']).value.removed).toEqual([
      '.github/workflows/warrant.yml',
      '.warrant/checks.yml',
      '.ai_evidence.json',
    ])
    expect([existsSync(repo.path('.github')), repo.git('status', '--porcelain')]).toEqual([false, ''])
  })
})

describe('init --sandbox', () => {
  const settings = {
    '.claude/settings.json':
      '{\n  "permissions": { "deny": ["Read(./.env)"] },\n  "sandbox": { "network": { "allowedDomains": ["a.example"] } }\n}\n',
    '.codex/config.toml': '# mine\nmodel = "m"\n\n[tools]\nweb = true\n',
    '.cursor/cli.json': '{ "permissions": { "allow": ["Shell(ls)"], "deny": [] } }\n',
    'lefthook.yml': 'pre-commit:\n  commands:\n    a:\n      run: echo\n',
  }
  const clients = 'claude,codex,cursor,gemini'
  const init = (repo: Repo, ...more: readonly string[]) =>
    run(repo, ['init', '--yes', '--clients', clients, ...more]).value

  it('writes the settings of each client that has some, says so of the others, and is undone to the byte', () => {
    const repo = Repo.init().commit(settings)
    const before = takePicture(repo)
    const { enforced, changes } = init(repo, '--sandbox')
    expect(enforced.sandbox).toContain('gemini has no setting in a file')
    expect(changes.map(({ path }: { path: string }) => path)).toEqual(
      expect.arrayContaining(Object.keys(settings)),
    )
    const { permissions, sandbox } = JSON.parse(read(repo, '.claude/settings.json'))
    const paths = ['.git/hooks', '.git/config', 'lefthook.yml', '.claude/settings.json', '.warrant/keys.yml']
    expect(permissions.deny).toEqual(
      expect.arrayContaining([
        'Read(./.env)',
        'Edit(/.git/hooks/**)',
        'Edit(/lefthook.yml)',
        'Edit(/.warrant/keys.yml)',
      ]),
    )
    expect(sandbox).toMatchObject({
      network: { allowedDomains: ['a.example'] },
      enabled: true,
      allowUnsandboxedCommands: false,
      filesystem: { denyWrite: expect.arrayContaining(paths.map((path) => `./${path}`)) },
    })
    expect(sandbox.filesystem.denyWrite).not.toContain('./.husky/pre-commit')
    expect(read(repo, '.codex/config.toml')).toMatch(/^sandbox_mode = "workspace-write".*\n# mine\nmodel/)
    expect(JSON.parse(read(repo, '.cursor/cli.json')).permissions.deny).toContain('Write(.git/hooks/**)')
    expect(init(repo, '--sandbox').changes).toEqual([])
    expect(run(repo, ['uninstall', '--yes', '--purge']).status).toBe(0)
    expect(takePicture(repo)).toEqual(before)
  })

  it('is undone where a person changed the file since, and keeps what a person wrote without it', () => {
    const own = '{\n  "sandbox": {\n    "enabled": true,\n    "allowUnsandboxedCommands": false\n  }\n}\n'
    const repo = Repo.init().commit({ '.claude/settings.json': own })
    const plain = Repo.init().commit({ '.claude/settings.json': own })
    init(repo, '--sandbox')
    init(plain)
    for (const one of [repo, plain]) {
      const value = JSON.parse(read(one, '.claude/settings.json'))
      one.write({ '.claude/settings.json': JSON.stringify({ model: 'x', ...value }, null, 2) })
      expect(run(one, ['uninstall', '--yes', '--purge']).status).toBe(0)
    }
    expect(JSON.parse(read(plain, '.claude/settings.json'))).toEqual({ model: 'x', ...JSON.parse(own) })
    expect(read(repo, '.claude/settings.json')).not.toMatch(/\.git|keys\.yml|warrant/)
  })
})

describe('uninstall', () => {
  const claude = ['init', '--yes', '--clients', 'claude'] as const

  it('leaves what was edited, and says which', () => {
    const repo = Repo.init().commit({ a: '1' })
    run(repo, claude)
    const edited = read(repo, '.mcp.json').replace('"mcp"', '"mcp", "--read-only"')
    writeFileSync(repo.path('.mcp.json'), edited)
    const hook = read(repo, '.git/hooks/pre-commit').replace('|| exit $?', '|| true')
    writeFileSync(repo.path('.git/hooks/pre-commit'), hook)
    const { status, value } = run(repo, ['uninstall', '--yes'])
    expect(status).toBe(1)
    expect(value.left.map(({ path }: { path: string }) => path)).toEqual([
      '.mcp.json',
      '.git/hooks/pre-commit',
    ])
    expect([read(repo, '.mcp.json'), read(repo, '.git/hooks/pre-commit')]).toEqual([edited, hook])
    expect(existsSync(repo.path('.claude'))).toBe(false)
  })

  it('takes its entries out of files that others changed since, reformatted or not', () => {
    const repo = Repo.init().commit({ '.mcp.json': '{\n  "mcpServers": {}\n}\n' })
    run(repo, claude)
    // The evidence is no file of the project.
    expect(read(repo, '.ai_evidence.json')).toContain('"snapshot"')
    expect(JSON.stringify(run(repo, ['report']).value)).not.toContain('ai_evidence')
    const servers = JSON.parse(read(repo, '.mcp.json'))
    servers.mcpServers.other = { command: 'x' }
    writeFileSync(repo.path('.mcp.json'), JSON.stringify(servers))
    const settings = read(repo, '.claude/settings.json').replace('{\n', '{\n  "model": "x",\n')
    writeFileSync(repo.path('.claude/settings.json'), settings)
    expect(run(repo, ['uninstall', '--yes']).status).toBe(0)
    expect(read(repo, '.mcp.json')).toBe('{"mcpServers":{"other":{"command":"x"}}}')
    expect(read(repo, '.claude/settings.json')).toBe('{\n  "model": "x"\n}\n')
  })

  it('without its record finds the entries by their shape', () => {
    const repo = Repo.init().commit({ 'lefthook.yml': 'pre-push:\n  commands:\n    a:\n      run: "true"\n' })
    const before = takePicture(repo)
    run(repo, ['init', '--yes', '--clients', 'claude,codex,copilot,gemini'])
    rmSync(user.path('state/warrant/setup'), { recursive: true })
    const { status, value } = run(repo, ['uninstall', '--yes'])
    expect([status, value.left]).toEqual([0, []])
    const { '.ai_evidence.json': _, ...after } = takePicture(repo)
    const names = (picture: Readonly<Record<string, string>>) =>
      Object.fromEntries(Object.entries(picture).filter(([path]) => !path.endsWith('/')))
    expect(names(after)).toEqual(names(before))
  })

  it('keeps what is committed and what is history, and --purge removes the state', () => {
    const repo = Repo.init().commit({ a: '1' })
    const before = takePicture(repo)
    run(repo, claude)
    run(repo, ['receipts', 'require', '--yes'])
    repo.git('add', '.warrant/keys.yml')
    expect(run(repo, ['uninstall', '--yes']).value.stays[0]).toContain('.warrant/keys.yml: committed')
    expect(existsSync(repo.path('.warrant/lineage.db'))).toBe(true)
    repo.git('rm', '-qf', '.warrant/keys.yml')
    expect(run(repo, ['uninstall', '--yes', '--purge']).status).toBe(0)
    expect(existsSync(repo.path('.warrant'))).toBe(false)
    expect(takePicture(repo)).toEqual(before)
  })

  it('removes nothing that a forged record names, and nothing through a link', () => {
    const repo = Repo.init().commit({ a: '1' })
    const outside = new Repo().write({ 'pre-commit': '#!/bin/sh\n' })
    rmSync(user.path('state/warrant/setup'), { recursive: true, force: true })
    run(repo, claude)
    const [record = ''] = readdirSync(user.path('state/warrant/setup'))
    const path = user.path('state/warrant/setup', record)
    const value = JSON.parse(readFileSync(path, 'utf8'))
    value.files.a = [{ created: true, folders: ['..'], after: 'x', steps: [] }]
    value.files['../x'] = value.files['.mcp.json']
    writeFileSync(path, JSON.stringify(value))
    rmSync(repo.path('.git/hooks'), { recursive: true })
    symlinkSync(outside.folder, repo.path('.git/hooks'))
    run(repo, ['uninstall', '--yes'])
    expect([existsSync(repo.path('a')), readFileSync(outside.path('pre-commit'), 'utf8')]).toEqual([
      true,
      '#!/bin/sh\n',
    ])
  })
})

describe('hook managers', () => {
  it('that take the place of our hooks are told by doctor, whose advice helps', () => {
    const active = SETUP_SHAPES.find(({ name }) => name === 'husky, active')?.make()
    const husky = Repo.init().commit({ 'src/a.ts': 'export const a = 1\n' })
    run(husky, ['init', '--yes', '--clients', 'none'])
    // Husky is installed afterwards: git starts its hooks instead.
    cpSync(active?.path('.husky') ?? '', husky.path('.husky'), { recursive: true })
    husky.git('config', 'core.hooksPath', '.husky/_')
    const { findings } = run(husky, ['doctor', '--port', '0']).value
    expect(findings.filter(({ check }: { check: string }) => check === 'hooks')).toMatchObject([
      { severity: 'warning', fix: expect.stringContaining('warrant init') },
    ])
    run(husky, ['init', '--yes', '--clients', 'none'])
    // That doctor is content then: init.long.ts.
    expect(run(husky, ['doctor', '--port', '0']).value.state.hooks).toMatchObject([
      { state: 'managed', manager: 'husky' },
      { state: 'managed', manager: 'husky' },
    ])
    const bad = 'export const f = (input) => eval(input)\n'
    husky.stage({ 'src/bad.ts': bad })
    const commit = spawnSync('git', ['commit', '-qm', 'x'], {
      cwd: husky.folder,
      env: environment(),
      encoding: 'utf8',
    })
    expect([commit.status === 0, commit.stderr]).toEqual([false, expect.stringContaining('BLOCKED')])
  })

  it('are not given a block in a hook that they generate', () => {
    const repo = SETUP_SHAPES.find(({ name }) => name === 'pre-commit, active')?.make()
    if (repo === undefined) throw new Error('no such shape')
    run(repo, ['init', '--yes', '--clients', 'none'])
    expect(run(repo, ['doctor', '--port', '0']).value.state.hooks).toMatchObject([
      { hook: 'pre-commit', state: 'managed', manager: 'pre-commit' },
      { hook: 'pre-push', state: 'managed' },
    ])
  })
})
