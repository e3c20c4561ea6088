import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { runMeasured } from '../measured.mjs'
import { Samples } from '../report.mjs'
import { interleave } from '../rounds.mjs'
import { freshDir } from '../server.mjs'
import { Stop } from '../stop.mjs'
import { wordOf, wordSource } from './corpus.mjs'
import { loadParts } from './parts.mjs'
import { storePacket } from './stored.mjs'

const LINES = 12
const LINE_WORDS = 6
/** Chunks of the packet that every other one is compared with. */
const FLOOR = 100

/** Windows of five rows: one row has two of them. */
const WINDOWS = 6
const ROWS = 5
/** Written at once. */
const BLOCK = 4096
const DIM = 384

const MANIFEST = {
  schema_version: '1.0',
  packet_id: 'bench',
  embedding: { model: 'none', dim: 0, dtype: 'float16' },
  lexical: { ranking: 'bm25f-1' },
  files: { docs: 'docs.jsonl', vectors: null, index: null },
}

/**
 * Writes the items of a file, each when the one before is written.
 *
 * @param {string} path
 * @param {Iterable<string | Uint8Array>} items
 */
async function writeItems(path, items) {
  mkdirSync(dirname(path), { recursive: true })
  const file = createWriteStream(path)
  for (const item of items) if (!file.write(item)) await once(file, 'drain')
  file.end()
  await once(file, 'finish')
}

/** @param {number} chunks */
function* docLines(chunks) {
  const word = wordSource(chunks)
  for (let i = 0; i < chunks; i++) {
    const title = `${wordOf(i)} ${i}`
    const lines = Array.from({ length: LINES }, () => Array.from({ length: LINE_WORDS }, word).join(' '))
    const text = [`## ${title}`, '', ...lines].join('\n')
    const hash = createHash('sha256').update(text).digest('hex')
    const metadata = { path: `${Math.floor(i / 50)}.md`, ext: '.md', symbol: title, headings: [title] }
    yield `${JSON.stringify({ id: `${i}`, text, hash, metadata })}\n`
  }
}

/**
 * Random rows of length one in an index of FAISS.
 *
 * @param {any} parts
 * @param {number} rows
 */
function* indexBlocks(parts, rows) {
  yield parts.flatHeader(rows, DIM)
  let state = rows
  for (let done = 0; done < rows; done += BLOCK) {
    const values = new Float32Array(Math.min(BLOCK, rows - done) * DIM)
    for (let i = 0; i < values.length; i++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      values[i] = state / 2 ** 32 - 0.5
    }
    for (let at = 0; at < values.length; at += DIM) parts.normalizeRow(values.subarray(at, at + DIM))
    yield new Uint8Array(values.buffer)
  }
}

/**
 * Writes a packet of so many chunks without a build, which takes a hundred seconds for a million, and hours with vectors
 * of the sentence model: here they are random.
 *
 * @param {any} parts
 * @param {string} folder
 * @param {number} chunks
 * @param {boolean} hybrid
 */
async function writePacket(parts, folder, chunks, hybrid) {
  await writeItems(join(folder, 'docs.jsonl'), docLines(chunks))
  const manifest = { ...MANIFEST, counts: { docs: chunks } }
  if (hybrid) {
    const firsts = Uint32Array.from({ length: chunks }, (_, row) => Math.floor((row * WINDOWS) / ROWS))
    const windows = Math.floor((chunks * WINDOWS) / ROWS)
    await writeItems(join(folder, 'faiss/windows.faiss'), indexBlocks(parts, windows))
    writeFileSync(join(folder, 'windows.bin'), parts.writeWindowRows(firsts))
    Object.assign(manifest, {
      embedding: { model: parts.SENTENCE_MODEL, dim: DIM, dtype: 'float16', normalized: true },
      counts: { docs: chunks, vectors: chunks, windows },
      files: {
        ...MANIFEST.files,
        windows: { path: 'faiss/windows.faiss', format: 'faiss', rows: 'windows.bin' },
      },
    })
  }
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify(manifest))
}

/**
 * Asks one question in a new process.
 *
 * @param {string} root
 * @param {string} digest
 * @param {boolean} hybrid
 */
function ask(root, digest, hybrid) {
  const question = `where is ${wordOf(3000)} and ${wordOf(9000)} of section 7`
  const args = [
    'packet',
    'query',
    `oci://localhost/bench@${digest}`,
    question,
    '--json',
    '--packet-root',
    root,
  ]
  const { stdout, cpu, memory } = runMeasured(hybrid ? args : [...args, '--lexical-only'])
  const { results, mode } = JSON.parse(stdout)
  if (results.length === 0 || mode !== (hybrid ? 'hybrid' : 'lexical')) throw new Stop(`no answer: ${stdout}`)
  return { cpu, memory }
}

/** @type {import('../report.mjs').Column[]} */
const COLUMNS = [
  { key: 'cpu', label: 'CPU, ms', digits: 0, best: 'min' },
  { key: 'memory', label: 'most memory, MB', digits: 0, best: 'min' },
  { key: 'makingCpu', label: 'CPU when it makes the index, ms', digits: 0, best: 'min' },
  { key: 'makingMemory', label: 'most memory then, MB', digits: 0, best: 'min' },
]

/**
 * The first question of a new process, by number of chunks, next to a packet that is very small.
 *
 * @param {readonly number[]} sizes
 * @param {number} rounds
 */
export async function benchFirst(sizes, rounds) {
  const parts = await loadParts(freshDir())
  const tables = []
  for (const hybrid of [false, true]) {
    const contestants = []
    for (const chunks of [FLOOR, ...sizes]) {
      const [root, packet] = [freshDir(), freshDir()]
      await writePacket(parts, packet, chunks, hybrid)
      const { digest } = storePacket(root, packet)
      rmSync(packet, { recursive: true })
      const { cpu: makingCpu, memory: makingMemory } = ask(root, digest, hybrid)
      contestants.push({ name: `${chunks} chunks`, root, digest, making: { makingCpu, makingMemory } })
    }
    const title = `the first question of a new process, ${hybrid ? 'by words and meaning' : 'by words'}`
    const samples = new Samples(title, COLUMNS)
    await interleave(
      contestants,
      rounds,
      async ({ root, digest, making }) => ({ ...ask(root, digest, hybrid), ...making }),
      ({ name }, figures) => samples.add(name, figures),
    )
    const names = contestants.map(({ name }) => name)
    tables.push(samples.table(names, [names[0] ?? '']))
    for (const { root } of contestants) rmSync(root, { recursive: true })
  }
  return tables
}
