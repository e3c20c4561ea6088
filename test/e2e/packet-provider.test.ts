import { mkdir, readFile, rename, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFolder, Program, sweep } from '../support/binary.ts'
import { someRows } from '../support/case-count.ts'
import { type Embedding, startEmbedding } from '../support/embedding-process.ts'
import { FaultRegistry } from '../support/fault-registry.ts'
import { initialize } from '../support/messages.ts'
import { makePacket } from '../support/packet-maker.ts'
import { answerOf, call, converse, type Env, makeSource, packetJson } from '../support/packet-program.ts'

/** An address without a listener: a request to it is a bug. */
const NOBODY = 'http://127.0.0.1:1'

const registry = new FaultRegistry()
let embedding: Embedding
beforeAll(async () => {
  await registry.start()
  embedding = await startEmbedding()
})
afterAll(async () => {
  embedding.stop()
  await registry.stop()
  await sweep()
})

/** A folder with a text to pack and a file of providers. */
const project = async (file?: string) => {
  const made = await makeSource()
  const config = join(made.home, '.cpm/config')
  await mkdir(config, { recursive: true })
  const path = join(config, 'embeddings.yml')
  if (file !== undefined) await writeFile(path, file)
  const build = (words: readonly string[], env: Env = {}) =>
    packetJson([...made.embed, ...words], env, made.home)
  return { ...made, config, path, build }
}

const provider = (...lines: readonly string[]) =>
  ['default: main', 'providers:', '  main:', ...lines.map((line) => `    ${line}`)].join('\n')

const letters = (...lines: readonly string[]) =>
  provider('type: http', `url: ${embedding.url}`, 'model: letters-16', ...lines)

/** A packet as a build made it. */
const packetIn = async (folder: string) => {
  const names = ['manifest.json', 'docs.jsonl', 'vectors.f16.bin', 'faiss/index.faiss', 'sparse/bm25.json']
  const files = names.map(async (name) => [name, await readFile(join(folder, name))] as const)
  return makePacket(Object.fromEntries(await Promise.all(files)))
}

