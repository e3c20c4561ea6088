import { execFileSync, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startRegistry } from './registry.mjs'

const here = dirname(fileURLToPath(import.meta.url))

// Text of one byte a letter is read and parsed in half the time.
const toAscii = (/** @type {string} */ code) =>
  code.replace(/[^\0-\x7f]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)

const wrap = async (/** @type {string} */ path) => {
  await rename(path, path.replace(/\.js$/, '.code.js'))
  const code = path.replace(/\.js$/, '.code.js')
  const text = toAscii(await readFile(code, 'utf8'))
  await writeFile(code, `(function(exports,require,module,__filename,__dirname){${text}\n})`)
  await writeFile(path, 'require("./loader.js").load(module,require);\n')
}

const digestOf = async (/** @type {string} */ path) =>
  createHash('sha256')
    .update(await readFile(path))
    .digest('hex')

/** Writes the digests of a chunk's text and bytecode into the chunk. */
const pin = async (/** @type {string} */ path) => {
  const code = path.replace(/\.js$/, '.code.js')
  const before = `${basename(code)}.`
  /** @type {Record<string, string>} */
  const bytecode = {}
  for (const name of await readdir(dirname(path))) {
    if (name.startsWith(before))
      bytecode[name.slice(before.length)] = await digestOf(join(dirname(path), name))
  }
  const digests = JSON.stringify({ text: await digestOf(code), bytecode })
  await writeFile(path, `require("./loader.js").load(module,require,${digests});\n`)
}

/** A commit as it usually is: one file, one finding, evidence of the last run beside it. */
const prepareProject = async (/** @type {string} */ folder) => {
  const git = (/** @type {string[]} */ ...args) => execFileSync('git', args, { cwd: folder, stdio: 'ignore' })
  await mkdir(join(folder, 'src'))
  await writeFile(join(folder, 'package.json'), '{"dependencies":{"express":"5"}}\n')
  git('init', '-q', '-b', 'feature/a')
  git('add', '-A')
  git('-c', 'user.name=a', '-c', 'user.email=a@example.org', 'commit', '-qm', 'a')
  await writeFile(join(folder, 'src/a.ts'), 'export const run = (input: string) => eval(input)\n')
  git('add', '-A')
}

const RECORD = ['--require', join(here, 'record.cjs')]

/**
 * Runs a program to its end, with `RECORD` so that what V8 makes of it is written down.
 * @param {readonly string[]} words @param {string} cwd @param {NodeJS.ProcessEnv} [more] @param {string} [input]
 */
const run = async (words, cwd, more = {}, input = '') => {
  const { NODE_OPTIONS: _, CI: __, ...env } = process.env
  const child = spawn(process.execPath, words, {
    cwd,
    env: { ...env, ...more },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.stdin.on('error', () => {}).end(input)
  const [code] = await once(child, 'exit')
  return code
}

const recordGate = async (/** @type {string} */ program, /** @type {string} */ folder) => {
  await prepareProject(folder)
  for (const options of [[], RECORD]) {
    // What the gate keeps for the user goes away with the project.
    const code = await run([...options, program, 'gate'], folder, { XDG_STATE_HOME: join(folder, '.git') })
    if (code !== 1) throw new Error(`the gate ended with ${code}`)
  }
}

/** Events of an agent: a command, and an edit of a file. */
const recordHook = async (/** @type {string} */ program, /** @type {string} */ folder) => {
  await prepareProject(folder)
  const edit = { old_string: 'eval(input)', new_string: 'input.trim()', file_path: join(folder, 'src/a.ts') }
  for (const [tool_name, tool_input] of [
    ['Edit', edit],
    ['Bash', { command: 'git commit -m "a" && npm test' }],
  ]) {
    const event = JSON.stringify({ hook_event_name: 'PreToolUse', cwd: folder, tool_name, tool_input })
    const words = [...RECORD, program, 'hook', 'claude', '--budget', '9000']
    const code = await run(words, folder, { XDG_STATE_HOME: join(folder, '.git') }, event)
    if (code !== 0) throw new Error(`the hook of agents ended with ${code}`)
  }
}

/** A client of MCP that starts the server, lists the tools and calls one. */
const recordServer = async (/** @type {string} */ program, /** @type {string} */ folder) => {
  const clientInfo = { name: 'build', version: '1' }
  const input = [
    { method: 'initialize', id: 0, params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } },
    { method: 'notifications/initialized' },
    { method: 'tools/list', id: 1 },
    { method: 'tools/call', id: 2, params: { name: 'warrant_status', arguments: {} } },
  ].map((message) => `${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const code = await run([...RECORD, program, 'mcp'], folder, {}, input.join(''))
  if (code !== 0) throw new Error(`the server ended with ${code}`)
}

/** Fetches a packet, then asks it: what only the question needs is written down as that needs it. */
const recordPacket = async (/** @type {string} */ program, /** @type {string} */ folder) => {
  const registry = await startRegistry()
  try {
    const more = { CPM_ROOT: join(folder, '.cpm'), REGISTRY: registry.address }
    for (const words of [
      ['pull', 'demo'],
      ['query', 'demo', 'how to start a server'],
    ]) {
      const code = await run([...RECORD, program, 'packet', ...words, '--json'], folder, more)
      if (code !== 0) throw new Error(`packet ${words[0]} ended with ${code}`)
    }
  } finally {
    registry.stop()
  }
}

/**
 * Has V8 write down what it makes of the chunks, in the course of a gate, of events of an agent, of a client of MCP and
 * of fetching and asking a packet. Without git there is nothing to write of a gate, and a build that works all the same.
 * @param {string} dist
 * @param {readonly string[]} chunks
 */
export const makeCodeCache = async (dist, chunks) => {
  for (const name of chunks) await wrap(join(dist, name))
  await cp(join(here, 'loader.cjs'), join(dist, 'chunks/loader.js'))
  const program = join(dist, 'bin/warrant.js')
  for (const record of [recordGate, recordHook, recordServer, recordPacket]) {
    const folder = await mkdtemp(join(tmpdir(), 'warrant-build-'))
    try {
      await record(program, folder)
    } catch (cause) {
      process.stderr.write(`${basename(dist)}: no code cache: ${/** @type {Error} */ (cause).message}\n`)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  for (const name of chunks) await pin(join(dist, name))
}
