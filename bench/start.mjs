// What does it cost to start a server: CPU and wall time to the initialize reply, and memory afterwards?

import { setTimeout as sleep } from 'node:timers/promises'
import { roundCount, runBench, text } from './lib/cli.mjs'
import { bareNode, floorStdio, peer, warrant } from './lib/contestants.mjs'
import { LineClient } from './lib/line-client.mjs'
import { cpuNs, rssMib } from './lib/proc.mjs'
import { Samples } from './lib/report.mjs'
import { interleave } from './lib/rounds.mjs'
import { Server } from './lib/server.mjs'
import { Stop, within } from './lib/stop.mjs'

/** @typedef {import('./lib/contestants.mjs').Contestant} Contestant */

/** @type {import('./lib/report.mjs').Column[]} */
const columns = [
  { key: 'cpu', label: 'CPU to reply, ms', digits: 1, best: 'min' },
  { key: 'wall', label: 'wall to reply, ms', digits: 1, best: 'min' },
  { key: 'settled', label: 'CPU 200 ms later, ms', digits: 1, best: 'min' },
  { key: 'rss', label: 'RSS 200 ms later, MiB', digits: 1, best: 'min' },
]

/** @param {number} pid */
async function rest(pid) {
  await sleep(200)
  return { settled: cpuNs(pid) / 1e6, rss: rssMib(pid) }
}

/** @param {Server} server */
async function startBare({ name, pid }) {
  // It says nothing when it is up, so it counts as up once it has stopped using the CPU.
  let last = -1
  for (let turn = 0; turn < 200; turn++) {
    const now = cpuNs(pid)
    if (now === last) return rest(pid)
    last = now
    await sleep(50)
  }
  throw new Stop(`${name} did not come to rest`)
}

/**
 * @param {Server} server
 * @param {number} began
 */
async function startServer(server, began) {
  const client = new LineClient(server)
  await within(client.initialize(), 30, `${server.name} did not answer initialize`)
  const wall = performance.now() - began
  const cpu = cpuNs(server.pid) / 1e6
  client.initialized()
  return { cpu, wall, ...(await rest(server.pid)) }
}

await runBench(['rounds', 'warrant'], async (options) => {
  const rounds = roundCount(options, 15)
  const bare = bareNode()
  const contestants = [bare, floorStdio(), peer(), warrant(text(options, 'warrant'), ['mcp'])]
  const samples = new Samples('spawn to initialize reply', columns)

  /** @param {Contestant} contestant */
  const visit = async (contestant) => {
    const began = performance.now()
    const server = new Server(contestant)
    const values = await (contestant === bare ? startBare(server) : startServer(server, began))
    await server.stop()
    return values
  }

  await interleave(contestants, rounds, visit, ({ name }, values) => samples.add(name, values))
  const names = contestants.map(({ name }) => name)
  return { bench: 'start', rounds, tables: [samples.table(names, ['bare node', 'floor', 'peer'])] }
})
