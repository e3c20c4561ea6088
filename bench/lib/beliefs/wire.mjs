import { callCount, roundCount } from '../cli.mjs'
import { floorStdio, warrant } from '../contestants.mjs'
import { LineClient } from '../line-client.mjs'
import { Samples } from '../report.mjs'
import { interleave, measure } from '../rounds.mjs'
import { Server } from '../server.mjs'
import { within } from '../stop.mjs'

const create = { name: 'node_create', arguments: { belief: 0.5, energy: 1 } }
const query = { name: 'node_query', arguments: { node_id: '0' } }

/**
 * @param {string} name
 * @param {import('../contestants.mjs').Contestant} contestant
 * @param {{ name: string, arguments: unknown }} params
 */
async function open(name, contestant, params) {
  const server = new Server(contestant)
  const client = new LineClient(server)
  await within(client.initialize(), 30, `${name} did not answer initialize`)
  client.initialized()
  await client.request('tools/call', create)
  const prepared = client.prepare('tools/call', params)
  /** @type {import('../rounds.mjs').Call} */
  const call = (done) => client.send(prepared, done)
  return { name, server, call }
}

/**
 * What a request to the belief graph costs, against a loop that writes answers of the same size.
 *
 * @param {import('../cli.mjs').Options} options
 */
export async function measureWire(options) {
  const beliefs = ['mcp', '--toolsets', 'beliefs']
  const durable = warrant(undefined, beliefs)
  const contestants = [
    await open('floor', floorStdio('node'), query),
    await open('node_query', durable, query),
    await open('node_create in memory', warrant(undefined, [...beliefs, '--store', 'memory']), create),
    await open('durable node_create', durable, create),
  ]
  const samples = new Samples('requests over stdio, 64 in the pipe', [
    { key: 'cpu', label: 'CPU per request, µs', digits: 1, best: 'min' },
    { key: 'rate', label: 'requests per second, 1/s', digits: 0, best: 'max' },
  ])
  const load = { total: callCount(options, 40_000), width: 64 }
  await interleave(
    contestants,
    roundCount(options, 5),
    ({ server, call }) => measure(server, call, load),
    ({ name }, values) => samples.add(name, values),
  )
  for (const { server } of contestants) await server.stop()
  return samples.table(
    contestants.map(({ name }) => name),
    ['floor'],
  )
}
