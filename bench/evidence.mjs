// What does the evidence server cost, against a server that has nothing to do but send the same bytes?

import { writeFileSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { callCount, roundCount, runBench } from './lib/cli.mjs'
import { benchDir, projectDir } from './lib/contestants.mjs'
import { evidence } from './lib/evidence.mjs'
import { listeningPort } from './lib/http-client.mjs'
import { cpuNs } from './lib/proc.mjs'
import { Samples } from './lib/report.mjs'
import { interleave, measure } from './lib/rounds.mjs'
import { freshDir, Server } from './lib/server.mjs'
import { Stop, within } from './lib/stop.mjs'

const node = process.execPath
const program = join(projectDir, 'dist/bin/pumuki-mcp-evidence.js')
const sizes = [500, 5000]
const page = '/ai-evidence/findings?limit=20'

/** What is asked; `turn` makes each request one that was not asked lately. */
const questions = [
  { title: '/ai-evidence/summary', path: '/ai-evidence/summary', turn: false },
  { title: '/status', path: '/status', turn: false },
  { title: page, path: page, turn: false },
  { title: `${page}&offset=N, another page each time`, path: page, turn: true },
]

/** @type {import('./lib/report.mjs').Column[]} */
const callColumns = [
  { key: 'rate', label: 'requests per second, 1/s', digits: 0, best: 'max' },
  { key: 'cpu', label: 'CPU per request, µs', digits: 1, best: 'min' },
  { key: 'p99', label: 'wall p99, µs', digits: 0, best: 'min' },
]

/** @type {import('./lib/report.mjs').Column[]} */
const startColumns = [
  { key: 'cpu', label: 'CPU to answer, ms', digits: 1, best: 'min' },
  { key: 'wall', label: 'wall to answer, ms', digits: 1, best: 'min' },
]

/**
 * @param {string} name
 * @param {string[]} command
 */
async function open(name, command) {
  const server = new Server({ name, command: () => command })
  const port = await within(listeningPort(server), 30, `${name} did not print its address`)
  return { name, server, port }
}

/** @typedef {Awaited<ReturnType<typeof open>>} Opened */

/**
 * One request; the answer must have the length of the right one.
 *
 * @param {Opened} contestant
 * @param {string} path
 * @param {http.Agent | undefined} agent
 * @param {number} length
 * @param {(error?: Error, body?: Buffer) => void} done
 */
function ask({ name, port }, path, agent, length, done) {
  const request = http.get({ host: '127.0.0.1', port, path, agent }, (response) => {
    /** @type {Buffer[]} */
    const parts = []
    response.on('data', (part) => parts.push(part))
    response.on('end', () => {
      const body = Buffer.concat(parts)
      const right = response.statusCode === 200 && (length < 0 || body.length === length)
      done(
        right ? undefined : new Stop(`${name} answered ${response.statusCode} with ${body.length} bytes`),
        body,
      )
    })
  })
  request.on('error', (error) => done(new Stop(`${name} broke the connection: ${error.message}`)))
}

/**
 * @param {Opened} contestant
 * @param {string} path
 * @returns {Promise<Buffer>}
 */
const fetchBody = (contestant, path) =>
  new Promise((resolve, reject) =>
    ask(contestant, path, undefined, -1, (error, body) => (error || !body ? reject(error) : resolve(body))),
  )

/**
 * The server with evidence of each size, and for each the floor that sends what it sends.
 *
 * @param {string} path
 * @param {Opened[]} servers
 */
async function contestantsOf(path, servers) {
  const all = []
  for (const [at, server] of servers.entries()) {
    const body = await fetchBody(server, path)
    const file = join(freshDir(), 'body')
    writeFileSync(file, body)
    const floor = await open(`bare, ${sizes[at]} findings`, [node, join(benchDir, 'floor-bytes.mjs'), file])
    all.push({ ...floor, length: body.length }, { ...server, length: body.length })
  }
  return all
}

/**
 * @param {number} rounds
 * @param {number} total
 */
async function callTables(rounds, total) {
  const servers = []
  for (const size of sizes) {
    const root = freshDir()
    writeFileSync(join(root, '.ai_evidence.json'), evidence(size))
    servers.push(await open(`warrant, ${size} findings`, [node, program, '--port', '0', '--root', root]))
  }
  const tables = []
  for (const { title, path, turn } of questions) {
    const contestants = await contestantsOf(path, servers)
    const samples = new Samples(`GET ${title}, 16 in flight`, callColumns)
    let pages = 0
    await interleave(
      contestants,
      rounds,
      async ({ length, ...contestant }) => {
        const agent = new http.Agent({ keepAlive: true, maxSockets: 16 })
        const call = (/** @type {(error?: Error) => void} */ done) =>
          turn
            ? ask(contestant, `${path}&offset=${pages % 480}&n=${pages++}`, agent, -1, done)
            : ask(contestant, path, agent, length, done)
        const values = await measure(contestant.server, call, { total, width: 16 })
        agent.destroy()
        return values
      },
      ({ name }, values) => samples.add(name, values),
    )
    const names = contestants.map(({ name }) => name)
    tables.push(
      samples.table(
        names,
        names.filter((_, at) => at !== 3),
      ),
    )
    for (const { server, name } of contestants) if (name.startsWith('bare')) await server.stop()
  }
  for (const { server } of servers) await server.stop()
  return tables
}

/** @param {number} rounds */
async function startTable(rounds) {
  const contestants = [
    { name: 'bare', command: [node, join(benchDir, 'floor-bytes.mjs')] },
    { name: 'warrant', command: [node, program, '--port', '0'] },
  ]
  const samples = new Samples('spawn to the first answer of /health', startColumns)
  await interleave(
    contestants,
    rounds,
    async ({ name, command }) => {
      const began = performance.now()
      const opened = await open(name, command)
      await fetchBody(opened, '/health')
      const values = { wall: performance.now() - began, cpu: cpuNs(opened.server.pid) / 1e6 }
      await opened.server.stop()
      return values
    },
    ({ name }, values) => samples.add(name, values),
  )
  return samples.table(['bare', 'warrant'], ['bare'])
}

await runBench(['rounds'], async (options) => {
  const rounds = roundCount(options, 7)
  const calls = await callTables(rounds, callCount(options, 10_000))
  return { bench: 'evidence', rounds, tables: [...calls, await startTable(roundCount(options, 15))] }
})
