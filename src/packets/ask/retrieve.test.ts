import { describe, expect, it } from 'vitest'
import { noAbort } from '../../../test/support/packet-setup.ts'
import { lexicalOf } from '../../../test/support/word-index.ts'
import type { DocRows } from '../format/docs.ts'
import { LOCAL_DIM, LOCAL_MODEL, localEmbedder } from '../search/local-embedder.ts'
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

describe('a pinned model that a packet was not built with', () => {
  const digest = `sha256:${'7'.repeat(64)}`
  const pinned = { ...localEmbedder, model: `minilm-q8-w128@${digest}`, onlyOwnVectors: true }
  const ask = async (packet: Partial<OpenPacket>, mode: 'hybrid' | 'dense' = 'hybrid') =>
    retrieve({
      packet: { ...(await packetWith({})), ...packet },
      question: 'wick',
      k: 2,
      mode,
      embedder: pinned,
      signal: noAbort,
    })

  it('leaves the search to words, and makes no vectors', async () => {
    const rebuild = () => Promise.reject(new Error('made vectors'))
    expect(await ask({ rebuild })).toMatchObject({
      mode: 'lexical',
      warnings: [`no embedder for ${LOCAL_MODEL} is configured: searched by words alone`],
    })
    await expect(ask({}, 'dense')).rejects.toMatchObject({ code: 'packet.no_vectors' })
  })

  it('is used where vectors of it were made beside the packet', async () => {
    const { vectors } = await packetWith({})
    expect(
      await ask({ rebuilt: async (model) => (model === pinned.model ? vectors : undefined) }),
    ).toMatchObject({
      mode: 'hybrid',
      embedding: { model: pinned.model, source: 'rebuilt' },
      warnings: [],
    })
  })

  it('is named by the digest that a packet of it needs', async () => {
    const packet = {
      ...(await packetWith({})),
      manifest: { embedding: { model: pinned.model, dim: LOCAL_DIM } } as OpenPacket['manifest'],
    }
    const request = { packet, question: 'wick', k: 2, mode: 'hybrid', signal: noAbort } as const
    expect((await retrieve({ ...request, embedder: undefined })).warnings).toEqual([
      `no embedder for ${pinned.model} is configured; name the model with --embedder oci://HOST/NAME@${digest}: searched by words alone`,
    ])
  })
})
