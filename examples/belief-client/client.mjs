#!/usr/bin/env node
// A whole client of the belief server in one file: no package, only lines of JSON-RPC through a pipe.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { createInterface } from 'node:readline'

const [command, ...args] = process.argv.slice(2)
if (command === undefined) {
  process.stderr.write(
    'usage: client.mjs COMMAND [ARGS...], for instance: client.mjs scg-mcp-server --store memory\n',
  )
  process.exit(2)
}

const say = (/** @type {string} */ words) => process.stdout.write(`${words}\n`)

/** An answer that is an error. */
class Refused extends Error {
  constructor(/** @type {{ code: number, message: string, data?: { code_string?: string } }} */ error) {
    super(error.message)
    this.code = error.code
    this.word = error.data?.code_string ?? 'no word'
  }
}

/** Starts the server and gives back ways to talk to it. */
const connect = () => {
  const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  /** @type {Map<number, { resolve: (result: any) => void, reject: (cause: Error) => void }>} */
  const waiting = new Map()
  const abandon = (/** @type {Error} */ cause) => {
    for (const { reject } of waiting.values()) reject(cause)
    waiting.clear()
  }
  const ended = new Promise((resolve) => {
    server.once('error', (cause) => {
      abandon(cause)
      resolve(1)
    })
    server.once('close', (code) => {
      abandon(new Error(`the server ended with ${code}`))
      resolve(code)
    })
  })
  // What could not be written is told by the end of the server.
  server.stdin.on('error', () => {})
  createInterface({ input: server.stdout }).on('line', (line) => {
    const { id, result, error } = JSON.parse(line)
    const waiter = waiting.get(id)
    waiting.delete(id)
    if (error === undefined) waiter?.resolve(result)
    else waiter?.reject(new Refused(error))
  })

  const write = (/** @type {object} */ message) =>
    server.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  let lastId = 0
  const ask = (/** @type {string} */ method, params = {}) =>
    new Promise((resolve, reject) => {
      lastId += 1
      waiting.set(lastId, { resolve, reject })
      write({ id: lastId, method, params })
    })
  return {
    ask,
    tell: (/** @type {string} */ method) => write({ method }),
    call: async (/** @type {string} */ name, parameters = {}) =>
      (await ask('tools/call', { name, arguments: parameters })).structuredContent,
    close: () => {
      server.stdin.end()
      return ended
    },
  }
}

const percent = (/** @type {number} */ belief) => `${(belief * 100).toFixed(1)} %`

const tellStory = async (/** @type {ReturnType<typeof connect>} */ { ask, tell, call }) => {
  const { serverInfo, protocolVersion } = await ask('initialize', {
    protocolVersion: '2024-11-05',
    capabilities: {},
    clientInfo: { name: 'belief-client', version: '1.0.0' },
  })
  tell('notifications/initialized')
  const { tools } = await ask('tools/list')
  say(
    `Connected to ${serverInfo.name} ${serverInfo.version}, protocol ${protocolVersion}, ${tools.length} tools.`,
  )

  const tests = await call('node.create', { belief: 0.9, energy: 100, claim: 'The tests pass.' })
  const release = await call('node.create', { belief: 0.3, energy: 50, claim: 'We can release.' })
  const [cause, effect] = [String(tests.node_id), String(release.node_id)]
  say(
    `We believe at ${percent(tests.belief)} that the tests pass, at ${percent(release.belief)} that we can release.`,
  )

  const edge = await call('edge.bind', { src: cause, dst: effect, weight: 0.5 })
  say(`The first now speaks for the second, with weight ${edge.weight}.`)

  for (let step = 0; step < 3; step += 1) {
    const { max_belief_change } = await call('edge.propagate', { edge_id: String(edge.edge_id) })
    const { belief } = await call('node.query', { node_id: effect })
    say(
      `A step moved beliefs by at most ${percent(max_belief_change)}; the release is at ${percent(belief)}.`,
    )
  }

  const doubted = await call('node.mutate', { node_id: cause, delta: -0.4 })
  say(
    `A flaky test: down to ${percent(doubted.belief)}, which cost ${(100 - doubted.energy).toFixed(3)} of energy in all.`,
  )

  const refusal = await call('edge.bind', { src: effect, dst: cause, weight: 1 }).catch((cause) => cause)
  if (!(refusal instanceof Refused)) throw new Error('a cycle was not refused')
  say(`A release cannot speak for its own tests: ${refusal.code} ${refusal.word}.`)

  const { result } = await call('esv.audit', { node_id: effect })
  const { drift, coherent } = await call('governor.status')
  say(
    `The audit says ${result}; the books drift by ${drift} and are ${coherent ? 'coherent' : 'NOT coherent'}.`,
  )

  const health = await call('governance.status')
  const { entries } = await call('lineage.replay', { limit: 3 })
  say(
    `Nodes: ${health.node_count}, edges: ${health.edge_count}, entries: ${health.lineage_length}, healthy: ${health.healthy}. The newest:`,
  )
  for (const { seq, checksum } of entries) say(`  ${seq}  ${checksum}`)

  const path = `belief-lineage-${process.pid}.json`
  const { checksum, count } = await call('lineage.export', { path })
  const file = await readFile(path)
  await rm(path)
  const holds = createHash('sha256').update(file).digest('hex') === checksum
  if (!holds || JSON.parse(file.toString('utf8')).length !== count)
    throw new Error('the export does not hold')
  say(`Exported ${count} entries; the checksum of the file holds.`)
}

const client = connect()
try {
  await tellStory(client)
} catch (cause) {
  process.stderr.write(`${cause instanceof Error ? cause.message : cause}\n`)
  process.exitCode = 1
}
if ((await client.close()) !== 0) process.exitCode = 1
