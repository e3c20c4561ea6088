import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { UNIFIED_TOOLS } from '../../src/app/unified/tool-table.ts'
import { agentFile, describeAgents, peerNode } from '../peers/peers.ts'
import { BINARY, makeFolder, sweep, within } from '../support/binary.ts'
import { EveryToolFixture } from '../support/every-tool.ts'
import { ModelServer, SERVER_NAME } from '../support/model-server.ts'

/**
 * The real programs, and a stand-in for their model that keeps what reaches it. Each starts our server, and calls
 * every listed tool of the union once.
 */

interface Agent {
  readonly program: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** How an agent is told where the model and our server are. `home` is empty. */
type Prepare = (home: string, modelUrl: string, server: readonly string[]) => Promise<Agent>

const claude: Prepare = async (home, modelUrl, [command = '', ...args]) => {
  const config = join(home, 'mcp.json')
  await writeFile(config, JSON.stringify({ mcpServers: { [SERVER_NAME]: { command, args } } }))
  return {
    program: agentFile('@anthropic-ai', 'claude-code', 'cli-wrapper.cjs'),
    args: [
      ...['--print', 'Call the tools.', '--model', 'claude-sonnet-4-5'],
      ...['--mcp-config', config, '--strict-mcp-config', '--allowedTools', `mcp__${SERVER_NAME}`],
    ],
    env: {
      ANTHROPIC_BASE_URL: modelUrl,
      ANTHROPIC_API_KEY: 'none',
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      DISABLE_AUTOUPDATER: '1',
      DISABLE_ERROR_REPORTING: '1',
      DISABLE_TELEMETRY: '1',
      // The tools are offered at once, not searched for.
      ENABLE_TOOL_SEARCH: 'false',
    },
  }
}

const codex: Prepare = async (home, modelUrl, [command = '', ...args]) => {
  const folder = join(home, '.codex')
  await mkdir(folder)
  const config = `
model = "stand-in"
model_provider = "local"
approval_policy = "never"
sandbox_mode = "danger-full-access"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.local]
name = "local"
base_url = "${modelUrl}/v1"
wire_api = "responses"
env_key = "LOCAL_KEY"

[mcp_servers.${SERVER_NAME}]
command = ${JSON.stringify(command)}
args = ${JSON.stringify(args)}
`
  await writeFile(join(folder, 'config.toml'), config)
  return {
    program: agentFile('@openai', 'codex', 'bin', 'codex.js'),
    args: ['exec', '--skip-git-repo-check', 'Call the tools.'],
    env: { LOCAL_KEY: 'none' },
  }
}

const RUN_MS = 300_000

/** Runs the agent to its end, and returns what it printed. */
const runAgent = ({ program, args, env }: Agent, home: string, cwd: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const child = spawn(peerNode(), [program, ...args], {
      cwd,
      env: { PATH: process.env.PATH, HOME: home, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: RUN_MS,
    })
    let said = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        said += text
      })
    child.once('error', reject)
    child.once('close', () => resolve(said))
  })

await describeAgents('Claude Code and Codex', () => {
  const fixture = new EveryToolFixture()
  beforeAll(() => fixture.start())
  afterAll(() => Promise.all([fixture.stop(), sweep()]))

  test.each([
    ['Claude Code', claude],
    ['Codex', codex],
  ])('%s gives its model the answer of every tool', async (_, prepare) => {
    const { flags, repo } = fixture
    const examples = fixture.examples.filter(({ name }) => UNIFIED_TOOLS[name]?.listing !== 'named')
    const model = new ModelServer(examples)
    await model.start()
    const home = await makeFolder()
    // Without these, a server lists neither the tools of other toolsets nor, where the gate blocks, those that write.
    const everything = ['--toolsets', 'all', '--tool-access', 'all']
    const agent = await prepare(home, model.url, [process.execPath, BINARY, 'mcp', ...flags, ...everything])
    const said = await within(runAgent(agent, home, repo.folder), RUN_MS, 'the end of the agent')
    await model.stop()
    expect(model.results, said).toHaveLength(examples.length)
    const lost = examples.flatMap(({ name, shows }, at) =>
      model.results[at]?.includes(shows) ? [] : [`${name} does not show ${shows}: ${model.results[at]}`],
    )
    expect(lost).toEqual([])
    expect([...new Set(examples.map(({ name }) => name))].sort()).toEqual([...model.offered].sort())
  })
})
