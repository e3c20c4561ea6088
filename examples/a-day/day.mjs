#!/usr/bin/env node
// A day of three agents in one repository: the first repairs what blocks it, the second goes past the hooks, the third
// rewrites the records. Everything happens in a temporary folder, with the real programs.
import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { startRegistry } from './registry.mjs'

const [program = 'warrant', ...words] = process.argv.slice(2)
const base = await realpath(await mkdtemp(join(tmpdir(), 'warrant-day-')))
const repository = join(base, 'repository')
const remote = join(base, 'remote.git')
const registry = await startRegistry()
/** @type {Record<string, string>} */
const env = {
  PATH: process.env.PATH ?? '',
  HOME: base,
  XDG_STATE_HOME: join(base, 'state'),
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_SYSTEM: '/dev/null',
  GIT_AUTHOR_NAME: 'Agent',
  GIT_AUTHOR_EMAIL: 'agent@example.org',
  GIT_COMMITTER_NAME: 'Agent',
  GIT_COMMITTER_EMAIL: 'agent@example.org',
  WARRANT_REGISTRY: registry.name,
}

const say = (/** @type {string} */ text) => process.stdout.write(`${text}\n`)
const tell = (/** @type {string} */ who, /** @type {string} */ text) => say(`  ${who.padEnd(8)} ${text}`)

/** A step that went otherwise than this page says ends the day. */
const expect = (/** @type {unknown} */ found, /** @type {unknown} */ wanted, /** @type {string} */ said) => {
  if (found !== wanted) throw new Error(`expected ${wanted}, found ${found}: ${said}`)
}

/** Runs a program to its end. @returns {Promise<{ code: number, said: string, stdout: string }>} */
const run = (/** @type {string} */ command, /** @type {string[]} */ args, input = '') =>
  new Promise((resolve) => {
    const child = execFile(command, args, { cwd: repository, env }, (failure, stdout, stderr) => {
      const code = failure === null ? 0 : Number(failure.code ?? -1)
      resolve({ code, said: stdout + stderr, stdout })
    })
    // A program may end without reading its input.
    child.stdin?.on('error', () => {})
    child.stdin?.end(input)
  })

/** The same for a program that has to succeed. */
const need = async (/** @type {string} */ command, /** @type {string[]} */ ...args) => {
  const { code, said } = await run(command, args.flat())
  expect(code, 0, `${command} ${args.flat().join(' ')}: ${said}`)
  return said
}
const git = (/** @type {string[]} */ ...args) => need('git', args)
const warrant = (/** @type {string[]} */ ...args) => need(program, [...words, ...args])
const put = (/** @type {string} */ path, /** @type {string} */ text) =>
  writeFile(join(repository, path), text)

/** The line that `warrant init` wrote for Claude Code, with more time for a slow machine. */
const hookLine = async () => {
  const settings = JSON.parse(await readFile(join(repository, '.claude/settings.json'), 'utf8'))
  return `${settings.hooks.PreToolUse[0].hooks[0].command} --budget 9000`
}

/** Sends an event as the client does, before a tool. @returns {Promise<string | undefined>} why it is refused */
const askHook = async (/** @type {string} */ tool_name, /** @type {object} */ tool_input) => {
  const event = { session_id: 'day', cwd: repository, hook_event_name: 'PreToolUse', tool_name, tool_input }
  const { stdout } = await run('sh', ['-c', await hookLine()], JSON.stringify(event))
  const answer = stdout === '' ? undefined : JSON.parse(stdout).hookSpecificOutput
  return answer?.permissionDecision === 'deny' ? answer.permissionDecisionReason : undefined
}

const ruleIn = (/** @type {string} */ text) =>
  [...new Set(text.match(/\b(?:gate|javascript)\.[a-z-]+(?=[ :\n])/g) ?? [])].join(', ')

/** Starts the server as the entry in `.mcp.json` says. */
const connect = async () => {
  const client = new Client({ name: 'a-day', version: '1.0.0' })
  const { mcpServers } = JSON.parse(await readFile(join(repository, '.mcp.json'), 'utf8'))
  const { command, args } = mcpServers.warrant
  await client.connect(new StdioClientTransport({ command, args, cwd: repository, env, stderr: 'ignore' }))
  return client
}

/** Asks a tool of the server. @returns {Promise<any>} */
const call = async (
  /** @type {Client} */ client,
  /** @type {string} */ name,
  /** @type {any} */ input = {},
) => {
  const { content } = await client.callTool({ name, arguments: input })
  const [first] = /** @type {any[]} */ (content)
  return JSON.parse(first.text)
}

const EVAL = 'export const total = (text) => eval(text)\n'
const REPAIR = 'export const total = (text) => JSON.parse(text)\n'

