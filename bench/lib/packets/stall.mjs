import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { projectDir } from '../contestants.mjs'
import { Samples } from '../report.mjs'
import { interleave } from '../rounds.mjs'
import { freshDir } from '../server.mjs'
import { DIM, makeQuestions, makeRows, numbers } from './data.mjs'
import { loadParts } from './parts.mjs'

const SEARCHES = 20

/** @type {import('../report.mjs').Column[]} */
const COLUMNS = [{ key: 'main', label: 'CPU of the main thread for a search, ms', digits: 2, best: 'min' }]

/** CPU time of the main thread, in milliseconds. */
const mainCpu = () =>
  Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6

/**
 * How long other calls wait while a large index is searched: in the main thread, or in a worker as in the product.
 *
 * @param {number} rows
 * @param {number} rounds
 */
export async function benchStall(rows, rounds) {
  const parts = await loadParts(freshDir())
  const folder = freshDir()
  const next = numbers()
  const values = makeRows(rows, true, next)
  const questions = makeQuestions(values, SEARCHES, next)
  const files = { index: join(folder, 'index.faiss'), table: join(folder, 'index.i8') }
  await writeFile(files.index, parts.writeFlatIndex({ rows, dim: DIM, values }))
  const shape = { rows, dim: DIM }
  const program = pathToFileURL(join(projectDir, 'dist/threads/vector.js'))
  const thread = new parts.VectorThread(program, parts.systemClock)
  const contestants = [
    { name: 'here', index: await parts.openVectors(files, shape, parts.systemClock) },
    { name: 'in a thread', index: await thread.open(files, shape) },
  ]
  const samples = new Samples(`searching ${rows} × ${DIM}`, COLUMNS)
  await interleave(
    contestants,
    rounds,
    async ({ index }) => {
      const before = mainCpu()
      for (let i = 0; i < SEARCHES; i++)
        await index.search(questions.subarray(i * DIM, (i + 1) * DIM), 10, new AbortController().signal)
      return { main: (mainCpu() - before) / SEARCHES }
    },
    ({ name }, figures) => samples.add(name, figures),
  )
  for (const { index } of contestants) index.close()
  await thread.close()
  return [samples.table(['here', 'in a thread'], ['here'])]
}