describe('a file of providers', () => {
  it('is used by a build that asks for it, and stronger than the variables', async () => {
    const { build } = await project(letters())
    const env = { EMBEDDING_URL: NOBODY, EMBEDDING_MODEL: 'other', EMBEDDING_API_KEY: 'not-for-them' }
    expect(await build(['--provider', 'main'], env)).toMatchObject({
      code: 0,
      answer: { ok: true, model: 'letters-16' },
    })
    const { texts, headers } = await embedding.asked()
    expect(texts.at(-1)).toContain('Trim the wick at dusk.')
    expect(headers).not.toHaveProperty('authorization')
  })

  it.each<[string, readonly string[], Env]>([
    ['the word default', ['--provider', 'default'], {}],
    ['a variable', [], { EMBEDDING_PROVIDER: 'main' }],
    ['an option, whatever the variable says', ['--provider', 'main'], { EMBEDDING_PROVIDER: 'gone' }],
  ])('is asked for by %s', async (_, words, env) => {
    const { build } = await project(letters())
    expect((await build(words, env)).answer).toMatchObject({ ok: true, model: 'letters-16' })
  })

  it('that merely lies there is not read, not even a broken one', async () => {
    const { build, home } = await project(': no YAML [')
    expect((await build([])).answer).toMatchObject({ ok: true, model: expect.stringContaining('MiniLM') })
    const said = await converse([initialize(), call(2, 'query', { ref: 'x', q: 'y' })], {}, [], home)
    expect(answerOf(said, 2)).toMatchObject({ error: 'invalid_query_input' })
  })

  it('cannot be switched on by a file that came along', async () => {
    const { build, home } = await project(letters())
    await writeFile(join(home, 'warrant.json'), '{"provider":"main"}')
    expect(await build([])).toMatchObject({ code: 2, answer: { error: { code: 'config.value' } } })
  })

  it('is weaker than what is said beside it, and its secrets stay with its server', async () => {
    const file = provider(
      `url: ${NOBODY}`,
      'model: other',
      'headers: {x-team: docs}',
      'auth: {type: bearer, token: t}',
    )
    const { build } = await project(file)
    const words = ['--provider', 'main', '--embedding-url', embedding.url, '--embed-model', 'letters-16']
    expect((await build(words)).answer).toMatchObject({ ok: true, model: 'letters-16' })
    const { headers } = await embedding.asked()
    expect(headers).not.toHaveProperty('authorization')
    expect(headers).not.toHaveProperty('x-team')
  })

  it('has its headers, hints, path and batches sent', async () => {
    const { build, source } = await project(
      provider(
        'http:',
        `  base_url: ${embedding.url}/api/`,
        '  embeddings_path: /embed',
        '  headers_static: {X-Team: docs}',
        'headers: {X-Trace: "${TRACE}-1"}',
        'auth: {type: basic, username: ann, password: "${SECRET}"}',
        'batch_size: 2',
        'dims: 16',
        'hints: {dim: 16, normalize: false, task: search, model: letters-16}',
      ),
    )
    await Promise.all(
      [1, 2, 3, 4].map((i) => writeFile(join(source, `${i}.md`), `# Part ${i}\n\nText ${i}.\n`)),
    )
    const before = (await embedding.asked()).sizes.length
    const { answer } = await build(['--provider', 'main'], { TRACE: 'abc', SECRET: 'pass' })
    expect(answer).toMatchObject({ ok: true, model: 'letters-16', chunks: 5 })
    const { sizes, path, headers } = await embedding.asked()
    expect([...sizes.slice(before)].sort()).toEqual([1, 2, 2])
    expect(path).toBe('/api/embed')
    expect(headers).toMatchObject({
      authorization: `Basic ${Buffer.from('ann:pass').toString('base64')}`,
      'x-team': 'docs',
      'x-trace': 'abc-1',
      'x-embedding-dim': '16',
      'x-embedding-normalize': 'false',
      'x-embedding-task': 'search',
      'x-model-hint': 'letters-16',
    })
  })

  it('keeps vectors of another task apart', async () => {
    const { build, path } = await project(letters())
    await build(['--provider', 'main'])
    await writeFile(path, letters('hints: {task: search}'))
    const before = (await embedding.asked()).texts.length
    expect((await build(['--provider', 'main'])).answer).toMatchObject({ ok: true })
    expect((await embedding.asked()).texts.length).toBe(before + 1)
  })

  it.each<[string, string, string, string]>([
    ['another number of values', 'letters-16', 'dims: 8', 'have 16 values, the provider says 8'],
    ['no numbers', 'nan-16', 'dims: 16', 'NaN or Inf'],
    ['rows that it did not normalise', 'letters-16', 'normalize_mode: server', 'not of length one'],
  ])('of a server that gives %s makes no vectors', async (_, model, line, words) => {
    const { build } = await project(provider(`url: ${embedding.url}`, `model: ${model}`, line))
    expect(await build(['--provider', 'main'])).toMatchObject({
      code: 1,
      answer: { ok: false, build_status: 'embedding_failed', build_error: expect.stringContaining(words) },
    })
  })

  it('serves those who ask a packet, on the command line and over MCP', async () => {
    const file = provider(`url: ${embedding.url}`, 'model: key-16', 'auth: {type: bearer, token: "${TOKEN}"}')
    const { build, home, folder } = await project(file)
    const env = { REGISTRY: registry.address, TOKEN: 'sesame' }
    expect((await build(['--provider', 'main'], env)).answer).toMatchObject({ ok: true })
    registry.play(await packetIn(folder), () => false)
    const hybrid = { ok: true, mode: 'hybrid', embedding: { model: 'key-16' } }
    const words = ['query', 'demo', 'when to trim']
    expect((await packetJson(words, env, home)).answer).toMatchObject({ ok: true, mode: 'lexical' })
    expect((await packetJson([...words, '--provider', 'main'], env, home)).answer).toMatchObject(hybrid)
    const lines = [initialize(), call(2, 'query', { ref: 'demo', q: 'who trims the wick' })]
    expect(answerOf(await converse(lines, env, [], home), 2)).toMatchObject({ ok: true, mode: 'lexical' })
    const named = { ...env, EMBEDDING_PROVIDER: 'main' }
    expect(answerOf(await converse(lines, named, [], home), 2)).toMatchObject(hybrid)
    expect(answerOf(await converse(lines, env, ['--provider', 'main'], home), 2)).toMatchObject(hybrid)
  })

  it('makes vectors beside a packet that was fetched', async () => {
    const { home, folder, build } = await project(letters())
    await build(['--provider', 'main'])
    const packet = await packetIn(folder)
    registry.play(packet, () => false)
    const env = { REGISTRY: registry.address }
    const pull = ['pull', 'demo', '--provider', 'main']
    expect((await packetJson(pull, env, home)).code).toBe(2)
    await writeFile(join(home, '.cpm/config/embeddings.yml'), letters().replace('letters-16', 'letters-8'))
    expect((await packetJson([...pull, '--rebuild'], env, home)).answer).toMatchObject({ ok: true })
    const { answer } = await packetJson(['query', 'demo', 'dusk', '--provider', 'main'], env, home)
    expect(answer).toMatchObject({ embedding: { model: 'letters-8', dim: 8, source: 'rebuilt' } })
  })
})

