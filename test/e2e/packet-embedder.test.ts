import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { httpEmbedder } from '../../src/platform/packets/embedder.ts'
import { type AskSetting, askPacket } from '../support/ask-packet.ts'
import { BINARY, cleanEnvironment, makeFolder, sweep } from '../support/binary.ts'
import { type Embedding, startEmbedding } from '../support/embedding-process.ts'
import { FaultRegistry } from '../support/fault-registry.ts'
import { type MadePacket, makePacket } from '../support/packet-maker.ts'
import { buildTexts, publishToMemory } from '../support/packet-setup.ts'

const TEXTS = {
  'guide.md': '# Guide\n\nThe lighthouse keeper trims the wick at dusk.\n',
  'rota.md': '# Rota\n\nOn Sundays the harbour master brings the oil.\n',
}

const registry = new FaultRegistry()
let embedding: Embedding
let url = ''

beforeAll(async () => {
  await registry.start()
  embedding = await startEmbedding()
  url = embedding.url
})
afterAll(async () => {
  embedding.stop()
  await registry.stop()
  await sweep()
})

const asked = () => embedding.asked()

const filesOf = async (model: string) =>
  new Map(await buildTexts(TEXTS, { embedder: httpEmbedder({ url, model }) }))
const packetOf = async (model: string) => publishToMemory(await filesOf(model))

const ask = (packet: MadePacket, words: object, setting?: AskSetting) =>
  askPacket(registry, packet, words, setting)

