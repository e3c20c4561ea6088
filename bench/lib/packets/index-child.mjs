// Warrant's index as a contestant: opens and searches on commands, one a line, on standard input.
// Arguments: the bundled search, the index, its table, the questions as float32, rows, values a row, results.

import { readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { rssMib } from '../proc.mjs'

const [bundle = '', index = '', table = '', questions = '', rows, dim, k] = process.argv.slice(2)
const { openVectors, systemClock } = await import(pathToFileURL(bundle).href)

/** @param {() => Promise<any>} work */
async function measured(work) {
  const [cpu, wall, memory] = [process.cpuUsage(), performance.now(), rssMib(process.pid)]
  const result = await work()
  const { user, system } = process.cpuUsage(cpu)
  const whole = rssMib(process.pid)
  return {
    result,
    figures: {
      cpu: (user + system) / 1000,
      wall: performance.now() - wall,
      memory: whole - memory,
      whole,
    },
  }
}

/** @param {unknown} value */
const say = (value) => process.stdout.write(`${JSON.stringify(value)}\n`)

/** @type {any} */
let opened
const floats = new Float32Array(new Uint8Array(readFileSync(questions)).buffer)
const asked = Array.from({ length: floats.length / Number(dim) }, (_, i) =>
  floats.subarray(i * Number(dim), (i + 1) * Number(dim)),
)

async function search() {
  const found = []
  for (const query of asked) found.push(await opened.search(query, Number(k)))
  return found
}

say({ ready: true })
for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'open') {
    const { result, figures } = await measured(() =>
      openVectors({ index, table }, { rows: Number(rows), dim: Number(dim) }, systemClock),
    )
    opened = result
    say(figures)
  } else {
    const { result, figures } = await measured(search)
    say({ ...figures, rows: result.map((/** @type {any[]} */ hits) => hits.map(({ row }) => row)) })
  }
}
