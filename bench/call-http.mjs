// What does one stateless tools/call (revision 2026-07-28) cost over HTTP with keep-alive?

import http from 'node:http'
import { callCount, roundCount, runBench, text, warrantCalls } from './lib/cli.mjs'
import { floorHttp, warrant } from './lib/contestants.mjs'
import { HttpClient, listeningPort, TOKEN } from './lib/http-client.mjs'
import { Samples } from './lib/report.mjs'
import { interleave, measure } from './lib/rounds.mjs'
import { Server } from './lib/server.mjs'
import { Stop, within } from './lib/stop.mjs'

/** @type {import('./lib/report.mjs').Column[]} */
const columns = [
  { key: 'cpu', label: 'CPU per call, µs', digits: 1, best: 'min' },
  { key: 'p50', label: 'wall p50, µs', digits: 0, best: 'min' },
  { key: 'p99', label: 'wall p99, µs', digits: 0, best: 'min' },
  { key: 'rate', label: 'calls per second, 1/s', digits: 0, best: 'max' },
]

/**
 * @param {import('./lib/contestants.mjs').Contestant} contestant
 * @param {{ tool: string, args: unknown }} call
 */
async function open(contestant, { tool, args }) {
  const server = new Server(contestant)
  const port = await within(listeningPort(server), 30, `${server.name} did not print its address`)
  return { name: `${server.name} ${tool}`, server, client: new HttpClient(server, port, tool, args) }
}

/**
 * @param {Awaited<ReturnType<typeof open>>} contestant
 * @param {{ total: number, width: number }} load
 */
async function measureOne({ name, server, client }, load) {
  // A pool per measurement: sockets left idle over the others' turns may be closed by the server.
  const agent = new http.Agent({ keepAlive: true, maxSockets: load.width })
  client.sockets.clear()
  const values = await measure(server, (done) => client.call(agent, done), load)
  agent.destroy()
  const opened = client.sockets.size
  if (opened > load.width)
    throw new Stop(`${name} does not keep connections alive: ${opened} for ${load.width}`)
  return values
}

await runBench(['rounds', 'serve', 'tool', 'args'], async (options) => {
  const rounds = roundCount(options, 5)
  const built = warrant(text(options, 'serve'), ['serve', '--port', '0', '--token', TOKEN])
  const contestants = [{ ...(await open(floorHttp(), { tool: 'floor', args: {} })), name: 'floor' }]
  for (const call of warrantCalls(options)) contestants.push(await open(built, call))

  const loads = [
    {
      load: { total: callCount(options, 3000), width: 1 },
      samples: new Samples('tools/call over HTTP, one after the other', columns),
    },
    {
      load: { total: callCount(options, 10_000), width: 16 },
      samples: new Samples('tools/call over HTTP, 16 in flight', columns),
    },
  ]
  for (const { load, samples } of loads) {
    await interleave(
      contestants,
      rounds,
      (contestant) => measureOne(contestant, load),
      ({ name }, values) => samples.add(name, values),
    )
  }
  for (const { server } of contestants) await server.stop()
  const names = contestants.map(({ name }) => name)
  return { bench: 'call-http', rounds, tables: loads.map(({ samples }) => samples.table(names, ['floor'])) }
})