describe('a packet whose vectors come from a server', () => {
  it('is asked with vectors of the same model', async () => {
    const packet = await packetOf('letters-16')
    expect(await ask(packet, {}, { env: { EMBEDDING_URL: url } })).toMatchObject({
      ok: true,
      mode: 'hybrid',
      embedding: { model: 'letters-16', dim: 16, source: 'packet' },
      results: [{ path: 'guide.md', start: 1, end: 3 }, {}],
    })
  })

  it('is asked with the variable of older clients, and of a server that was busy once', async () => {
    const packet = await packetOf('letters-16')
    const env = { EMBEDDING_MODEL: 'busy-16', RAG_EMBED_URL: url }
    expect(await ask(packet, { q: 'oil lamp' }, { env })).toMatchObject({
      ok: false,
      error: 'embedding_model_mismatch',
    })
    expect((await asked()).texts).toContain('oil lamp')
  })

  it.each<[string, Readonly<Record<string, string>>, object]>([
    [
      'another model',
      { EMBEDDING_MODEL: 'letters-8' },
      {
        error: 'embedding_model_mismatch',
        detail: 'the packet was built with letters-16, the embedder is letters-8',
        hint: expect.stringContaining('EMBEDDING_MODEL'),
      },
    ],
    [
      'an address where nobody listens, and the model another',
      { EMBEDDING_URL: 'http://127.0.0.1:1', EMBEDDING_MODEL: 'letters-16' },
      { ok: true, mode: 'lexical', warnings: [expect.stringContaining('cannot be reached')] },
    ],
    [
      'no address',
      { EMBEDDING_URL: '' },
      { ok: true, mode: 'lexical', warnings: [expect.stringContaining('no embedder for letters-16')] },
    ],
  ])('with %s configured gives a word about it', async (_, env, answer) => {
    const packet = await packetOf('letters-16')
    expect(await ask(packet, {}, { env: { EMBEDDING_URL: url, ...env } })).toMatchObject({
      digest: packet.digest,
      ...answer,
    })
  })

  it('of a server that gives vectors of another length is not asked with them', async () => {
    const files = await filesOf('letters-16')
    const manifest = Buffer.from(files.get('manifest.json') as Uint8Array).toString()
    files.set('manifest.json', Buffer.from(manifest.replaceAll('letters-16', 'letters-8')))
    const packet = makePacket(Object.fromEntries(files))
    expect(await ask(packet, {}, { env: { EMBEDDING_URL: url } })).toMatchObject({
      ok: false,
      error: 'embedding_model_mismatch',
      detail: 'the packet has vectors of 16 values, the embedder gives 8',
      hint: expect.stringContaining('EMBEDDING_MODEL'),
      results: [],
    })
  })

  it('needs the key of its server, and says so without it', async () => {
    const embed = httpEmbedder({ url, model: 'key-16', key: 'sesame' })
    const packet = await publishToMemory(await buildTexts(TEXTS, { embedder: embed }))
    const env = { EMBEDDING_URL: url }
    expect(await ask(packet, {}, { env })).toMatchObject({
      ok: true,
      mode: 'lexical',
      warnings: [expect.stringContaining('401')],
    })
    expect(await ask(packet, {}, { env: { ...env, EMBEDDING_API_KEY: 'sesame' } })).toMatchObject({
      ok: true,
      mode: 'hybrid',
    })
  })

  it('that came without vectors gets them with the first question, if the server is there', async () => {
    const packet = await publishToMemory(await filesOf('letters-16'), { embeddings: false })
    const before = (await asked()).texts.length
    expect(await ask(packet, { q: 'first wick' }, { env: { EMBEDDING_URL: url } })).toMatchObject({
      ok: true,
      mode: 'hybrid',
      embedding: { model: 'letters-16', dim: 16, source: 'rebuilt' },
    })
    expect((await asked()).texts.slice(before).sort()).toEqual(
      ['first wick', ...Object.values(TEXTS).map((text) => text.trim())].sort(),
    )
    expect(await ask(packet, {}, { env: { EMBEDDING_URL: 'http://127.0.0.1:1' } })).toMatchObject({
      ok: true,
      mode: 'lexical',
      warnings: [expect.stringContaining('cannot be reached')],
    })
    expect(await ask(packet, {})).toMatchObject({
      ok: true,
      mode: 'lexical',
      warnings: ['the packet has no vectors: searched by words alone'],
    })
  })

  it('that came without vectors gets them once, however many ask at the same time', async () => {
    const files = await buildTexts(
      { ...TEXTS, 'bell.md': '# Bell\n\nIt rings at noon.\n' },
      { embedder: httpEmbedder({ url, model: 'letters-16' }) },
    )
    const packet = await publishToMemory(files, { embeddings: false })
    const setting = { home: await makeFolder(), env: { EMBEDDING_URL: url } }
    const before = (await asked()).texts.length
    const all = await Promise.all(Array.from({ length: 5 }, () => ask(packet, { q: 'noon' }, setting)))
    expect(new Set(all.map(({ results }) => JSON.stringify(results))).size).toBe(1)
    expect(all[0]).toMatchObject({ ok: true, mode: 'hybrid' })
    const documents = (await asked()).texts.slice(before).filter((text) => text.startsWith('# Rota'))
    expect(documents).toHaveLength(1)
  })

  it('of a server that answers with no numbers is not asked with them', async () => {
    const files = await filesOf('letters-16')
    const manifest = Buffer.from(files.get('manifest.json') as Uint8Array).toString()
    files.set('manifest.json', Buffer.from(manifest.replaceAll('letters-16', 'nan-16')))
    expect(
      await ask(makePacket(Object.fromEntries(files)), {}, { env: { EMBEDDING_URL: url } }),
    ).toMatchObject({ ok: false, error: 'retrieval_failed', detail: expect.stringContaining('NaN or Inf') })
  })
})

describe('a question that cannot be answered', () => {
  it('is refused when it is blank', async () => {
    expect(await ask(await packetOf('letters-16'), { q: ' \n' })).toEqual({
      ok: false,
      hint: expect.any(String),
      error: 'invalid_query_input',
      detail: 'q must not be blank',
    })
  })

  it.each([{ docs: false }, { minimal: true }])(
    'says that the packet came without documents: %j',
    async (parts) => {
      const packet = await publishToMemory(await filesOf('letters-16'), parts)
      expect(await ask(packet, {}, { env: { EMBEDDING_URL: url } })).toMatchObject({
        ok: false,
        error: 'index_failed',
        digest: packet.digest,
        detail: 'unable to generate index from docs.jsonl',
        hint: expect.stringContaining('documents'),
      })
    },
  )

  it('says that the index is damaged', async () => {
    const files = await filesOf('letters-16')
    const index = files.get('faiss/index.faiss') as Uint8Array
    files.set('faiss/index.faiss', index.subarray(0, index.length - 4))
    expect(
      await ask(makePacket(Object.fromEntries(files)), {}, { env: { EMBEDDING_URL: url } }),
    ).toMatchObject({
      ok: false,
      error: 'packet_invalid',
      detail: expect.stringContaining('length'),
      hint: expect.stringContaining('packet'),
    })
  })

  it('says that the disk is full, and leaves nothing behind', async () => {
    const files = await filesOf('letters-16')
    files.set(
      'docs.jsonl',
      Buffer.concat([files.get('docs.jsonl') as Uint8Array, Buffer.alloc(200_000, '\n')]),
    )
    const packet = makePacket(Object.fromEntries(files))
    // A limit on the size of files looks to a program like a disk that is full.
    const through = ['sh', '-c', 'ulimit -f 64; exec "$@"', 'sh']
    expect(await ask(packet, {}, { env: { EMBEDDING_URL: url }, through })).toMatchObject({
      ok: false,
      error: 'materialize_failed',
      detail: 'no space left in the packet folder',
      hint: expect.stringContaining('Free some space'),
    })
  })
})

