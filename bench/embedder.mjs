// The sentence embedder: a window and a question next to onnxruntime-web on one thread, what loading costs, and what a
// build costs with vectors and without.

import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import * as ort from 'onnxruntime-web/wasm'
import { roundCount, runBench } from './lib/cli.mjs'
import { projectDir } from './lib/contestants.mjs'
import { writeOnnx } from './lib/embedder/onnx.mjs'
import { addEmbeddings, readTensors } from './lib/embedder/weights.mjs'
import { runNode } from './lib/packets/build.mjs'
import { writeCorpus } from './lib/packets/corpus.mjs'
import { bundleParts, loadParts } from './lib/packets/parts.mjs'
import { waitedNs } from './lib/proc.mjs'
import { Samples } from './lib/report.mjs'
import { interleave } from './lib/rounds.mjs'
import { freshDir } from './lib/server.mjs'
import { Stop } from './lib/stop.mjs'

const MODEL = join(projectDir, 'dist/model')
const TEXT = readFileSync(join(projectDir, 'docs/packets.md'), 'utf8')
const RUNS = 10
const CPU = { key: 'cpu', label: 'CPU, ms', digits: 1, best: /** @type {const} */ ('min') }

/** @param {() => unknown} work */
async function cpuOf(work) {
  const before = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

/** @param {(name: string) => import('./lib/embedder/weights.mjs').Tensor} tensorOf @param {readonly number[]} ids @param {boolean} quantized */
async function openPeer(tensorOf, ids, quantized) {
  const session = await ort.InferenceSession.create(writeOnnx(tensorOf, ids.length, quantized), {
    executionProviders: ['wasm'],
    graphOptimizationLevel: 'all',
  })
  const x = new ort.Tensor('float32', addEmbeddings(tensorOf, ids), [ids.length, 384])
  return async () => (await session.run({ x })).y?.data
}

/** @param {ArrayLike<number>} a @param {ArrayLike<number>} b */
function cosine(a, b) {
  const dot = (/** @type {ArrayLike<number>} */ x, /** @type {ArrayLike<number>} */ y) =>
    Array.from(x).reduce((sum, value, i) => sum + value * Number(y[i]), 0)
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
}

/** A text of so many tokens, in this process and on one thread. @param {any} parts @param {number} tokens @param {number} rounds */
async function benchText(parts, tokens, rounds) {
  ort.env.wasm.numThreads = 1
  const tensorOf = readTensors()
  const file = readFileSync(join(MODEL, 'minilm.bin'))
  const model = new parts.SentenceModel((/** @type {Uint8Array} */ into, /** @type {number} */ at) =>
    into.set(file.subarray(at, at + into.length)),
  )
  const vocabulary = readFileSync(join(MODEL, 'vocabulary.bin'))
  const ids = parts
    .makeTokenizer(vocabulary)
    .encode(TEXT)
    .ids.slice(0, tokens - 2)
  const framed = [101, ...ids, 102]
  const contestants = [
    { name: 'onnxruntime-web, f32', embed: await openPeer(tensorOf, framed, false) },
    { name: 'onnxruntime-web, 8 bits', embed: await openPeer(tensorOf, framed, true) },
    { name: 'warrant', embed: async () => model.embed(ids) },
  ]
  const samples = new Samples(`a text of ${tokens} tokens`, [CPU])
  for (const { name, embed } of contestants) {
    const near = cosine((await embed()) ?? [], model.embed(ids))
    if (near < 0.98) throw new Stop(`${name} computes something else: cosine ${near}`)
  }
  await interleave(
    contestants,
    rounds,
    async ({ embed }) => {
      const figures = []
      for (let i = 0; i < RUNS; i++) figures.push(await cpuOf(embed))
      return { cpu: Math.min(...figures) }
    },
    ({ name }, figures) => samples.add(name, figures),
  )
  const names = contestants.map(({ name }) => name)
  return samples.table(names, names.slice(0, -1))
}

/** What a new process pays, as it prints it. @param {string} file the bundled parts @param {number} rounds */
async function benchLoad(file, rounds) {
  const program = `
    const { readFileSync } = await import('node:fs')
    const parts = await import(${JSON.stringify(pathToFileURL(file).href)})
    const cpu = () => { const { user, system } = process.cpuUsage(); return (user + system) / 1000 }
    const [start, memory] = [cpu(), process.memoryUsage().rss]
    const embedder = parts.sentenceEmbedder({ folder: ${JSON.stringify(MODEL)}, clock: parts.systemClock })
    const ask = (text) => embedder.embed([text], 'query', new AbortController().signal)
    embedder.windows({ path: '', headings: [], text: '' })
    await ask('')
    const loaded = cpu()
    await ask('how do I try a request again when the server does not answer')
    const first = cpu()
    for (let i = 0; i < 20; i++) await ask('which of these files may an agent write ' + i)
    const later = (cpu() - first) / 20
    console.log(JSON.stringify({ load: loaded - start, first: first - loaded, later,
      memory: (process.memoryUsage().rss - memory) / 1e6 }))`
  const samples = new Samples('a question in a new process', [
    { ...CPU, key: 'load', label: 'loading and a first text, ms of CPU' },
    { ...CPU, key: 'first', label: 'the first question, ms of CPU' },
    { ...CPU, key: 'later', label: 'a later question, ms of CPU' },
    { ...CPU, key: 'memory', label: 'memory, MB' },
  ])
  for (let i = 0; i < rounds; i++) {
    const args = ['--input-type=module', '-e', program]
    samples.add('warrant', JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })))
  }
  return samples.table(['warrant'], [])
}

/** @param {number} chunks @param {number} rounds */
async function benchBuild(chunks, rounds) {
  const source = freshDir()
  const bytes = writeCorpus(source, chunks)
  const samples = new Samples(`building a packet of ${(bytes / 1e6).toFixed(2)} MB`, [
    CPU,
    { ...CPU, key: 'wall', label: 'time, ms' },
  ])
  const contestants = ['words', 'minilm']
  await interleave(
    contestants,
    rounds,
    async (embedder) => {
      const [before, started] = [waitedNs(), performance.now()]
      const words = [
        '--name',
        'bench',
        '--version',
        '1',
        '--out',
        freshDir(),
        '--json',
        '--embedder',
        embedder,
      ]
      runNode([join(projectDir, 'dist/bin/warrant.js'), 'packet', 'build', source, ...words])
      return { cpu: (waitedNs() - before) / 1e6, wall: performance.now() - started }
    },
    (name, figures) => samples.add(name, figures),
  )
  return samples.table(contestants, ['words'])
}

await runBench(['rounds'], async (options) => {
  const rounds = roundCount(options, 5)
  const quick = options.quick === true
  const folder = freshDir()
  const parts = await loadParts(folder)
  return {
    bench: 'The sentence embedder',
    rounds,
    tables: [
      await benchText(parts, 128, rounds),
      await benchText(parts, 16, rounds),
      await benchLoad(await bundleParts(folder), rounds),
      await benchBuild(quick ? 100 : 500, Math.min(rounds, 3)),
    ],
  }
})
