import { describe, expect, it } from 'vitest'
import { never } from '../../../test/support/packet-world.ts'
import { DocTable } from '../format/docs.ts'
import { LexicalIndex } from '../search/lexical.ts'
import { LOCAL_DIM, LOCAL_MODEL, localEmbedder } from '../search/local-embedder.ts'
import { type OpenPacket, retrieve, type VectorIndex } from './retrieve.ts'

const texts = ['the keeper trims the wick', 'oil for the lamp']

const packetWith = (vectors: Partial<VectorIndex>): OpenPacket => ({
  manifest: { embedding: { model: LOCAL_MODEL, dim: LOCAL_DIM, dtype: 'float16' } } as OpenPacket['manifest'],
  docs: new DocTable(Buffer.from(texts.map((text) => `${JSON.stringify({ text })}\n`).join(''))),
  lexical: LexicalIndex.over(texts),
  vectors: {
    rows: 2,
    dim: LOCAL_DIM,
    search: async () => ({ hits: [{ row: 1, score: 0.5 }], approximate: false }),
    close: () => {},
    ...vectors,
  },
  warnings: [],
  bytes: 0,
  rebuilt: async () => undefined,
  rebuild: async () => {},
  close: () => {},
})

describe('what was found by a graph', () => {
  const search = async () => ({ hits: [{ row: 1, score: 0.5 }], approximate: true })

  it.each(['hybrid', 'dense'] as const)('says so in a %s search', async (mode) => {
    const { warnings } = await retrieve(packetWith({ search }), 'wick', 2, mode, localEmbedder, never)
    expect(warnings).toEqual(['searched by a graph, which may miss a passage'])
  })

  it('is no news where no graph was asked', async () => {
    const { warnings } = await retrieve(packetWith({}), 'wick', 2, 'hybrid', localEmbedder, never)
    expect(warnings).toEqual([])
  })
})
