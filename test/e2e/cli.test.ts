import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { BINARY, cleanEnvironment, eventually, Program } from '../support/binary.ts'
import { someRows } from '../support/case-count.ts'

const folder = () => mkdtempSync(join(tmpdir(), 'warrant-cli-'))

const warrant = (args: readonly string[], options: { cwd?: string; env?: Record<string, string> } = {}) => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [BINARY, ...args], {
    cwd: options.cwd ?? tmpdir(),
    env: cleanEnvironment(options.env),
    encoding: 'utf8',
    input: '',
  })
  return { status, stdout, stderr }
}

const lines = (text: string) => text.split('\n').filter((line) => line !== '')
const version = JSON.parse(readFileSync('package.json', 'utf8')).version as string

describe('the command line', () => {
  it('does not call an answer a success that could not be written', () => {
    const run = (target: string) =>
      spawnSync('sh', ['-c', `'${process.execPath}' '${BINARY}' config tools ${target}`], {
        env: cleanEnvironment(),
        encoding: 'utf8',
      })
    expect(run('> /dev/full')).toMatchObject({
      status: 8,
      stderr: 'warrant: cannot write the result to stdout (ENOSPC)\n',
    })
    // Who has read enough is another matter.
    expect(run('| head -1')).toMatchObject({ status: 0, stderr: '' })
  })

  it('says its version and explains itself', () => {
    expect(warrant(['--version'])).toEqual({ status: 0, stdout: `${version}\n`, stderr: '' })
    expect(JSON.parse(warrant(['--version', '--json']).stdout)).toEqual({ version })
    for (const args of [[], ['--help'], ['help']]) {
      const { status, stdout } = warrant(args)
      expect(status).toBe(0)
      expect(stdout).toMatch(/Usage: warrant <command>/)
    }
  })

  // All of them: the long run.
  const explained = ['mcp', 'serve', 'doctor', 'uninstall', 'sdd', 'config']
  it.each(someRows(explained, 6))('explains %s', (command) => {
    const { status, stdout } = warrant([command, '--help'])
    expect(status).toBe(0)
    expect(stdout).toContain(`Usage: warrant ${command}`)
    expect(stdout).toContain('--json')
  })

  const refused: readonly (readonly [readonly string[], string])[] = [
    [['bogus'], 'usage.command'],
    [['config', 'tools', '--bogus'], 'usage.option'],
    [['config', 'tools', '--port'], 'usage.option'],
    [['config', 'tools', 'extra'], 'usage.argument'],
    [['config', 'client', 'emacs'], 'usage.argument'],
    [['config', 'client', 'cursor', '--server', 'lineage-verify'], 'usage.argument'],
    [['config', 'completion'], 'usage.argument'],
    [['config', 'completion', 'bash', 'extra'], 'usage.argument'],
    [['config', 'client', 'cursor', 'extra'], 'usage.argument'],
    [['sdd', 'status', 'extra'], 'usage.argument'],
    [['config', 'tools', '--port', 'x'], 'config.value'],
    [['config', 'tools', '--port', '70000'], 'config.value'],
    [['config', 'tools', '--dialect', 'klingon'], 'config.value'],
    [['log', 'graph', 'ls', '--store', 'redis://here'], 'config.value'],
    [['config', 'tools', '--toolsets', 'bogus'], 'catalog.toolset_unknown'],
    [['mcp', '--tools', 'bogus'], 'catalog.tool_unknown'],
    [['config', 'tools', '--config', 'absent.json'], 'config.file'],
  ]
  it.each(someRows(refused, 3))(
    'refuses %j with one line, or one JSON document, and exit code 2',
    (args, code) => {
      const plain = warrant(args)
      expect(plain.status).toBe(2)
      expect(plain.stdout).toBe('')
      expect(lines(plain.stderr)).toHaveLength(1)
      expect(plain.stderr).toMatch(/^warrant: (?!warrant)/)
      const json = warrant([...args, '--json'])
      expect(json.status).toBe(2)
      expect(JSON.parse(json.stdout)).toMatchObject({ error: { kind: 'invalid', code } })
      expect(json.stderr).toBe('')
    },
  )

  it('lists the tools with what they cost', () => {
    const { tools, bytes, tokens } = JSON.parse(warrant(['config', 'tools', '--json']).stdout)
    expect(tools.map(({ name }: { name: string }) => name)).toContain('warrant_help')
    expect(bytes).toBeGreaterThan(tokens)
    expect(warrant(['config', 'tools']).stdout).toMatch(/warrant_help +core +read +\d+ +\d+/)
    expect(
      JSON.parse(
        warrant([
          'config',
          'tools',
          '--json',
          '--toolsets',
          'core',
          '--exclude-tools',
          'warrant.status,warrant_help',
        ]).stdout,
      ).tools,
    ).toEqual([])
  })

  it('is in good health here', () => {
    const { status, stdout } = warrant(['doctor', '--json', '--port', '0'], { cwd: folder() })
    const { ok, findings } = JSON.parse(stdout)
    expect(findings.filter((finding: { ok: boolean }) => !finding.ok)).toEqual([])
    expect({ status, ok }).toEqual({ status: 0, ok: true })
    expect(findings.map(({ check }: { check: string }) => check)).toEqual([
      'Node.js',
      'root',
      'state folder',
      'decision log',
      'signing key',
      'receipts',
      'port',
      'git',
      'policy',
      'handshake, 2025 era',
      'handshake, 2026 era',
    ])
  })

  it('finds a folder that is not there, and says what to do', () => {
    const { status, stdout } = warrant(['doctor', '--port', '0', '--root', join(folder(), 'absent')])
    expect(status).toBe(1)
    expect(stdout).toMatch(/FAIL {2}root/)
    expect(stdout).toMatch(/root: Set --root to a folder/)
  })

  it('serves no folder that is not there, and does not make it', () => {
    const root = join(folder(), 'absent')
    const other = (name: string) => join(dirname(BINARY), `${name}.js`)
    for (const [program, ...words] of [
      [BINARY, 'mcp'],
      [BINARY, 'serve', '--port', '0'],
      [BINARY, 'packet', 'serve'],
      [other('scg-mcp-server')],
      [other('cpm-mcp')],
      [other('pumuki-mcp-evidence'), '--port', '0'],
      [other('pumuki-mcp-enterprise'), '--port', '0'],
    ]) {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [program as string, ...words, '--root', root],
        { env: cleanEnvironment(), encoding: 'utf8', input: '', timeout: 20_000 },
      )
      expect({ words: [program, ...words], status, stdout }).toEqual({
        words: [program, ...words],
        status: 8,
        stdout: '',
      })
      expect(stderr).toMatch(/: the root is not an existing folder.*Name an existing folder with --root\.\n$/)
    }
    expect(existsSync(root)).toBe(false)
  })

  it('knows that the server on its port is one of its own', async () => {
    const server = spawn(process.execPath, [BINARY, 'serve', '--port', '0', '--json'], {
      cwd: folder(),
      env: cleanEnvironment(),
    })
    try {
      const [line] = (await once(server.stdout, 'data')) as [Buffer]
      const { port } = new URL(JSON.parse(line.toString()).url)
      const { status, stdout } = warrant(['doctor', '--port', port], { cwd: folder() })
      expect(stdout).toMatch(/warn +port +127\.0\.0\.1:\d+: a Warrant server is already listening/)
      expect(status).toBe(0)
    } finally {
      server.kill()
    }
  })

  it('lists the options of a command, then the settings that it uses, and all of them on request', () => {
    const { stdout } = warrant(['gate', '--help'])
    expect(stdout).toMatch(/\nOptions:\n[\s\S]*--stage STAGE[\s\S]*\n\nSettings, [\s\S]*--policy-from TEXT/)
    expect(stdout.slice(0, stdout.indexOf('Settings, '))).not.toContain('--policy-from')
    expect(stdout).not.toMatch(/--registry|--embedding-url|--graph |--limits/)
    expect(stdout).toMatch(
      /\n\nEvery command takes all \d+ settings: warrant gate --help-all lists them\.\n$/,
    )
    const all = warrant(['gate', '--help-all']).stdout
    expect(all).toMatch(/\nOptions:\n[\s\S]*--stage STAGE[\s\S]*\n\nSettings, [\s\S]*--registry TEXT/)
    expect(all.slice(0, all.indexOf('Settings, '))).not.toContain('--registry')
    // A setting that the help does not list is accepted all the same.
    expect(warrant(['config', 'tools', '--registry', 'r.example/x']).status).toBe(0)
    expect(warrant(['packet', 'pull', '--help-all']).stdout).toMatch(
      /warrant packet pull [\s\S]*--policy-from/,
    )
  })

  it('groups its commands, those to start with first', () => {
    const { stdout } = warrant(['--help'])
    const titles = [...stdout.matchAll(/^([A-Z][\w ]+):$/gm)].map(([, title]) => title)
    expect(titles).toEqual(['Start here', 'Servers', 'Evidence and receipts', 'Project', 'Packets', 'Other'])
    expect(stdout.slice(0, stdout.indexOf('Servers:'))).toMatch(/^ {2}gate +Judge/m)
    expect(stdout.match(/^ {2}uninstall /gm)).toHaveLength(1)
  })

  it('says that Node.js is too old before anything fails for it', async () => {
    const pretend = join(folder(), 'pretend.cjs')
    writeFileSync(
      pretend,
      "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '18.20.8' } })",
    )
    for (const [program, ...words] of [
      [BINARY, 'doctor'],
      [BINARY, 'mcp'],
      [join(dirname(BINARY), 'cpm-mcp.js')],
    ]) {
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        ['--require', pretend, program as string, ...words],
        { env: cleanEnvironment(), encoding: 'utf8', input: '' },
      )
      expect({ status, stdout }).toEqual({ status: 8, stdout: '' })
      expect(stderr).toMatch(/: Node\.js 18\.20\.8 is too old\. Install Node\.js 20\.19 or newer\.\n$/)
    }
  })

  it('names the program that refuses an option', () => {
    const { stderr } = spawnSync(process.execPath, [join(dirname(BINARY), 'scg-mcp-server.js'), '--bogus'], {
      env: cleanEnvironment(),
      encoding: 'utf8',
      input: '',
    })
    expect(stderr).toMatch(/^scg-mcp-server: Unknown option '--bogus'\. /)
  })
})