describe('a file of providers that cannot be used', () => {
  const aliases = ['a: &a [x, x]', 'b: &b [*a, *a]', 'c: [*b, *b]'].join('\n')

  const files: readonly (readonly [string, string, string])[] = [
    ['is huge', `# ${'x'.repeat(70_000)}\n`, 'larger than'],
    ['has aliases', aliases, 'not YAML, or has aliases'],
    ['shares a part by an alias', 'default: &d main\nproviders: {main: {url: *d}}', 'or has aliases'],
    ['is very deep', '['.repeat(30_000), 'not YAML'],
    ['is no YAML', 'providers: {main: ', 'not YAML'],
    ['says a thing twice', 'providers: {}\nproviders: {}', 'not YAML'],
    ['is empty', '', 'it: Invalid input'],
    ['is a list', '- url: http://h', 'it: Invalid input'],
    ['lacks the provider', 'providers: {other: {url: http://h}}', 'no provider main'],
    ['asks at no web address', provider('url: file:///etc/passwd'), 'not an http:// or https:// URL'],
    ['wants a variable that is not set', provider('url: http://${NOT_THERE}'), 'NOT_THERE, which is not set'],
    [
      'forges a header',
      provider('url: http://h', 'headers: {a: "b\\r\\nhost: evil"}'),
      'is not a valid header value',
    ],
  ]
  it.each(someRows(files, 3))('because it %s is refused before anything is done', async (_, file, words) => {
    const { build } = await project(file)
    expect(await build(['--provider', 'main'])).toMatchObject({
      code: 2,
      answer: {
        error: {
          code: 'packet.provider',
          message: expect.stringContaining(words),
          fix: expect.stringMatching(/\w/),
        },
      },
    })
  })

  it.each(['link', 'folder', 'nothing', 'linked folder'])(
    'because there is a %s is refused',
    async (what) => {
      const { build, path, home, config } = await project()
      const elsewhere = await makeFolder()
      await writeFile(join(elsewhere, 'embeddings.yml'), letters())
      if (what === 'link') await symlink(join(elsewhere, 'embeddings.yml'), path)
      if (what === 'folder') await mkdir(path)
      if (what === 'linked folder') {
        await rename(config, join(home, 'old'))
        await symlink(elsewhere, config)
      }
      const { code, answer } = await build(['--provider', 'main'])
      expect(code).toBe(2)
      expect(answer).toMatchObject({
        error: { message: expect.stringContaining('no such file'), fix: expect.stringContaining('CPM_ROOT') },
      })
    },
  )

  it('stops a server that is configured to use it, with a message on stderr', async () => {
    const { home } = await project(provider('url: http://h', 'auth: {type: bearer, token: "${KEY}\\n"}'))
    const server = new Program([], {
      binary: 'cpm-mcp',
      cwd: home,
      env: { EMBEDDING_PROVIDER: 'main', KEY: 'hush-hush' },
    })
    const { code, stdout, stderr } = await server.ended()
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('providers.main.auth is not a valid header value')
    expect(stderr).not.toContain('hush-hush')
  })

  it('is no matter to those who do not embed', async () => {
    const { home } = await project('[')
    const env = { EMBEDDING_PROVIDER: 'main' }
    expect((await packetJson(['cache', 'ls'], env, home)).code).toBe(0)
    expect(await packetJson(['cache', 'ls', '--provider', 'main'], {}, home)).toMatchObject({
      code: 2,
      answer: { error: { message: 'packet cache has no option --provider' } },
    })
  })

  it('needs a name to be asked for', async () => {
    const { build } = await project(letters())
    expect((await build(['--provider', ''])).answer).toMatchObject({
      error: { code: 'usage.option', message: expect.stringContaining('needs a name') },
    })
  })
})
