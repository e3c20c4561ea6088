// What does one tools/call cost over stdio, one after the other and with 64 in the pipe?

import { callCount, roundCount, runBench, text, warrantCalls } from './lib/cli.mjs'
import { floorStdio, peer, warrant } from './lib/contestants.mjs'
import { LineClient } from './lib/line-client.mjs'
import { Samples } from './lib/report.mjs'
import { interleave, measure } from './lib/rounds.mjs'
import { Server } from './lib/server.mjs'
import { within } from './lib/stop.mjs'

/** @type {import('./lib/report.mjs').Column} */
const cpu = { key: 'cpu', label: 'CPU per call, µs', digits: 1, best: 'min' }

/**
 * @param {import('./lib/contestants.mjs').Contestant} contestant
 * @param {{ tool: string, args: unknown }} call
 */
async function open(contestant, { tool, args }) {
  const server = new Server(contestant)
  const client = new LineClient(server)
  await within(client.initialize(), 30, `${server.name} did not answer initialize`)
  client.initialized()
  const prepared = client.prepare('tools/call', { name: tool, arguments: args })
  /** @type {import('./lib/rounds.mjs').Call} */
  const call = (done) => client.send(prepared, done)
  return { name: `${server.name} ${tool}`, server, call }
}

await runBench(['rounds', 'warrant', 'tool', 'args'], async (options) => {
  const rounds = roundCount(options, 5)
  const built = warrant(text(options, 'warrant'), ['mcp'])
  const contestants = [
    { ...(await open(floorStdio(), { tool: 'floor', args: {} })), name: 'floor' },
    { ...(await open(peer(), { tool: 'list_allowed_directories', args: {} })), name: 'peer' },
  ]
  for (const call of warrantCalls(options)) contestants.push(await open(built, call))

  const loads = [
    {
      load: { total: callCount(options, 3000), width: 1 },
      samples: new Samples('tools/call over stdio, one after the other', [
        cpu,
        { key: 'p50', label: 'wall p50, µs', digits: 0, best: 'min' },
        { key: 'p99', label: 'wall p99, µs', digits: 0, best: 'min' },
      ]),
    },
    {
      load: { total: callCount(options, 20_000), width: 64 },
      samples: new Samples('tools/call over stdio, 64 in the pipe', [
        cpu,
        { key: 'rate', label: 'calls per second, 1/s', digits: 0, best: 'max' },
      ]),
    },
  ]
  for (const { load, samples } of loads) {
    await interleave(
      contestants,
      rounds,
      ({ server, call }) => measure(server, call, load),
      ({ name }, values) => samples.add(name, values),
    )
  }
  for (const { server } of contestants) await server.stop()
  const names = contestants.map(({ name }) => name)
  return {
    bench: 'call-stdio',
    rounds,
    tables: loads.map(({ samples }) => samples.table(names, ['floor', 'peer'])),
  }
})