describe('settings', () => {
  const shown = (args: readonly string[], options: Parameters<typeof warrant>[1]) => {
    const { settings } = JSON.parse(warrant(['config', '--json', ...args], options).stdout)
    return (key: string) => {
      const { value, source } = settings.find((one: { key: string }) => one.key === key)
      return [value, source]
    }
  }

  it('take the flag before the variable before the file before the default', () => {
    const cwd = folder()
    writeFileSync(
      join(cwd, 'warrant.json'),
      JSON.stringify({ port: 1, host: 'localhost', limits: { callMs: 2 }, allowedRegistries: ['a', 'b'] }),
    )
    const env = { WARRANT_PORT: '3', WARRANT_LIMITS_CALL_MS: '4', WARRANT_READ_ONLY: 'true' }
    const setting = shown(['--port', '5', '--exclude-tools', 'x, y,'], { cwd, env })
    expect(setting('port')).toEqual([5, 'flag'])
    expect(setting('limits.callMs')).toEqual([4, 'environment'])
    expect(setting('readOnly')).toEqual([true, 'environment'])
    expect(setting('host')).toEqual(['localhost', 'file'])
    expect(setting('allowedRegistries')).toEqual([['a', 'b'], 'file'])
    expect(setting('excludeTools')).toEqual([['x', 'y'], 'flag'])
    expect(setting('limits.drainMs')).toEqual([10_000, 'default'])
  })

  it('come from the file that is named', () => {
    const cwd = folder()
    writeFileSync(join(cwd, 'other.json'), '{"port": 9}')
    expect(shown([], { cwd, env: { WARRANT_CONFIG: 'other.json' } })('port')).toEqual([9, 'file'])
    expect(shown(['--config', 'other.json'], { cwd })('port')).toEqual([9, 'file'])
  })

  it('never show a secret', () => {
    const secret = 'correct-horse-battery'
    for (const args of [
      ['config'],
      ['config', '--json'],
      ['config', 'client', 'vscode', '--token', secret],
    ]) {
      const { stdout, stderr, status } = warrant(args, { env: { WARRANT_TOKEN: secret } })
      expect(status).toBe(0)
      expect(stdout + stderr).not.toContain(secret)
    }
    expect(warrant(['config'], { env: { WARRANT_TOKEN: secret } }).stdout).toMatch(
      /token +"\*+" +environment/,
    )
  })

  const unusable: readonly (readonly [string, string, RegExp])[] = [
    ['an unknown key', '{"prot": 1}', /prot in warrant.json/],
    ['an unknown nested key', '{"limits": {"callMS": 1}}', /limits.callMS in warrant.json/],
    ['a wrong type', '{"readOnly": "yes"}', /readOnly in warrant.json: expected true or false/],
    ['a list of numbers', '{"tools": [1]}', /tools in warrant.json/],
    ['no object', '[]', /not a JSON object/],
    ['no JSON', '{', /not JSON/],
    ['a limit that is no object', '{"limits": 3}', /limits in warrant.json/],
  ]
  it.each(someRows(unusable, 3))('refuse a file with %s', (_, text, words) => {
    const cwd = folder()
    writeFileSync(join(cwd, 'warrant.json'), text)
    const { status, stderr } = warrant(['config'], { cwd })
    expect(status).toBe(2)
    expect(stderr).toMatch(words)
    expect(lines(stderr)).toHaveLength(1)
  })

  it('refuse a variable that looks like a setting and is none', () => {
    const { status, stderr } = warrant(['config'], { env: { WARRANT_READONLY: '1' } })
    expect(status).toBe(2)
    expect(stderr).toContain('WARRANT_READONLY is not a setting')
  })
})

