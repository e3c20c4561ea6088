import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { benchDir } from '../contestants.mjs'
import { Samples } from '../report.mjs'
import { interleave } from '../rounds.mjs'
import { freshDir, Server } from '../server.mjs'
import { Stop, within } from '../stop.mjs'
import { DIM, makeQuestions, makeRows, numbers, plainLoop } from './data.mjs'
import { bundleParts } from './parts.mjs'

const K = 10
const QUESTIONS = 10
const PYTHON = '/usr/bin/python3'
const OPEN_ROUNDS = 3

/** A contestant in its own process, controlled by lines on stdin. */
class Child {
  /** @param {string} name @param {string[]} command */
  constructor(name, command) {
    this.server = new Server({ name, command: () => ['taskset', '-c', '0', ...command] })
    let rest = ''
    /** @type {((line: string) => void)[]} */
    this.waiting = []
    this.server.child.stdout.on('data', (chunk) => {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.waiting.shift()?.(line)
    })
    this.ready = this.next()
  }

  next() {
    const line = new Promise((resolve, reject) => {
      this.waiting.push(resolve)
      this.server.onFailure(reject)
    })
    return within(line, 300, `${this.server.name} did not answer`).then((text) => JSON.parse(String(text)))
  }

  /** @param {'open' | 'search'} what */
  async ask(what) {
    await this.ready
    const answer = this.next()
    this.server.child.stdin.write(`${what}\n`)
    return answer
  }
}

const COLUMNS = [
  { key: 'cpu', label: 'CPU, ms', digits: 2, best: /** @type {const} */ ('min') },
  { key: 'wall', label: 'wall, ms', digits: 2, best: /** @type {const} */ ('min') },
]
const OPEN_COLUMNS = [
  ...COLUMNS,
  { key: 'memory', label: 'resident more than before, MiB', digits: 1, best: /** @type {const} */ ('min') },
  { key: 'whole', label: 'resident in all, MiB', digits: 1, best: /** @type {const} */ ('min') },
]

/** @typedef {{ name: string, command: string[] }} Contestant */

/**
 * @param {string} title
 * @param {Contestant[]} contestants
 * @param {number} rounds
 */
async function compareOpening(title, contestants, rounds) {
  const samples = new Samples(title, OPEN_COLUMNS)
  await interleave(
    contestants,
    rounds,
    async ({ name, command }) => {
      const child = new Child(name, command)
      const figures = await child.ask('open')
      await child.server.stop()
      return figures
    },
    ({ name }, figures) => samples.add(name, figures),
  )
  return samples.table(
    contestants.map(({ name }) => name),
    ['FAISS'],
  )
}

/**
 * @param {string} title
 * @param {Contestant[]} contestants
 * @param {number} rounds
 * @param {number[][]} exact
 */
async function compareSearching(title, contestants, rounds, exact) {
  const samples = new Samples(title, COLUMNS)
  const children = contestants.map(({ name, command }) => ({ name, child: new Child(name, command) }))
  for (const { child } of children) await child.ask('open')
  await interleave(
    children,
    rounds,
    async ({ name, child }) => {
      const { cpu, wall, rows } = await child.ask('search')
      if (JSON.stringify(rows) !== JSON.stringify(exact))
        throw new Stop(`${name} does not find what a loop over all rows finds: ${title}`)
      return { cpu: cpu / QUESTIONS, wall: wall / QUESTIONS }
    },
    ({ name }, figures) => samples.add(name, figures),
  )
  for (const { child } of children) await child.server.stop()
  return samples.table(
    contestants.map(({ name }) => name),
    ['FAISS'],
  )
}

/**
 * Exact search, next to FAISS's flat index over the same file, one thread each on one CPU.
 *
 * @param {readonly number[]} sizes
 * @param {number} rounds
 */
export async function benchSearch(sizes, rounds) {
  if (!existsSync('/usr/lib/python3/dist-packages/faiss'))
    throw new Stop('install the peer first: apt-get install python3-faiss')
  const folder = freshDir()
  const bundle = await bundleParts(folder)
  const { writeFlatIndex, openVectors, systemClock } = await import(pathToFileURL(bundle).href)
  const tables = []
  for (const [i, rows] of [...sizes, ...sizes].sort((a, b) => a - b).entries()) {
    const clustered = i % 2 === 1
    const next = numbers()
    const values = makeRows(rows, clustered, next)
    const questions = makeQuestions(values, QUESTIONS, next)
    const files = { index: join(folder, 'index.faiss'), table: join(folder, 'index.i8') }
    const asked = join(folder, 'questions')
    await writeFile(files.index, writeFlatIndex({ rows, dim: DIM, values }))
    await writeFile(asked, new Uint8Array(questions.buffer))
    const exact = Array.from({ length: QUESTIONS }, (_, q) =>
      plainLoop(values, questions.subarray(q * DIM, (q + 1) * DIM), K),
    )
    const index = await openVectors(files, { rows, dim: DIM }, systemClock)
    index.close()
    const child = join(benchDir, 'lib/packets/index-child.mjs')
    const words = [bundle, files.index, files.table, asked, rows, DIM, K].map(String)
    const contestants = [
      {
        name: 'FAISS',
        command: [
          'env',
          'OMP_NUM_THREADS=1',
          PYTHON,
          join(benchDir, 'lib/packets/faiss-peer.py'),
          files.index,
          asked,
          String(K),
        ],
      },
      { name: 'warrant', command: [process.execPath, child, ...words] },
    ]
    const kind = clustered ? 'clustered' : 'random'
    tables.push(
      await compareSearching(`top ${K} of ${rows} × ${DIM}, ${kind}`, contestants, rounds, exact),
      await compareOpening(`opening ${rows} × ${DIM}, ${kind}`, contestants, Math.min(rounds, OPEN_ROUNDS)),
    )
  }
  return tables
}
