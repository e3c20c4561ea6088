import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectDir } from '../contestants.mjs'
import { waitedNs } from '../proc.mjs'
import { Samples } from '../report.mjs'
import { interleave } from '../rounds.mjs'
import { freshDir } from '../server.mjs'
import { Stop } from '../stop.mjs'
import { wordOf, wordSource } from './corpus.mjs'
import { storePacket } from './stored.mjs'

const LINES = 12
const LINE_WORDS = 6
/** Chunks of the packet that every other one is compared with. */
const FLOOR = 100

/** Prints the most memory that a process had. */
const MEMORY = `data:text/javascript,${encodeURIComponent(`
  import { readFileSync } from 'node:fs'
  process.on('exit', () => console.error(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]))`)}`

const MANIFEST = {
  schema_version: '1.0',
  packet_id: 'bench',
  embedding: { model: 'none', dim: 0, dtype: 'float16' },
  lexical: { ranking: 'bm25f-1' },
  files: { docs: 'docs.jsonl', vectors: null, index: null },
}

/**
 * Writes a packet of so many chunks without a build, which would keep it in memory.
 *
 * @param {string} folder
 * @param {number} chunks
 */
async function writePacket(folder, chunks) {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...MANIFEST, counts: { docs: chunks } }))
  const word = wordSource(chunks)
  const docs = createWriteStream(join(folder, 'docs.jsonl'))
  for (let i = 0; i < chunks; i++) {
    const title = `${wordOf(i)} ${i}`
    const lines = Array.from({ length: LINES }, () => Array.from({ length: LINE_WORDS }, word).join(' '))
    const text = [`## ${title}`, '', ...lines].join('\n')
    const hash = createHash('sha256').update(text).digest('hex')
    const metadata = { path: `${Math.floor(i / 50)}.md`, ext: '.md', symbol: title, headings: [title] }
    if (!docs.write(`${JSON.stringify({ id: `${i}`, text, hash, metadata })}\n`)) await once(docs, 'drain')
  }
  docs.end()
  await once(docs, 'finish')
}

/**
 * Asks one question in a new process.
 *
 * @param {string} root
 * @param {string} digest
 */
function ask(root, digest) {
  const program = join(projectDir, 'dist/bin/warrant.js')
  const question = `where is ${wordOf(3000)} and ${wordOf(9000)} of section 7`
  const args = ['packet', 'query', `oci://localhost/bench@${digest}`, question, '--lexical-only', '--json']
  const before = waitedNs()
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--import', MEMORY, program, ...args, '--packet-root', root],
    { encoding: 'utf8' },
  )
  if (status !== 0 || JSON.parse(stdout).results.length === 0) throw new Stop(`no answer: ${stdout}${stderr}`)
  return { cpu: (waitedNs() - before) / 1e6, memory: Number(stderr.trim().split('\n').at(-1)) / 1024 }
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
  const contestants = []
  for (const chunks of [FLOOR, ...sizes]) {
    const [root, packet] = [freshDir(), freshDir()]
    await writePacket(packet, chunks)
    const { digest } = storePacket(root, packet)
    const { cpu: makingCpu, memory: makingMemory } = ask(root, digest)
    contestants.push({ name: `${chunks} chunks`, root, digest, making: { makingCpu, makingMemory } })
  }
  const samples = new Samples('the first question of a new process, by words', COLUMNS)
  await interleave(
    contestants,
    rounds,
    async ({ root, digest, making }) => ({ ...ask(root, digest), ...making }),
    ({ name }, figures) => samples.add(name, figures),
  )
  const names = contestants.map(({ name }) => name)
  return [samples.table(names, [names[0] ?? ''])]
}