describe('client configuration', () => {
  const clients = [
    ['claude-desktop', 'mcpServers'],
    ['cursor', 'mcpServers'],
    ['gemini', 'mcpServers'],
    ['windsurf', 'mcpServers'],
    ['intellij', 'mcpServers'],
    ['vscode', 'servers'],
  ] as const
  it.each(someRows(clients, 5))(
    'for %s is JSON that starts this very program, also on Windows',
    (client, member) => {
      const { text, windows, file } = JSON.parse(
        warrant(['config', 'client', client, '--json', '--read-only']).stdout,
      )
      const { command, args } = JSON.parse(text)[member].warrant
      expect([command, ...args]).toEqual(['node', BINARY, 'mcp', '--read-only'])
      expect(JSON.parse(windows)[member].warrant).toMatchObject({
        command: 'cmd',
        args: ['/c', command, ...args],
      })
      expect(file).toMatch(/json$/i)
      const reply = execFileSync(command, args, {
        input: '{"jsonrpc":"2.0","id":1,"method":"ping"}\n',
        encoding: 'utf8',
      })
      expect(JSON.parse(reply)).toEqual({ result: {}, jsonrpc: '2.0', id: 1 })
    },
  )

  it('of serve names the settings that serve was started with, and none of HTTP alone', async () => {
    const cwd = realpathSync(folder())
    const program = new Program(
      [
        'serve',
        '--port',
        '0',
        '--root',
        '.',
        '--read-only',
        '--toolsets',
        'core,project',
        '--limits-call-ms',
        '9000',
      ],
      { cwd },
    )
    await eventually('the stdio line', () => program.lines.some((one) => one.includes('mcp add warrant --')))
    const line = program.lines.find((one) => one.includes('claude mcp add warrant --'))
    expect(line?.trim()).toBe(
      `claude mcp add warrant -- node ${BINARY} mcp --root ${cwd} --toolsets core,project --read-only --limits-call-ms 9000`,
    )
    program.child.kill()
    await program.ended()
  })

  it('says for gemini that the folder must be trusted', () => {
    expect(warrant(['config', 'client', 'gemini']).stderr).toContain('only in a trusted folder')
    expect(JSON.parse(warrant(['config', 'client', 'gemini', '--json']).stdout).note).toContain(
      'trusted folder',
    )
    expect(warrant(['config', 'client', 'cursor']).stderr).not.toContain('trusted')
  })

  it('asks for --root when the configuration of a client belongs to no project', () => {
    const hint = /add --root FOLDER/
    expect(warrant(['config', 'client', 'claude-desktop']).stderr).toMatch(hint)
    expect(warrant(['config', 'client', 'claude-desktop', '--root', '.']).stderr).not.toMatch(hint)
    expect(warrant(['config', 'client', 'vscode']).stderr).not.toMatch(hint)
  })

  const placed = [
    ['cursor', 'sentinel-mcp', 'mcpServers'],
    ['intellij', 'sentinel-mcp', 'mcpServers'],
    ['vscode', 'sentinel-mcp', 'servers'],
    ['claude-desktop', 'sentinel-mcp', 'mcpServers'],
    ['cursor', 'scg-mcp-server', 'mcpServers'],
    ['cursor', 'cpm-mcp', 'mcpServers'],
    ['cursor', 'pumuki-mcp-evidence', 'mcpServers'],
    ['cursor', 'pumuki-mcp-enterprise', 'mcpServers'],
  ] as const
  it.each(someRows(placed, 3))(
    'for %s starts %s in the folder that was meant, wherever the client stands',
    (client, server, member) => {
      const cwd = folder()
      const { text } = JSON.parse(
        warrant(['config', 'client', client, '--server', server, '--root', '.', '--json'], { cwd }).stdout,
      )
      const { command, args } = JSON.parse(text)[member][server]
      expect(args.slice(-2)).toEqual(['--root', realpathSync(cwd)])
      const handshake = {
        protocolVersion: '2025-06-18',
        capabilities: {},
        clientInfo: { name: 'a', version: '1' },
      }
      const reply = execFileSync(command, args, {
        input: `${JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params: handshake })}\n`,
        encoding: 'utf8',
        stdio: ['pipe', 'pipe', 'ignore'],
      })
      expect(JSON.parse(reply).result.serverInfo.name).not.toBe('warrant')
    },
  )

  it('for claude-code and codex names the server that is meant', () => {
    const asked = ['--server', 'sentinel-mcp', '--bin', 'sentinel-mcp', '--root', '/p']
    expect(warrant(['config', 'client', 'claude-code', ...asked]).stdout).toBe(
      'claude mcp add sentinel-mcp -- sentinel-mcp --root /p\n',
    )
    expect(warrant(['config', 'client', 'codex', ...asked]).stdout).toContain('[mcp_servers.sentinel-mcp]\n')
  })

  it('for codex is TOML and for claude-code a command', () => {
    const codex = warrant(['config', 'client', 'codex', '--bin', 'warrant']).stdout
    expect(codex).toBe('[mcp_servers.warrant]\ncommand = "warrant"\nargs = ["mcp"]\n')
    const claude = warrant([
      'config',
      'client',
      'claude-code',
      '--bin',
      'my warrant',
      '--toolsets',
      'core',
    ]).stdout
    expect(claude).toBe("claude mcp add warrant -- 'my warrant' mcp --toolsets core\n")
    expect(warrant(['config', 'client', 'codex', '--bin', 'warrant', '--windows']).stdout).toContain('"cmd"')
  })
})

