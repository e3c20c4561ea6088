// What does the enterprise server cost to start, does /health wait while /status runs in a loop, and how many
// programs does one /status start?

import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { Agent, get } from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { callCount, roundCount, runBench } from './lib/cli.mjs'
import { projectDir } from './lib/contestants.mjs'
import { cpuNs } from './lib/proc.mjs'
import { Samples } from './lib/report.mjs'
import { interleave } from './lib/rounds.mjs'
import { freshDir } from './lib/server.mjs'
import { percentile } from './lib/stats.mjs'
import { Stop, within } from './lib/stop.mjs'

const binary = join(projectDir, 'dist/bin/pumuki-mcp-enterprise.js')
const bareServer = `
  const { createServer } = require('node:http')
  const server = createServer((_, response) => response.end('{"status":"ok"}'))
  server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ url: 'http://127.0.0.1:' + server.address().port })))`

const commands = {
  'bare node:http': ['-e', bareServer],
  warrant: [binary, '--port', '0', '--json'],
}

/** @param {string} dir */
function makeRepository(dir) {
  execFileSync('git', ['init', '-q', '-b', 'feature/x'], { cwd: dir })
  mkdirSync(join(dir, 'openspec/changes'), { recursive: true })
  return dir
}

/** Programs that leave a line for each start and then do their work. */
function countingPath() {
  const dir = freshDir()
  const log = join(dir, 'log')
  const git = execFileSync('which', ['git'], { encoding: 'utf8' }).trim()
  for (const [name, work] of [
    ['git', `exec ${git} "$@"`],
    ['openspec', 'echo 1.13.2'],
  ]) {
    writeFileSync(join(dir, String(name)), `#!/bin/sh\necho ${name} >> '${log}'\n${work}\n`)
    chmodSync(join(dir, String(name)), 0o755)
  }
  return { path: `${dir}:${process.env.PATH}`, count: () => readCount(log) }
}

/** @param {string} log */
function readCount(log) {
  return existsSync(log) ? readFileSync(log, 'utf8').split('\n').length - 1 : 0
}

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set()
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL')
})

const agent = new Agent({ keepAlive: true })

/** @param {string} url */
function ask(url) {
  return new Promise((resolve, reject) => {
    get(url, { agent }, (response) => {
      response.resume()
      response.once('end', () =>
        response.statusCode === 200 ? resolve(undefined) : reject(new Stop(`${url}: ${response.statusCode}`)),
      )
    }).once('error', reject)
  })
}

/**
 * @param {string[]} args
 * @param {string} cwd
 * @param {string | undefined} [path]
 */
async function open(args, cwd, path = process.env.PATH) {
  const env = { PATH: path, HOME: cwd, LANG: 'C.UTF-8' }
  const child = spawn(process.execPath, args, { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  running.add(child)
  child.once('close', () => running.delete(child))
  const line = await within(
    new Promise((resolve) => child.stdout.once('data', (text) => resolve(String(text)))),
    30,
    'the server did not start',
  )
  const { url } = JSON.parse(String(line))
  const stop = async () => {
    const ended = new Promise((resolve) => child.once('close', resolve))
    child.kill('SIGTERM')
    await ended
  }
  return { url, pid: child.pid ?? 0, stop }
}

/** @type {import('./lib/report.mjs').Column[]} */
const startColumns = [
  { key: 'cpu', label: 'CPU to the first /health, ms', digits: 1, best: 'min' },
  { key: 'wall', label: 'wall to the first /health, ms', digits: 1, best: 'min' },
]
/** @type {import('./lib/report.mjs').Column[]} */
const healthColumns = [
  { key: 'p50', label: 'p50, ms', digits: 2, best: 'min' },
  { key: 'p99', label: 'p99, ms', digits: 2, best: 'min' },
  { key: 'max', label: 'max, ms', digits: 2, best: 'min' },
]
/** @type {import('./lib/report.mjs').Column[]} */
const childColumns = [
  { key: 'first', label: 'programs for the first /status', digits: 0, best: 'min' },
  { key: 'again', label: 'programs for 100 more within a second', digits: 0, best: 'min' },
]

/** @param {string[]} args */
async function measureStart(args) {
  const dir = freshDir()
  const began = performance.now()
  const { url, pid, stop } = await open(args, dir)
  await ask(`${url}/health`)
  const values = { wall: performance.now() - began, cpu: cpuNs(pid) / 1e6 }
  await stop()
  return values
}

/**
 * @param {boolean} loaded whether /status is asked without a pause meanwhile
 * @param {number} calls
 */
async function measureHealth(loaded, calls) {
  const { url, stop } = await open(commands.warrant, makeRepository(freshDir()))
  let going = loaded
  const loop = (async () => {
    while (going) await ask(`${url}/status`)
  })()
  const times = []
  for (let call = 0; call < calls; call++) {
    const began = performance.now()
    await ask(`${url}/health`)
    times.push(performance.now() - began)
    await sleep(1)
  }
  going = false
  await loop
  await stop()
  return { p50: percentile(times, 0.5), p99: percentile(times, 0.99), max: Math.max(...times) }
}

async function measureChildren() {
  const counter = countingPath()
  const { url, stop } = await open(commands.warrant, makeRepository(freshDir()), counter.path)
  await ask(`${url}/status`)
  const first = counter.count()
  for (let call = 0; call < 100; call++) await ask(`${url}/status`)
  const again = counter.count() - first
  await stop()
  return { first, again }
}

await runBench(['rounds'], async (options) => {
  if (!existsSync(binary)) throw new Stop('build first: npm run build')
  const rounds = roundCount(options, 10)
  const starts = new Samples('spawn to the first answer of /health', startColumns)
  const names = /** @type {(keyof typeof commands)[]} */ (Object.keys(commands))
  await interleave(
    names,
    rounds,
    (name) => measureStart(commands[name]),
    (name, values) => starts.add(name, values),
  )
  const health = new Samples('/health, one at a time with 1 ms between', healthColumns)
  const children = new Samples('programs started', childColumns)
  for (let round = 0; round < Math.min(rounds, 3); round++) {
    const calls = callCount(options, 5_000)
    health.add('at rest', await measureHealth(false, calls))
    health.add('while /status runs in a loop', await measureHealth(true, calls))
    children.add('warrant', await measureChildren())
  }
  return {
    bench: 'enterprise',
    rounds,
    tables: [
      starts.table(names, ['bare node:http']),
      health.table(['at rest', 'while /status runs in a loop'], ['at rest']),
      children.table(['warrant'], []),
    ],
  }
})
