import { cp, mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { digestBytes } from '../../src/kernel/encoding/hash.ts'
import { retrieve, type SearchMode } from '../../src/packets/ask/retrieve.ts'
import { toQueryHit } from '../../src/packets/ask/snippet.ts'
import type { Embedder } from '../../src/packets/embed.ts'
import { packetReader } from '../../src/platform/packets/reader.ts'
import { systemClock } from '../../src/platform/system/clock.ts'
import { makeFolder, sweep } from '../support/binary.ts'
import { localEmbedder } from '../support/local-embedder.ts'
import { noAbort } from '../support/packet-setup.ts'

/** Packets of earlier builds and of other tools: their answers, scores included, stay what they were. */

afterAll(sweep)

const FIXTURES = fileURLToPath(new URL('../fixtures/packet-answers/', import.meta.url))
const QUESTIONS = [
  'how do I trim the wick',
  'how much oil does the reservoir hold',
  'when is the horn sounded',
  'fillReservoir',
  'parse http header',
  'valve opens at eight bar',
  '三十日',
  'the',
  'whale',
  'lamp lamps filling filled',
]

/** A server that derives the vector of a text from its length. */
const serverEmbedder: Embedder = {
  ...localEmbedder,
  model: 'server-8',
  dim: 8,
  embed: async (texts) => ({
    rows: texts.length,
    dim: 8,
    values: Float32Array.from(
      texts.flatMap(({ length }) => [0, 1, 2, 3, 4, 5, 6, 7].map((i) => ((length * (i + 1)) % 7) - 3)),
    ),
  }),
}
Reflect.deleteProperty(serverEmbedder, 'weight')

const ask = async (name: string) => {
  const root = await makeFolder()
  const folder = join(root, 'cas/packet')
  await mkdir(folder, { recursive: true })
  await cp(join(FIXTURES, name), join(folder, 'payload'), { recursive: true })
  const packet = await packetReader(root, systemClock)(digestBytes(name), folder)
  const embedder = name === 'server-embedded' ? serverEmbedder : localEmbedder
  const modes: readonly SearchMode[] =
    packet.vectors === undefined ? ['lexical'] : ['lexical', 'hybrid', 'dense']
  const answers = []
  for (const question of QUESTIONS) {
    for (const mode of modes) {
      const found = await retrieve({ packet, question, k: 5, mode, embedder, signal: noAbort })
      const hits = await Promise.all(
        found.hits.map(async ({ row, score }) => toQueryHit(await packet.docs.row(row), score)),
      )
      const warnings = [...packet.warnings, ...found.warnings]
      answers.push({ question, mode: found.mode, warnings, hits: hits.map(({ snippet: _, ...hit }) => hit) })
    }
  }
  packet.close()
  return answers
}

describe('the answers of a packet', () => {
  it.each(['plain-words', 'original-layout', 'server-embedded'])(
    'of kind %s are what they were',
    async (name) => {
      const stored = join(FIXTURES, `${name}.json`)
      const answers = await ask(name)
      expect(answers).toEqual(JSON.parse(await readFile(stored, 'utf8')))
    },
  )
})