describe('completion', () => {
  it('completes commands, clients and flags in bash', () => {
    const script = warrant(['config', 'completion', 'bash']).stdout
    const complete = (words: string[]) =>
      execFileSync(
        'bash',
        [
          '-c',
          `${script}\nCOMP_WORDS=(${words.map((word) => `'${word}'`).join(' ')}); COMP_CWORD=${words.length - 1}; _warrant; printf '%s\\n' "\${COMPREPLY[@]}"`,
        ],
        { encoding: 'utf8' },
      )
        .trim()
        .split('\n')
    expect(complete(['warrant', 'do'])).toEqual(['doctor'])
    expect(complete(['warrant', 'config', 'c'])).toEqual(['client', 'completion'])
    expect(complete(['warrant', 'mcp', '--read'])).toEqual(['--read-only', '--read-token'])
  })

  it.each(['zsh', 'fish'])('has a script for %s', (shell) => {
    const { status, stdout } = warrant(['config', 'completion', shell])
    expect(status).toBe(0)
    expect(stdout).toContain('uninstall')
  })
})

describe('the status tool', () => {
  const status = (cwd: string) => {
    const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"warrant_status"}}\n'
    const reply = execFileSync(process.execPath, [BINARY, 'mcp'], { cwd, input: call, encoding: 'utf8' })
    return JSON.parse(reply).result.structuredContent
  }
  const git = (cwd: string, ...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args], {
      cwd,
      encoding: 'utf8',
    })

  it('knows the commit, the branch, and whether the tree is clean', () => {
    const cwd = folder()
    expect(status(cwd).freshness).toEqual({ at: expect.stringMatching(/^\d{4}-.*Z$/) })
    git(cwd, 'init', '-q', '-b', 'trunk')
    expect(status(cwd).freshness).toMatchObject({ branch: 'trunk', dirty: false })
    writeFileSync(join(cwd, 'a'), '')
    expect(status(cwd).freshness).toMatchObject({ branch: 'trunk', dirty: true })
    git(cwd, 'add', '.')
    git(cwd, 'commit', '-qm', 'a')
    const head = git(cwd, 'rev-parse', 'HEAD').trim()
    expect(status(cwd).freshness).toMatchObject({ head, branch: 'trunk', dirty: false })
    git(cwd, 'checkout', '-q', '--detach')
    expect(status(cwd).freshness.branch).toBeUndefined()
  })

  it('reports the state folder without making it', () => {
    const cwd = folder()
    expect(status(cwd).store).toMatchObject({ kind: 'folder', state: 'absent' })
    mkdirSync(join(cwd, '.warrant'))
    expect(status(cwd).store.state).toBe('ready')
    const other = folder()
    writeFileSync(join(other, '.warrant'), 'not a folder')
    expect(status(other).store.state).toBe('failing')
  })
})