const setUp = async () => {
  await mkdir(repository)
  await git('init', '-q', '-b', 'main')
  await git('init', '-q', '--bare', '-b', 'main', remote)
  await git('remote', 'add', 'origin', remote)
  await put('package.json', '{ "name": "shop", "type": "module", "dependencies": { "express": "5" } }\n')
  await put('total.js', 'export const total = () => 0\n')
  await git('add', '-A')
  await git('commit', '-q', '-m', 'shop')
  await git('push', '-q', 'origin', 'main')
  await warrant('init', '--yes', '--clients', 'claude')
  await warrant('receipts', 'require', '--yes')
  await git('add', '-A')
  await git('commit', '-q', '-m', 'Add Warrant')
  await git('push', '-q', 'origin', 'main')
  await git('switch', '-q', '-c', 'work')
  const notes = join(base, 'notes')
  await mkdir(notes)
  const text =
    '# javascript.eval\n\nDo not call eval on text. If the text is a number or JSON, read it with JSON.parse.\n'
  await writeFile(join(notes, 'eval.md'), text)
  await warrant(
    'packet',
    'build',
    notes,
    '--name',
    'repairs',
    '--version',
    '1.0.0',
    '--out',
    join(base, 'dist'),
  )
  await warrant('packet', 'publish', join(base, 'dist/repairs/1.0.0'))
}

const firstAgent = async () => {
  say('\nThe first agent repairs what blocks it')
  const client = await connect()
  const refusal = await askHook('Write', { file_path: join(repository, 'total.js'), content: EVAL })
  tell('hook', `refuses to write total.js: ${ruleIn(refusal ?? '')}`)
  expect(ruleIn(refusal ?? ''), 'javascript.eval', String(refusal))
  await put('total.js', EVAL)
  tell('agent', 'writes it by a program of its own, and asks the server')
  const blocked = await call(client, 'gate_run')
  const [finding] = blocked.findings
  tell('server', `${blocked.status}: ${finding.ruleId} in ${finding.file}`)
  expect(blocked.status, 'BLOCKED', JSON.stringify(blocked))
  const found = await call(client, 'packet_query', {
    ref: 'repairs',
    q: `How is ${finding.ruleId} repaired?`,
  })
  const [passage] = found.results
  tell('packet', `${passage.path}: ${passage.snippet.split('\n').at(-1)}`)
  expect(passage.snippet.includes('JSON.parse'), true, passage.snippet)
  expect(
    await askHook('Write', { file_path: join(repository, 'total.js'), content: REPAIR }),
    undefined,
    'repair',
  )
  await put('total.js', REPAIR)
  const allowed = await call(client, 'gate_run')
  tell('server', allowed.status)
  expect(allowed.status, 'ALLOWED', JSON.stringify(allowed))
  await client.close()
  await git('add', '-A')
  await git('commit', '-q', '-m', 'Read the total')
  await git('push', '-q', 'origin', 'work')
  tell('git', 'the commit and the push pass the hooks')
}

const secondAgent = async () => {
  say('\nThe second agent goes past the hooks')
  const refusal = await askHook('Bash', { command: 'git commit -am quick --no-verify' })
  tell('hook', `refuses the command: ${refusal?.split('\n')[0]}`)
  expect(refusal === undefined, false, 'the command was not refused')
  await put('quick.js', 'export const quick = 1\n')
  await git('add', '-A')
  await git('commit', '-q', '--no-verify', '-m', 'quick')
  tell('agent', 'commits with --no-verify where no hook of its client runs')
  const { code, said } = await run('git', ['push', '-q', 'origin', 'work'])
  tell('git', `the push is refused: ${ruleIn(said)}`)
  expect(code === 0 || !said.includes('gate.receipt-missing'), false, said)
  await git('reset', '-q', '--hard', 'HEAD~1')
}

const thirdAgent = async () => {
  say('\nThe third agent rewrites the records')
  const older = join(base, 'older')
  await cp(join(repository, '.warrant'), older, { recursive: true })
  await put('more.js', 'export const more = 1\n')
  await git('add', '-A')
  await git('commit', '-q', '-m', 'more')
  await git('push', '-q', 'origin', 'work')
  // What this machine remembers of the log goes as well: only the pushed witness is left.
  await rm(join(repository, '.warrant'), { recursive: true })
  await cp(older, join(repository, '.warrant'), { recursive: true })
  await rm(join(base, 'state/warrant/logs'), { recursive: true, force: true })
  tell('agent', 'puts an older log in the place of the log, and edits the evidence')
  const file = join(repository, '.ai_evidence.json')
  const evidence = await readFile(file, 'utf8')
  await writeFile(file, evidence.replace('"timestamp": "20', '"timestamp": "30'))
  const client = await connect()
  const checked = await call(client, 'gate_check')
  await client.close()
  const codes = checked.agents.reasons.map((/** @type {any} */ one) => one.code).join(', ')
  tell('server', `the change is ${checked.status}; an agent may not go on: ${codes}`)
  expect(checked.agents.allowed, false, JSON.stringify(checked))
  await put('last.js', 'export const last = 1\n')
  await git('add', '-A')
  await git('commit', '-q', '-m', 'last')
  const { code, said } = await run('git', ['push', '-q', 'origin', 'work'])
  const [seen = ''] = /a witness saw \d+ entries/.exec(said) ?? []
  tell('git', `the push is refused: ${ruleIn(said)}; ${seen}`)
  expect(code === 0 || !said.includes('gate.lineage-contradiction'), false, said)
}

try {
  say('A repository with hooks, a server and a packet of repairs')
  await setUp()
  await firstAgent()
  await secondAgent()
  await thirdAgent()
} finally {
  registry.stop()
  await rm(base, { recursive: true, force: true, maxRetries: 5 })
}
