import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeWith } from '../services.ts'
import { BINARY, cleanEnvironment, sweep } from '../support/binary.ts'
import { EmbeddingServer } from '../support/embedding-server.ts'
import { initialize, request } from '../support/messages.ts'
import { type Env, makeSource, packetJson } from '../support/packet-program.ts'
import { RegistryProxy } from '../support/registry-proxy.ts'

const server = new EmbeddingServer()
beforeAll(() => server.start())
afterAll(() => Promise.all([server.stop(), sweep()]))

const warrant = packetJson

describe('a build with a lock', () => {
  it('is repeated only unchanged, unless --update-lock accepts the change', async () => {
    const { home, folder, build } = await makeSource()
    expect(await warrant([...build, '--frozen-lockfile'])).toMatchObject({
      code: expect.any(Number),
      stderr: '',
      answer: { error: { code: 'packet.lock_drift' } },
    })
    expect((await warrant(build)).code).toBe(0)
    expect((await warrant([...build, '--frozen-lockfile'])).code).toBe(0)
    const before = await readFile(join(folder, 'docs.jsonl'), 'utf8')
    await writeFile(join(home, 'src/guide.md'), '# Wicks\n\nDo not trim.\n')
    for (const more of [[], ['--frozen-lockfile']]) {
      const refused = await warrant([...build, ...more])
      expect(refused.code).not.toBe(0)
      expect(JSON.stringify(refused)).toContain('in: inputs')
    }
    expect(await readFile(join(folder, 'docs.jsonl'), 'utf8')).toBe(before)
    expect((await warrant([...build, '--update-lock'])).code).toBe(0)
    expect(await readFile(join(folder, 'docs.jsonl'), 'utf8')).toContain('Do not trim')
    expect((await warrant([...build, '--update-lock', '--frozen-lockfile'])).code).toBe(2)
  })
})

describe('a build with an embedding server', () => {
  it('asks it for the usual model when none is named, and never makes do with another embedder', async () => {
    const { folder, embed } = await makeSource()
    server.texts.length = 0
    expect(await warrant(embed, { RAG_EMBED_URL: server.url })).toMatchObject({
      code: 0,
      answer: { model: 'jinaai/jina-embeddings-v2-base-code', embedded: 1 },
    })
    expect(server.texts).toHaveLength(1)
    expect(JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'))).toMatchObject({
      embedding: { model: 'jinaai/jina-embeddings-v2-base-code', dim: 16 },
    })
  })
})

describe('a build whose embedder is down', () => {
  const down = { EMBEDDING_URL: 'http://127.0.0.1:1', EMBEDDING_MODEL: 'letters' }

  it('leaves the documents, says so and exits with 1', async () => {
    const { folder, embed } = await makeSource()
    const { code, answer } = await warrant(embed, down)
    expect(code).toBe(1)
    expect(answer).toMatchObject({ ok: false, build_status: 'embedding_failed', hint: expect.any(String) })
    expect((await readdir(folder, { recursive: true })).sort()).toEqual([
      'cpm.yml',
      'docs.jsonl',
      'manifest.json',
      'packet.lock.json',
      'sparse',
      'sparse/bm25.json',
    ])
    expect(JSON.parse(await readFile(join(folder, 'manifest.json'), 'utf8'))).toMatchObject({
      embedding: { model: 'letters', dim: 0 },
      files: { docs: 'docs.jsonl', vectors: null, index: null },
      counts: { docs: 1, vectors: 0 },
      build_status: 'embedding_failed',
      build_error: expect.stringContaining('cannot be reached'),
    })
    expect((await warrant(['inspect', folder])).answer).toMatchObject({ build_status: 'embedding_failed' })
    const up = { ...down, EMBEDDING_URL: server.url }
    expect(await warrant(embed, up)).toMatchObject({ code: 0, answer: { ok: true, embedded: 1 } })
  })

  it('does not cost an earlier build its vectors', async () => {
    const { home, folder, embed } = await makeSource()
    await warrant(embed, { ...down, EMBEDDING_URL: server.url })
    const before = await readFile(join(folder, 'manifest.json'), 'utf8')
    await writeFile(join(home, 'src/more.md'), '# More\n\nOil.\n')
    expect(await warrant([...embed, '--update-lock'], down)).toMatchObject({ code: 1 })
    expect(await readFile(join(folder, 'manifest.json'), 'utf8')).toBe(before)
  })
})

