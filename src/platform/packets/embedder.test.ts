import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import type { NormalizeMode } from '../../packets/embed.ts'
import { embeddingsUrl, httpEmbedder, readEmbeddings } from './embedder.ts'

const never = new AbortController().signal
const open: (() => void)[] = []
afterEach(() => {
  for (const close of open.splice(0)) close()
})

type Handler = (
  body: { input: string[]; model: string },
  response: ServerResponse,
  request: IncomingMessage,
) => unknown

/** A real embedding server with configured answers, which records its requests. */
const serve = async (handle: Handler) => {
  const sizes: number[] = []
  const heads: IncomingMessage['headers'][] = []
  const server = createServer((request, response) => {
    let text = ''
    request.on('data', (chunk) => {
      text += chunk
    })
    request.on('end', () => {
      const body = JSON.parse(text)
      sizes.push(body.input.length)
      heads.push(request.headers)
      handle(body, response, request)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  open.push(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const embedder = httpEmbedder({ url, model: 'm', key: 'k', backoffMs: 1, timeoutMs: 1000 })
  return { sizes, heads, url, embed: (texts: string[]) => embedder.embed(texts, 'document', never) }
}

const vectors: Handler = ({ input }, response) =>
  response.end(
    JSON.stringify({ data: input.map((text, index) => ({ index, embedding: [text.length, 1] })).reverse() }),
  )

describe('an embedding server', () => {
  it.each([
    ['http://h', 'http://h/v1/embeddings'],
    ['http://h/', 'http://h/v1/embeddings'],
    ['http://h/v1', 'http://h/v1/embeddings'],
    ['http://h/v1/embeddings', 'http://h/v1/embeddings'],
  ])('%s is asked at %s', (base, url) => {
    expect(embeddingsUrl(base)).toBe(url)
  })

  it('with a path of its own is asked there', () => {
    expect(embeddingsUrl('http://h/a/', '/embed?v=1')).toBe('http://h/a/embed?v=1')
    expect(embeddingsUrl('http://h', '@evil.example/')).toBe('http://h/@evil.example/')
  })

  it('is asked in batches, with the key, and its vectors come back in order and of length one', async () => {
    const { embed, sizes, heads } = await serve(vectors)
    const { rows, dim, values } = await embed(Array.from({ length: 130 }, (_, i) => 'x'.repeat(i)))
    expect({ rows, dim }).toEqual({ rows: 130, dim: 2 })
    expect([...sizes].sort()).toEqual([2, 64, 64])
    expect(heads[0]).toMatchObject({
      authorization: 'Bearer k',
      'x-model-hint': 'm',
      'x-embedding-normalize': 'true',
    })
    for (let i = 0; i < 130; i++) expect(values[2 * i]).toBeCloseTo(i / Math.hypot(i, 1), 6)
  })

  it('that takes only two at once gets two at once', async () => {
    const { embed } = await serve((body, response, request) =>
      body.input.length > 2
        ? response.writeHead(400).end('too many input items')
        : vectors(body, response, request),
    )
    expect((await embed(['a', 'bb', 'ccc', 'dddd', 'eeeee'])).rows).toBe(5)
  })

  it('that takes only short texts gets the beginning of a long one', async () => {
    const { embed } = await serve((body, response, request) =>
      body.input.some((text) => text.length > 3000)
        ? response.writeHead(400).end('{"error":{"message":"maximum context length"}}')
        : vectors(body, response, request),
    )
    const { rows, values } = await embed(['a', `x${'🐋'.repeat(4000)}`, 'bb'])
    expect(rows).toBe(3)
    // Halved until it fits, and not in the middle of a letter.
    expect((values[2] as number) / (values[3] as number)).toBeCloseTo(1999, 0)
  })

  it('that takes no text at all is quoted', async () => {
    const { embed } = await serve((_, response) =>
      response.writeHead(400).end('{"error":{"message":"unknown\\nmodel m"}}'),
    )
    await expect(embed(['a', 'b'])).rejects.toMatchObject({
      code: 'packet.embedder_answer',
      message: 'the embedding server refuses a text with 400: unknown model m',
    })
  })

  it('that refuses the key is not asked in smaller batches', async () => {
    const { embed, sizes } = await serve((_, response) => response.writeHead(403).end())
    await expect(embed(['a', 'b', 'c'])).rejects.toMatchObject({ code: 'packet.embedder_key' })
    expect(sizes).toEqual([3])
  })

  it('that never answers is given up after more than one try', async () => {
    const { sizes, url } = await serve(() => {})
    const embedder = httpEmbedder({ url, model: 'm', backoffMs: 1, timeoutMs: 100, attempts: 2 })
    await expect(embedder.embed(['a'], 'query', never)).rejects.toMatchObject({ code: 'packet.embedder' })
    expect(sizes).toEqual([1, 1])
  })

  it('that is busy is asked again', async () => {
    let calls = 0
    const { embed } = await serve((body, response, request) => {
      calls += 1
      return calls < 3
        ? response.writeHead(calls === 1 ? 503 : 429, { 'retry-after': '0' }).end()
        : vectors(body, response, request)
    })
    expect((await embed(['a'])).rows).toBe(1)
    expect(calls).toBe(3)
  })

  it.each<[string, Handler, string]>([
    ['fails', (_, response) => response.writeHead(500).end(), 'packet.embedder'],
    ['hangs up', (_, response) => response.destroy(), 'packet.embedder'],
    [
      'is busy for a day',
      (_, response) => response.writeHead(429, { 'retry-after': '86400' }).end(),
      'packet.embedder',
    ],
    [
      'leads elsewhere',
      (_, response) => response.writeHead(307, { location: 'http://169.254.169.254/' }).end(),
      'packet.embedder',
    ],
    ['refuses the key', (_, response) => response.writeHead(401).end(), 'packet.embedder_key'],
    ['has no such page', (_, response) => response.writeHead(404).end(), 'packet.embedder_answer'],
    ['refuses a single text', (_, response) => response.writeHead(400).end(), 'packet.embedder_answer'],
    ['speaks no JSON', (_, response) => response.end('<html>'), 'packet.embedder_answer'],
    ['gives nothing', (_, response) => response.end('{"data":[]}'), 'packet.embedder_answer'],
  ])('that %s gets a word about it', async (_, handle, code) => {
    const { embed } = await serve(handle)
    await expect(embed(['a'])).rejects.toMatchObject({ code })
  })
})

describe('an answer with vectors', () => {
  const item = (index: unknown, embedding: unknown) => ({ index, embedding })

  it('may come in base64', () => {
    const embedding = Buffer.from(Float32Array.of(3, 4).buffer).toString('base64')
    expect([...readEmbeddings({ data: [item(0, embedding)] }, 1).values]).toEqual([
      Math.fround(0.6),
      Math.fround(0.8),
    ])
    expect([...readEmbeddings({ data: [item(0, [0, 0])] }, 1).values]).toEqual([0, 0])
  })

  it.each<[NormalizeMode, number[], number[]]>([
    ['client', [3, 4], [0.6, 0.8]],
    ['auto', [3, 4], [0.6, 0.8]],
    ['auto', [0.6, 0.8], [0.6, 0.8]],
    // Near enough to one to be left as it is.
    ['auto', [0.6, 0.8005], [0.6, 0.8005]],
    ['server', [0.6, 0.8005], [0.6, 0.8005]],
    ['server', [0, 0], [0, 0]],
  ])('normalised by %s has %j as %j', (mode, embedding, row) => {
    const { values } = readEmbeddings({ data: [item(0, embedding)] }, 1, mode)
    expect([...values]).toEqual(row.map(Math.fround))
  })

  it('that the server should have normalised and did not is refused', () => {
    expect(() => readEmbeddings({ data: [item(0, [3, 4])] }, 1, 'server')).toThrow(
      expect.objectContaining({ code: 'packet.embedder_answer', fix: expect.stringContaining('auto') }),
    )
  })

  it.each([
    [null],
    [{}],
    [{ data: [item(0, [1])] }],
    [{ data: [item(0, [1]), item(0, [1])] }],
    [{ data: [item(0, [1]), item(2, [1])] }],
    [{ data: [item(0, [1]), item('1', [1])] }],
    [{ data: [item(0, [1]), item(1, [1, 2])] }],
    [{ data: [item(0, []), item(1, [])] }],
    [{ data: [item(0, ['1']), item(1, [1])] }],
    [{ data: [item(0, 'AAA='), item(1, 'AAA=')] }],
    [{ data: [item(0, [1]), 7] }],
  ])('%j is refused', (answer) => {
    expect(() => readEmbeddings(answer, 2)).toThrow(
      expect.objectContaining({ code: 'packet.embedder_answer' }),
    )
  })

  it('with a value that is no number is refused', () => {
    const embedding = Buffer.from(Float32Array.of(Number.NaN, 1).buffer).toString('base64')
    expect(() => readEmbeddings({ data: [item(0, embedding)] }, 1)).toThrow(
      expect.objectContaining({
        code: 'packet.embedder_answer',
        message: expect.stringContaining('NaN or Inf'),
      }),
    )
  })
})
