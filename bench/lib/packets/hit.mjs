import { join } from 'node:path'
import { projectDir } from '../contestants.mjs'
import { LineClient } from '../line-client.mjs'
import { Samples } from '../report.mjs'
import { interleave, measure } from '../rounds.mjs'
import { freshDir, Server } from '../server.mjs'
import { Stop } from '../stop.mjs'
import { buildHashed } from './build.mjs'
import { wordOf, writeCorpus } from './corpus.mjs'
import { loadParts } from './parts.mjs'
import { storePacket } from './stored.mjs'

const MODEL = join(projectDir, 'dist/model')
const K = 5
/** Depth of each ranking, as in the product. */
const DEPTH = 20
const CALLS = 200

/** @param {number} i */
const question = (i) => `where is ${wordOf(3000 + 7 * i)} and ${wordOf(9000 + 11 * i)} of section ${i}`

/**
 * The parts of an answer that are not overhead: the question as a vector, and both searches.
 *
 * @param {number} chunks
 * @param {any} parts
 */
async function openAlone(chunks, parts) {
  const source = freshDir()
  writeCorpus(source, chunks)
  const packet = await buildHashed(parts, source, freshDir())
  const root = freshDir()
  const { digest, place } = storePacket(root, packet)
  const { docs, lexical } = await parts.packetReader(root, parts.systemClock)(digest, place)
  if (docs.rows !== chunks) throw new Stop(`the packet has ${docs.rows} chunks, not ${chunks}`)
  const index = await parts.openVectors(
    { index: join(packet, 'faiss/index.faiss'), table: join(freshDir(), 'index.i8') },
    { rows: chunks, dim: 384 },
    parts.systemClock,
  )
  const never = new AbortController().signal
  const embedder = parts.sentenceEmbedder({ folder: MODEL, clock: parts.systemClock })
  let asked = 0
  const search = async () => {
    const text = question(asked++)
    const { values } = await embedder.embed([text], 'query', never)
    await index.search(values, DEPTH, never)
    await lexical.search(text, DEPTH)
  }
  return { packet, search }
}

/** @param {() => Promise<void>} search */
async function measureAlone(search) {
  for (let i = 0; i < CALLS / 10; i++) await search()
  const before = process.cpuUsage()
  for (let i = 0; i < CALLS; i++) await search()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / CALLS
}

const COLUMNS = [
  { key: 'whole', label: 'CPU of a call, µs', digits: 0, best: /** @type {const} */ ('min') },
  { key: 'search', label: 'of it embedding and search, µs', digits: 0, best: /** @type {const} */ ('min') },
  { key: 'rest', label: 'overhead, µs', digits: 0, best: /** @type {const} */ ('min') },
]

/**
 * `query` to a packet that is here and open, by number of chunks.
 *
 * @param {readonly number[]} sizes
 * @param {number} rounds
 */
export async function benchHit(sizes, rounds) {
  const parts = await loadParts(freshDir())
  const contestants = []
  for (const chunks of sizes) {
    const { packet, search } = await openAlone(chunks, parts)
    const root = freshDir()
    const { digest } = storePacket(root, packet)
    const ref = `oci://localhost/bench@${digest}`
    const server = new Server({
      name: `${chunks} chunks`,
      command: () => [process.execPath, join(projectDir, 'dist/bin/cpm-mcp.js'), '--cpm-dir', root],
    })
    const client = new LineClient(server)
    await client.initialize()
    client.initialized()
    let asked = 0
    /** @param {(error?: Error) => void} done */
    const call = (done) => {
      const args = { ref, q: question(asked++), k: K }
      client.send(client.prepare('tools/call', { name: 'query', arguments: args }), (error, result) => {
        const { structuredContent: answer } = /** @type {any} */ (result) ?? {}
        const fine = answer?.ok && answer.cache.hit && answer.results.length === K && answer.mode === 'hybrid'
        done(error ?? (fine ? undefined : new Stop(`no such answer: ${JSON.stringify(answer)}`)))
      })
    }
    contestants.push({ name: `${chunks} chunks`, server, call, search })
  }
  const samples = new Samples('`query` through `cpm-mcp`, the packet being open', COLUMNS)
  await interleave(
    contestants,
    rounds,
    async ({ server, call, search }) => {
      const { cpu: whole } = await measure(server, call, { total: CALLS, width: 1 })
      const alone = await measureAlone(search)
      return { whole, search: alone, rest: whole - alone }
    },
    ({ name }, figures) => samples.add(name, figures),
  )
  for (const { server } of contestants) await server.stop()
  const names = contestants.map(({ name }) => name)
  return [samples.table(names, [names[0] ?? ''])]
}
