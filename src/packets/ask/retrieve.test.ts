import { describe, expect, it } from 'vitest'
import { LOCAL_DIM, LOCAL_MODEL, localEmbedder } from '../../../test/support/local-embedder.ts'
import { noAbort } from '../../../test/support/packet-setup.ts'
import { lexicalOf } from '../../../test/support/word-index.ts'
import type { DocRows } from '../format/docs.ts'
import type { VectorIndex } from '../search/vector-index.ts'
import { type OpenPacket, retrieve } from './retrieve.ts'

const texts = ['the keeper trims the wick', 'oil for the lamp']

const packetWith = async (vectors: Partial<VectorIndex>): Promise<OpenPacket> => ({
  manifest: { embedding: { model: LOCAL_MODEL, dim: LOCAL_DIM, dtype: 'float16' } } as OpenPacket['manifest'],
  docs: {} as DocRows,
  lexical: await lexicalOf(texts),
  vectors: {
    rows: 2,
    dim: LOCAL_DIM,
    search: async () => [{ row: 1, score: 0.5 }],
    close: () => {},
    ...vectors,
  },
  warnings: [],
  bytes: 0,
  rebuilt: async () => undefined,
  rebuild: async () => {},
  close: () => {},
})

describe('a search that could use the vectors', () => {
  it.each(['hybrid', 'dense'] as const)('has no warnings in %s mode', async (mode) => {
    const { warnings, hits } = await retrieve({
      packet: await packetWith({}),
      question: 'wick',
      k: 2,
      mode,
      embedder: localEmbedder,
      signal: noAbort,
    })
    expect(warnings).toEqual([])
    expect(hits.map(({ row }) => row)).toContain(1)
  })
})