describeWith('registry', 'packets of another model', (host) => {
  it('are asked with the options of the first clients, no question twice', async () => {
    const { home, folder, embed } = await makeSource()
    const settings = { EMBEDDING_URL: server.url, EMBEDDING_MODEL: 'letters', REGISTRY: `${host}/verbs` }
    await warrant(embed, settings)
    const { answer } = await warrant(['publish', folder], settings)
    const ask = async () => {
      const options = ['--cpm-dir', join(home, 'kept'), '--registry', `${host}/verbs`]
      const embed = ['--embed-url', server.url, '--embed-model', 'letters']
      const child = spawn(process.execPath, [join(BINARY, '../cpm-mcp.js'), ...options, ...embed], {
        cwd: '/',
        // What is said beats what is set.
        env: cleanEnvironment({ CPM_ROOT: '/nonexistent', EMBEDDING_MODEL: 'other', REGISTRY: 'r.invalid' }),
      })
      let text = ''
      child.stdout.setEncoding('utf8').on('data', (part: string) => {
        text += part
      })
      const call = { name: 'query', arguments: { ref: answer.pinned_uri, q: 'when to trim' } }
      child.stdin.end(`${initialize()}\n${request(2, 'tools/call', call)}\n`)
      await once(child, 'close')
      const lines = text.split('\n').filter((line) => line !== '')
      return lines.map((line) => JSON.parse(line)).find(({ id }) => id === 2)?.result.structuredContent
    }
    server.texts.length = 0
    const [first, second] = [await ask(), await ask()]
    expect(first).toMatchObject({ ok: true, mode: 'hybrid', embedding: { model: 'letters', dim: 16 } })
    expect(second).toEqual({ ...first, cache: { hit: true } })
    expect(server.texts).toEqual(['when to trim'])
    expect(await readdir(join(home, 'kept'))).toContain('cas')
  })

  it('are asked with another model once vectors of it were made, and never before', async () => {
    const other = await new EmbeddingServer(8).start()
    const { home, folder, embed } = await makeSource()
    const env = { REGISTRY: `${host}/rebuilt`, CPM_ROOT: join(home, 'cpm') }
    const letters = { ...env, EMBEDDING_URL: server.url, EMBEDDING_MODEL: 'letters' }
    const sounds = { ...env, EMBEDDING_URL: other.url, EMBEDDING_MODEL: 'sounds' }
    await warrant(embed, letters)
    await warrant(['publish', folder], letters)
    const ask = async (as: Env) => (await warrant(['query', 'guide', 'when to trim'], as)).answer
    expect(await ask(sounds)).toMatchObject({
      ok: false,
      error: 'embedding_model_mismatch',
      hint: expect.stringContaining('--rebuild'),
    })
    expect((await warrant(['pull', 'guide', '--rebuild'], env)).code).toBe(2)
    expect((await warrant(['pull', 'guide', '--rebuild'], sounds)).code).toBe(0)
    expect(await ask(sounds)).toMatchObject({
      ok: true,
      mode: 'hybrid',
      embedding: { model: 'sounds', dim: 8, source: 'rebuilt' },
      results: [{ path: 'guide.md' }],
    })
    expect(await ask(letters)).toMatchObject({ embedding: { model: 'letters', dim: 16, source: 'packet' } })
    expect((await warrant(['verify'], env)).answer).toMatchObject({ ok: true })
    await other.stop()
  })

  it('cost three requests to be looked up, and none when they are pinned and known', async () => {
    const { home, folder, build } = await makeSource()
    const proxy = await new RegistryProxy(host).start()
    const env = { REGISTRY: `${proxy.address}/counted`, CPM_ROOT: join(home, 'cpm') }
    await warrant(build, env)
    await warrant(['publish', folder], env)
    proxy.take()
    const { answer } = await warrant(['lookup', 'guide'], env)
    expect(proxy.take()).toEqual([
      'GET /v2/counted/guide/manifests/latest',
      expect.stringMatching(/^GET \/v2\/counted\/guide\/blobs\/sha256:/),
      'GET /v2/counted/guide/tags/list',
    ])
    const { pinned_uri: pinned } = answer.selected as { pinned_uri: string }
    expect((await warrant(['lookup', pinned], env)).answer).toMatchObject({ ok: true })
    await warrant(['query', pinned, 'wick'], env)
    expect(proxy.take().length).toBeGreaterThan(3)
    const again = await warrant(['query', pinned, 'dusk'], env)
    expect(again.answer).toMatchObject({ ok: true, cache: { hit: true } })
    expect(proxy.take()).toEqual([])
    await proxy.stop()
  })
})
