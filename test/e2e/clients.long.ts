import { spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { beforeAll, expect, it } from 'vitest'
import { agentFile, describeAgents, peerFile, peerNode } from '../peers/peers.ts'
import { Repo } from '../support/repository.ts'
import { environment, run } from '../support/setup-user.ts'

/** What `warrant init` writes, read by the programs that it is written for. None of them has an account here. */

const CLIENT_MS = 120_000
const repo = Repo.init('main').commit({ 'src/a.ts': 'export const a = 1\n' })
const home = new Repo()
const env = environment({
  HOME: home.folder,
  DISABLE_AUTOUPDATER: '1',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
})

const CLIENTS = {
  claude: () => agentFile('@anthropic-ai', 'claude-code', 'cli-wrapper.cjs'),
  codex: () => agentFile('@openai', 'codex', 'bin', 'codex.js'),
  gemini: () => agentFile('@google', 'gemini-cli', 'bundle', 'gemini.js'),
  inspector: () => peerFile('@modelcontextprotocol', 'inspector', 'clients', 'launcher', 'build', 'index.js'),
} as const

const start = (client: keyof typeof CLIENTS, args: readonly string[]) =>
  spawn(peerNode(), [CLIENTS[client](), ...args], { cwd: repo.folder, env, timeout: CLIENT_MS })

/** Runs a client to its end, and returns what it printed. */
const ask = (client: keyof typeof CLIENTS, ...args: readonly string[]): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = start(client, args)
    child.stdin.end()
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text
      })
    child.once('error', reject)
    child.once('close', () => resolve(said))
  })

interface CodexHook {
  readonly key: string
  readonly eventName: string
  readonly command: string
  readonly currentHash: string
  readonly trustStatus: string
}

/** The hooks that Codex found, by its own interface for editors. */
const codexHooks = async (): Promise<readonly CodexHook[]> => {
  const child = start('codex', ['app-server'])
  const frames = [
    { id: 1, method: 'initialize', params: { clientInfo: { name: 'test', version: '1' } } },
    { method: 'initialized' },
    { id: 2, method: 'hooks/list', params: { cwds: [repo.folder] } },
  ]
  for (const frame of frames) child.stdin.write(`${JSON.stringify(frame)}\n`)
  try {
    for await (const line of createInterface({ input: child.stdout })) {
      const { id, result } = JSON.parse(line)
      if (id === 2) return result.data[0].hooks
    }
  } finally {
    child.kill()
  }
  throw new Error('Codex did not list its hooks')
}

const inHome = (path: string, text: string): void => {
  mkdirSync(home.path(path, '..'), { recursive: true })
  writeFileSync(home.path(path), text)
}

const fire = () => {
  const rows: readonly { point: string; result: string }[] = run(repo, ['doctor', '--fire'], env).value
    .canaries
  return Object.fromEntries(rows.map(({ point, result }) => [point, result]))
}

await describeAgents('the clients for which init writes', () => {
  beforeAll(async () => {
    const init = run(repo, ['init', '--yes', '--clients', 'claude,codex,gemini'], env)
    expect(init).toMatchObject({ status: 0, value: { written: true } })
    for (const client of ['claude', 'codex', 'gemini'] as const)
      process.stdout.write(`${client}: ${(await ask(client, '--version')).trim().split('\n').at(-1)}\n`)
  }, CLIENT_MS)

  it('Claude Code asks for approval of the server, and then connects to it', async () => {
    expect(await ask('claude', 'mcp', 'list')).toMatch(/warrant: warrant mcp - .*Pending approval/)
    const project = { hasTrustDialogAccepted: true, enabledMcpjsonServers: ['warrant'] }
    inHome('.claude.json', JSON.stringify({ projects: { [repo.folder]: project } }))
    expect(await ask('claude', 'mcp', 'list')).toMatch(/warrant: warrant mcp - .*Connected/)
  })

  it('Codex reads server and hooks in a trusted project, and trusts the hooks by their digest', async () => {
    expect(await ask('codex', 'mcp', 'list')).toContain('No MCP servers configured')
    expect(fire()['agent codex']).toBe('skipped until trusted')
    const project = `[projects."${repo.folder}"]\ntrust_level = "trusted"\n`
    inHome('.codex/config.toml', project)
    expect(await ask('codex', 'mcp', 'list')).toMatch(/^warrant +warrant +mcp .* enabled/m)
    const hooks = await codexHooks()
    expect(
      hooks.map(({ eventName, command, trustStatus }) => [eventName, command, trustStatus]).sort(),
    ).toEqual(
      ['postToolUse', 'preToolUse', 'sessionStart', 'stop'].map((name) => [
        name,
        'warrant hook codex',
        'untrusted',
      ]),
    )
    expect(fire()['agent codex']).toBe('skipped until trusted')
    const states = hooks.map(
      ({ key, currentHash }) => `[hooks.state."${key}"]\ntrusted_hash = "${currentHash}"\n`,
    )
    inHome('.codex/config.toml', project + states.join(''))
    expect(new Set((await codexHooks()).map(({ trustStatus }) => trustStatus))).toEqual(new Set(['trusted']))
    expect(fire()['agent codex']).toBe('blocks')
  })

  it('Gemini CLI reads the server, and connects to it in a trusted folder', async () => {
    expect(await ask('gemini', 'mcp', 'list')).toMatch(/warrant: warrant mcp \(stdio\) - Disabled/)
    expect(fire()['agent gemini']).toBe('skipped until trusted')
    inHome('.gemini/trustedFolders.json', JSON.stringify({ [repo.folder]: 'TRUST_FOLDER' }))
    expect(await ask('gemini', 'mcp', 'list')).toMatch(/warrant: warrant mcp \(stdio\) - Connected/)
    expect(fire()['agent gemini']).toBe('blocks')
  })

  it('the Inspector lists the tools of the server in .mcp.json', async () => {
    const words = ['--cli', '--config', repo.path('.mcp.json'), '--server', 'warrant']
    const said = await ask('inspector', ...words, '--format', 'json', '--method', 'tools/list')
    expect(said).toContain('"gate_check"')
  })
})