describe('a build with a server', () => {
  const warrant = async (
    args: readonly string[],
    cwd: string,
    env: Readonly<Record<string, string>> = {},
  ) => {
    const child = spawn(process.execPath, [BINARY, 'packet', ...args, '--json'], {
      cwd,
      env: cleanEnvironment({ EMBEDDING_URL: url, EMBEDDING_MODEL: 'letters-16', ...env }),
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let text = ''
    child.stdout.setEncoding('utf8').on('data', (part: string) => {
      text += part
    })
    const [code] = await once(child, 'close')
    return { code, answer: JSON.parse(text) }
  }

  it('asks in batches, some at a time, and for no text twice, in whatever packet it stands', async () => {
    const home = await makeFolder()
    await mkdir(join(home, '.cpm'))
    const sections = Array.from({ length: 200 }, (_, i) => `# Part ${i}\n${`line of ${i}\n`.repeat(40)}`)
    await writeFile(join(home, 'book.md'), sections.join('\n'))
    const before = await asked()
    const first = await warrant(
      ['build', home, '--name', 'one', '--version', '1', '--out', `${home}/.out`],
      home,
    )
    expect(first).toMatchObject({ code: 0, answer: { ok: true, model: 'letters-16' } })
    const after = await asked()
    const sizes = after.sizes.slice(before.sizes.length)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(64)
    expect(after.most).toBeGreaterThan(1)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(first.answer.chunks)
    await writeFile(join(home, 'more.md'), '# More\n\nA section that is new.\n')
    const second = await warrant(
      ['build', home, '--name', 'two', '--version', '1', '--out', `${home}/.out`],
      home,
    )
    expect(second.answer.chunks).toBe(first.answer.chunks + 1)
    expect((await asked()).texts.length - after.texts.length).toBe(1)
    expect(await readdir(join(home, '.cpm/cache/embeddings/documents'))).toHaveLength(1)
  })

  it('puts prefixes before texts, and queries of the packet use the same ones', async () => {
    const home = await makeFolder()
    await writeFile(join(home, 'note.md'), '# Note\n\nThe bell rings at noon.\n')
    await mkdir(join(home, '.cpm/config'), { recursive: true })
    const provider = { url, query_prefix: 'query: ', document_prefix: 'passage: ' }
    await writeFile(
      join(home, '.cpm/config/embeddings.yml'),
      JSON.stringify({ default: 'e5', providers: { e5: provider } }),
    )
    const env = { EMBEDDING_PROVIDER: 'default' }
    const build = ['build', home, '--name', 'demo', '--version', '1', '--out', `${home}/.out`]
    await warrant(build, home)
    // The lock fixed vectors of the texts alone.
    expect((await warrant(build, home, env)).code).not.toBe(0)
    const { answer } = await warrant([...build, '--update-lock'], home, env)
    expect((await asked()).texts.at(-1)).toBe('passage: # Note\n\nThe bell rings at noon.')
    const files = ['manifest.json', 'docs.jsonl', 'vectors.f16.bin', 'faiss/index.faiss', 'sparse/bm25.json']
    const read = files.map(async (name) => [name, await readFile(join(answer.folder, name))] as const)
    const packet = makePacket(Object.fromEntries(await Promise.all(read)))
    expect(await ask(packet, { q: 'when is the bell' }, { env: { EMBEDDING_URL: url } })).toMatchObject({
      ok: true,
      mode: 'hybrid',
    })
    expect((await asked()).texts.at(-1)).toBe('query: when is the bell')
  })
})
