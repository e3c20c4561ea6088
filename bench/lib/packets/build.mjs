import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { projectDir } from '../contestants.mjs'
import { runMeasured } from '../measured.mjs'
import { waitedNs } from '../proc.mjs'
import { Samples } from '../report.mjs'
import { interleave } from '../rounds.mjs'
import { freshDir } from '../server.mjs'
import { Stop } from '../stop.mjs'
import { writeCorpus } from './corpus.mjs'

const CHUNKS = 20_000

/** Lower bound of a build: every file read once. */
const READ = `
  const { readdirSync, readFileSync } = require('node:fs')
  let bytes = 0
  for (const name of readdirSync(process.argv[1], { recursive: true }))
    if (name.endsWith('.md')) bytes += readFileSync(process.argv[1] + '/' + name, 'utf8').length
  if (bytes === 0) process.exit(1)`

const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env

/** @param {string[]} args */
export function runNode(args) {
  const { status, stderr } = spawnSync(process.execPath, args, { env, encoding: 'utf8' })
  if (status !== 0) throw new Stop(`${args.at(-1)} failed: ${stderr.slice(-300)}`)
}

/**
 * @param {string} source
 * @param {string} out
 * @param {string} embedder
 * @returns {string} where the packet is
 */
export function buildPacket(source, out, embedder) {
  const program = join(projectDir, 'dist/bin/warrant.js')
  const words = ['--name', 'bench', '--version', '1', '--out', out, '--json', '--embedder', embedder]
  runNode([program, 'packet', 'build', source, ...words])
  return join(out, 'bench/1')
}

/**
 * A packet with vectors of the hashing embedder of the tests under the name of the built-in model: thousands of chunks in
 * seconds.
 *
 * @param {any} parts
 * @param {string} source
 * @param {string} out
 */
export async function buildHashed(parts, source, out) {
  const options = {
    name: 'bench',
    version: '1',
    builderVersion: '0',
    embedder: { ...parts.localEmbedder, model: parts.SENTENCE_MODEL, weight: undefined },
  }
  const names = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.md'),
  )
  const output = new parts.FolderOutput(out)
  const builder = new parts.PacketBuilder(options, output)
  for (const path of names.sort()) {
    const text = readFileSync(join(source, path), 'utf8')
    builder.add({ path, extension: '.md', text, sha256: '', spans: parts.markdownSpans(text) })
  }
  await builder.finish(new AbortController().signal)
  output.close()
  return out
}

const COLUMNS = [
  { key: 'cpu', label: 'CPU, ms', digits: 0, best: /** @type {const} */ ('min') },
  { key: 'rate', label: 'MB per second of CPU', digits: 1, best: /** @type {const} */ ('max') },
]

/**
 * A whole build without vectors, next to reading the files.
 *
 * @param {number} rounds
 * @param {boolean} quick
 */
export async function benchBuild(rounds, quick) {
  const source = freshDir()
  const bytes = writeCorpus(source, quick ? CHUNKS / 10 : CHUNKS)
  const samples = new Samples(`building a packet of ${(bytes / 1e6).toFixed(1)} MB`, COLUMNS)
  const contestants = [
    { name: 'reading the files', work: () => runNode(['-e', READ, source]) },
    { name: 'warrant packet build', work: () => buildPacket(source, freshDir(), 'words') },
  ]
  await interleave(
    contestants,
    rounds,
    async ({ work }) => {
      const before = waitedNs()
      work()
      const cpu = (waitedNs() - before) / 1e6
      return { cpu, rate: bytes / 1e3 / cpu }
    },
    ({ name }, figures) => samples.add(name, figures),
  )
  const names = contestants.map(({ name }) => name)
  return [samples.table(names, [names[0] ?? ''])]
}

/** Chunks that are embedded: each of them takes many milliseconds. */
const EMBEDDED = 500

/** @type {import('../report.mjs').Column[]} */
const MEMORY_COLUMNS = [
  { key: 'cpu', label: 'CPU, ms', digits: 0, best: 'min' },
  { key: 'perChunk', label: 'CPU of a chunk, µs', digits: 0, best: 'min' },
  { key: 'memory', label: 'most memory, MB', digits: 0, best: 'min' },
]

/**
 * What builds of many chunks cost, by their number.
 *
 * @param {readonly number[]} sizes
 * @param {number} rounds
 * @param {boolean} quick
 */
export async function benchLarge(sizes, rounds, quick) {
  const sources = [
    ...sizes.map((chunks) => ({ chunks, embedder: 'words' })),
    { chunks: quick ? EMBEDDED / 10 : EMBEDDED, embedder: 'minilm' },
  ]
  const contestants = sources.map(({ chunks, embedder }) => {
    const source = freshDir()
    writeCorpus(source, chunks)
    return { name: `${chunks} chunks, ${embedder}`, chunks, embedder, source }
  })
  const samples = new Samples('builds of many chunks', MEMORY_COLUMNS)
  await interleave(
    contestants,
    rounds,
    async ({ chunks, embedder, source }) => {
      const out = freshDir()
      const words = ['--name', 'bench', '--version', '1', '--out', out, '--json', '--embedder', embedder]
      const { cpu, memory } = runMeasured(['packet', 'build', source, ...words])
      rmSync(out, { recursive: true })
      return { cpu, perChunk: (1000 * cpu) / chunks, memory }
    },
    ({ name }, figures) => samples.add(name, figures),
  )
  const names = contestants.map(({ name }) => name)
  return [samples.table(names, [names[0] ?? ''])]
}
