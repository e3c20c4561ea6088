import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { EvidenceDigest } from '../../src/packets/ask/evidence.ts'
import type { LookupResult } from '../../src/packets/ask/lookup.ts'
import type { QueryResult } from '../../src/packets/ask/query.ts'
import { safeName } from '../../src/packets/format/reference.ts'
import { makeFolder, sweep } from '../support/binary.ts'
import { type Behaviour, FaultRegistry } from '../support/fault-registry.ts'
import { LOCAL_MODEL, localEmbedder } from '../support/local-embedder.ts'
import { type MadePacket, makeArtifact, makePacket } from '../support/packet-maker.ts'
import { buildTexts, noAbort, openTestPackets, publishToMemory } from '../support/packet-setup.ts'

const registry = new FaultRegistry()
beforeAll(() => registry.start())
afterAll(() => Promise.all([registry.stop(), sweep()]))

const TEXTS = {
  'guide.md':
    '# Installing\n\nRun the installer and restart.\n\n# Digests\n\nEvery blob is verified against its digest while it streams.\n',
  'code.py': 'def verify(blob):\n    return blob.digest\n',
}

/** A registry that has these packets under these tags. */
const serves =
  (packets: Readonly<Record<string, MadePacket>>): Behaviour =>
  ({ path }, response) => {
    if (path.endsWith('/tags/list')) return response.end(JSON.stringify({ tags: Object.keys(packets) }))
    const [, kind, name = ''] = /\/(manifests|blobs)\/(.+)$/.exec(path) ?? []
    const found =
      kind === 'blobs'
        ? Object.values(packets).flatMap(({ blobs }) => blobs.get(name) ?? [])[0]
        : (packets[name] ?? Object.values(packets).find(({ digest }) => digest === name))?.manifest
    return response.writeHead(found === undefined ? 404 : 200).end(found)
  }

const packetOf = (version: string, more: object = {}): MadePacket =>
  makeArtifact({
    'packet.manifest.json': JSON.stringify({
      schema: 'cpm.packet.metadata',
      schema_version: '1.0',
      packet: { name: 'demo', version, ...more },
      payload: { files: [] },
    }),
  })

const openSetup = async (packets: Readonly<Record<string, MadePacket>>) => {
  const root = await makeFolder()
  registry.play(Object.values(packets)[0] as MadePacket, serves(packets))
  return { root, ...openTestPackets(root, registry.address) }
}

const pinned = ({ digest }: MadePacket) => `oci://${registry.address}/demo@${digest}`
const requests = () => registry.calls.splice(0).map(({ path }) => path.replace('/v2/demo/', ''))

describe('lookup', () => {
  it('of a version costs two requests, then one, and pinned none', async () => {
    const one = packetOf('1.0.0', { tags: ['cpm', 'docs'], entrypoints: ['query', { name: 'deep' }, ' ', 7] })
    const { packets } = await openSetup({ '1.0.0': one, latest: one })
    const answer = (await packets.lookup({ name: 'demo', version: '1.0.0' }, noAbort)) as LookupResult
    expect(answer).toMatchObject({
      ok: true,
      source_uri: `oci://${registry.address}/demo:1.0.0`,
      count: 1,
      selected: {
        pinned_uri: pinned(one),
        name: 'demo',
        version: '1.0.0',
        entrypoints: ['query', 'deep'],
        tags: ['cpm', 'docs'],
        kind: '',
        capabilities: [],
        compat: { os: [], arch: [] },
      },
    })
    expect(requests()).toHaveLength(2)
    expect(await packets.lookup({ ref: answer.selected.pinned_uri }, noAbort)).toMatchObject({
      ok: true,
      selected: answer.selected,
    })
    expect(await packets.lookup({ ref: 'demo@1.0.0' }, noAbort)).toMatchObject({ selected: answer.selected })
    // Asked by a tag it may mean something new; what is known of its digest is not asked for again.
    expect(requests()).toEqual(['manifests/1.0.0'])
  })

  it('without a name asks for one', async () => {
    const { packets } = await openSetup({ latest: packetOf('1.0.0') })
    expect(await packets.lookup({ capability: 'rag' }, noAbort)).toMatchObject({
      error: 'invalid_lookup_input',
      detail: 'no packet is named',
      hint: expect.stringContaining('Give name or ref'),
    })
  })

  it('without a version costs three requests, and none within three minutes', async () => {
    const one = packetOf('1.0.0')
    const { packets, root } = await openSetup({ '1.0.0': one, latest: one })
    const first = await packets.lookup({ name: 'demo' }, noAbort)
    expect(first).toMatchObject({ ok: true, count: 1, source_uri: `oci://${registry.address}/demo:latest` })
    expect(requests()).toEqual(['manifests/latest', expect.stringContaining('blobs/'), 'tags/list'])
    expect(await packets.lookup({ name: 'demo' }, noAbort)).toEqual(first)
    expect(requests()).toEqual([])
    const file = join(
      root,
      'cache/metadata_alias',
      `${safeName(`oci://${registry.address}/demo:latest`)}.json`,
    )
    const kept = JSON.parse(await readFile(file, 'utf8'))
    // It ran out, or was kept before the clock went back by a day.
    for (const expires_at of [1, kept.expires_at + 86_400]) {
      await writeFile(file, JSON.stringify({ ...kept, expires_at }))
      await packets.lookup({ name: 'demo' }, noAbort)
      expect(requests().length).toBeGreaterThan(0)
    }
  })

  it('gives a shortlist of three, what latest means first and then the newest', async () => {
    const versions = ['1.9.0', '1.10.0', '2.0.0-rc1', '0.1.0'].map(
      (version) => [version, packetOf(version)] as const,
    )
    const all = Object.fromEntries(versions)
    const { packets } = await openSetup({
      ...all,
      latest: all['1.9.0'] as MadePacket,
      nightly: packetOf('x'),
    })
    const shown = async (words: object) =>
      ((await packets.lookup({ name: 'demo', ...words }, noAbort)) as LookupResult).candidates.map(
        ({ version }) => version,
      )
    expect(await shown({})).toEqual(['1.9.0', '2.0.0-rc1', '1.10.0'])
    expect(await shown({ k: 2 })).toEqual(['1.9.0', '2.0.0-rc1'])
    expect(await shown({ k: 0 })).toEqual(['1.9.0'])
    expect(await shown({ k: 99 })).toHaveLength(3)
    expect(await shown({ alias: 'nightly' })).toEqual(['x'])
  })

  it('does without latest, which older tools never write', async () => {
    const { packets } = await openSetup({ '1.0.0': packetOf('1.0.0'), '2.0.0': packetOf('2.0.0') })
    expect(await packets.lookup({ name: 'demo' }, noAbort)).toMatchObject({
      ok: true,
      selected: { version: '2.0.0' },
    })
  })

  it('passes over what is no packet among the newest, and says so', async () => {
    const one = packetOf('1.0.0')
    const odd = makeArtifact({ 'image.txt': 'a picture of a packet' })
    const { packets } = await openSetup({
      '1.0.0': one,
      latest: one,
      '9.9.9': odd,
      '0.9.0': packetOf('0.9.0'),
    })
    const found = (await packets.lookup({ name: 'demo' }, noAbort)) as LookupResult
    expect(found).toMatchObject({
      ok: true,
      warnings: [expect.stringMatching(/^demo:9\.9\.9 is left out: the packet carries no metadata/)],
    })
    expect(found.candidates.map(({ version }) => version)).toEqual(['1.0.0', '0.9.0'])
    expect(await packets.lookup({ name: 'demo' }, noAbort)).toEqual(found)
    // Asked for by name it is what it is.
    expect(await packets.lookup({ name: 'demo', version: '9.9.9' }, noAbort)).toMatchObject({
      ok: false,
      error: 'lookup_failed',
    })
  })

  it('filters what it knows, and remembers nothing of the filter', async () => {
    const one = packetOf('1', { kind: 'docs', entrypoints: ['query'], capabilities: ['rag', 'cite'] })
    const { packets } = await openSetup({ latest: one })
    const find = (words: object) => packets.lookup({ name: 'demo', ...words }, noAbort)
    expect(await find({})).toMatchObject({ ok: true })
    expect(await find({ kind: 'other' })).toEqual({
      ok: false,
      hint: expect.any(String),
      error: 'no_match',
      detail: 'No matches for filters: kind=other',
    })
    expect(
      await find({
        entrypoint: 'query',
        kind: 'docs',
        capability: 'rag, cite',
        os_name: 'linux',
        arch: 'arm64',
      }),
    ).toMatchObject({ ok: true })
    expect(await find({ capability: ['rag', ''], kind: ' ' })).toMatchObject({ ok: true })
    expect(
      await find({ entrypoint: 'y', kind: 'x', capability: ['a', 'b'], os_name: 'linux', arch: 'amd64' }),
    ).toMatchObject({
      detail:
        'No matches for filters: entrypoint=y, kind=x, capability=a, capability=b, os=linux, arch=amd64',
    })
  })

  it('keeps to the systems a packet is for', async () => {
    const picky = makeArtifact({
      'packet.manifest.json': JSON.stringify({
        schema: 'cpm.packet.metadata',
        schema_version: '1.0',
        packet: { name: 'demo', version: '1' },
        compat: { os: ['linux'] },
        payload: { files: [] },
      }),
    })
    const { packets } = await openSetup({ latest: picky })
    expect(await packets.lookup({ name: 'demo', os_name: 'linux', arch: 'any' }, noAbort)).toMatchObject({
      ok: true,
    })
    expect(await packets.lookup({ name: 'demo', os_name: 'windows' }, noAbort)).toMatchObject({
      error: 'no_match',
    })
  })

  it('takes the name and the version from the card of a packet without metadata', async () => {
    const old = makeArtifact({ 'payload/cpm.yml': 'name: old\nversion: 0.9\n', 'payload/docs.jsonl': '' })
    const { packets } = await openSetup({ latest: old })
    expect(await packets.lookup({ ref: 'demo' }, noAbort)).toMatchObject({
      ok: true,
      selected: { name: 'old', version: '0.9', metadata_digest: '' },
    })
    const bare = await openSetup({ latest: makeArtifact({ 'payload/docs.jsonl': '' }) })
    expect(await bare.packets.lookup({ ref: 'demo' }, noAbort)).toMatchObject({ error: 'lookup_failed' })
  })

  it.each([
    [{}, 'invalid_lookup_input'],
    [{ name: 'demo', version: '9' }, 'lookup_failed'],
    [{ name: 'Demo' }, 'lookup_failed'],
    [{ name: 'demo', version: 'a b' }, 'lookup_failed'],
    [{ ref: 'oci://10.0.0.1/demo:1' }, 'lookup_failed'],
    [{ ref: 'oci://user:pw@h/demo' }, 'lookup_failed'],
  ])('%j fails as %s', async (words, error) => {
    const { packets } = await openSetup({ latest: packetOf('1') })
    expect(await packets.lookup(words, noAbort)).toMatchObject({
      ok: false,
      error,
      detail: expect.any(String),
    })
  })

  it('says that no registry is set', async () => {
    const { packets } = openTestPackets(await makeFolder(), '')
    expect(await packets.lookup({ name: 'demo' }, noAbort)).toEqual({
      ok: false,
      hint: expect.any(String),
      error: 'invalid_lookup_input',
      detail: 'REGISTRY not set and no oci:// ref provided',
    })
  })
})

describe('query', () => {
  const published = async (
    options: Parameters<typeof publishToMemory>[1] = {},
    build: Parameters<typeof buildTexts>[1] = {},
  ) => publishToMemory(await buildTexts(TEXTS, build), options)

  it('fetches a packet once, and then needs no network', async () => {
    const packet = await published()
    const { packets, root } = await openSetup({ latest: packet })
    const first = (await packets.query(
      { ref: 'demo', q: 'how is a digest verified' },
      noAbort,
    )) as QueryResult
    expect(first).toMatchObject({
      ok: true,
      pinned_uri: pinned(packet),
      digest: packet.digest,
      cache: { hit: false },
      k: 5,
      mode: 'hybrid',
      embedding: { model: LOCAL_MODEL, dim: 384, source: 'packet' },
      warnings: [],
    })
    expect(first.results[0]).toMatchObject({
      path: 'guide.md',
      snippet: expect.stringContaining('verified against'),
    })
    const safe = safeName(packet.digest)
    expect(await readFile(join(root, 'cas', safe, 'payload/manifest.json'), 'utf8')).toContain(LOCAL_MODEL)
    const [print = ''] = await readdir(join(root, 'index', safe))
    expect(print).toMatch(/^[0-9a-f]{16}$/)
    const shared = await stat(join(root, 'index', safe, print, 'index.faiss'))
    expect(shared.ino).toBe((await stat(join(root, 'cas', safe, 'payload/faiss/index.faiss'))).ino)
    expect(
      JSON.parse(await readFile(join(root, 'meta', safe, 'packet.manifest.json'), 'utf8')).packet.name,
    ).toBe('demo')

    requests()
    const offline = openTestPackets(root, registry.address)
    const again = (await offline.packets.query(
      { ref: pinned(packet), q: 'how is a digest verified' },
      noAbort,
    )) as QueryResult
    expect(requests()).toEqual([])
    expect(again).toMatchObject({ ok: true, cache: { hit: true }, results: first.results })
  })

  it('gives lines, clamps k and keeps to its modes', async () => {
    const packet = await published()
    const { packets } = await openSetup({ latest: packet })
    const ask = async (words: object) =>
      (await packets.query({ ref: pinned(packet), q: 'digest', ...words }, noAbort)) as QueryResult
    expect((await ask({ k: 0 })).k).toBe(1)
    expect((await ask({ k: 999 })).k).toBe(20)
    const dense = await ask({ mode: 'dense' })
    expect(dense).toMatchObject({ mode: 'dense' })
    const scores = dense.results.map(({ score }) => score)
    expect(scores).toEqual([...scores].sort((a, b) => b - a))
    const lexical = await ask({ mode: 'lexical', q: 'installer' })
    expect(lexical).toMatchObject({ mode: 'lexical', results: [{ path: 'guide.md', start: 1 }] })
    expect(
      (await ask({ mode: 'lexical', q: 'blob' })).results.find(({ path }) => path === 'code.py'),
    ).toMatchObject({
      start: 1,
      end: 2,
    })
  })

  it('without the model of a packet searches by words and says so; never with another model', async () => {
    const other = { ...localEmbedder, model: 'acme/embed' }
    const packet = await published({}, { embedder: other })
    const { packets, root } = await openSetup({ latest: packet })
    expect(await packets.query({ ref: 'demo', q: 'installer' }, noAbort)).toMatchObject({
      ok: true,
      mode: 'lexical',
      warnings: ['no embedder for acme/embed is configured: searched by words alone'],
      results: [{ path: 'guide.md' }],
    })
    expect(await packets.query({ ref: 'demo', q: 'installer', mode: 'dense' }, noAbort)).toMatchObject({
      ok: false,
      error: 'index_failed',
      digest: packet.digest,
      results: [],
    })
    const mixed = openTestPackets(root, registry.address, () => localEmbedder)
    expect(await mixed.packets.query({ ref: pinned(packet), q: 'installer' }, noAbort)).toMatchObject({
      ok: false,
      error: 'embedding_model_mismatch',
      detail: expect.stringMatching(/acme\/embed.*warrant-local/),
    })
    const short = { ...other, embed: async () => ({ rows: 1, dim: 3, values: new Float32Array(3) }) }
    const wrong = openTestPackets(root, registry.address, () => short)
    expect(await wrong.packets.query({ ref: pinned(packet), q: 'installer' }, noAbort)).toMatchObject({
      error: 'embedding_model_mismatch',
      detail: expect.stringContaining('384'),
    })
  })

  it.each<[string, Parameters<typeof publishToMemory>[1], object]>([
    [
      'without vectors',
      { embeddings: false },
      { ok: true, mode: 'lexical', warnings: ['the packet has no vectors: searched by words alone'] },
    ],
    [
      'without documents',
      { docs: false },
      { ok: false, error: 'index_failed', detail: 'unable to generate index from docs.jsonl' },
    ],
    ['of metadata alone', { minimal: true }, { ok: false, error: 'index_failed', results: [] }],
  ])('of a packet published %s', async (_, options, answer) => {
    const packet = await published(options)
    const { packets } = await openSetup({ latest: packet })
    expect(await packets.query({ ref: 'demo', q: 'digest' }, noAbort)).toMatchObject({
      digest: packet.digest,
      ...answer,
    })
  })

  it('of signs without words finds nothing, and says why', async () => {
    const { packets } = await openSetup({ latest: await published() })
    expect(await packets.query({ ref: 'demo', q: '?!' }, noAbort)).toMatchObject({
      ok: true,
      results: [],
      warnings: ['the embedder returned a zero vector for the question: searched by words alone'],
    })
  })

  it('makes the index again from the halves when it was published without', async () => {
    const files = new Map(await buildTexts(TEXTS))
    files.delete('faiss/index.faiss')
    const { packets } = await openSetup({ latest: await publishToMemory(files) })
    expect(await packets.query({ ref: 'demo', q: 'digest' }, noAbort)).toMatchObject({
      ok: true,
      mode: 'hybrid',
    })
  })

  it.each<[string, (files: Map<string, Uint8Array>) => void, string]>([
    [
      'a line that is no chunk',
      (files) => files.set('docs.jsonl', Buffer.from('{"text":"a"}\nnope\n')),
      'packet_invalid',
    ],
    ['a line too few', (files) => files.set('docs.jsonl', Buffer.from('{"text":"a"}\n')), 'packet_invalid'],
    [
      'an index cut off',
      (files) =>
        files.set('faiss/index.faiss', (files.get('faiss/index.faiss') as Uint8Array).subarray(0, 99)),
      'packet_invalid',
    ],
    [
      'an index of another shape',
      (files) =>
        files.set(
          'manifest.json',
          Buffer.from(
            Buffer.from(files.get('manifest.json') as Uint8Array)
              .toString()
              .replace('"dim": 384', '"dim": 383'),
          ),
        ),
      'packet_invalid',
    ],
    [
      'a manifest without a model',
      (files) =>
        files.set('manifest.json', Buffer.from('{"embedding":{},"cpm":{"name":"demo","version":"1"}}')),
      'invalid_manifest',
    ],
    ['no manifest', (files) => files.delete('manifest.json'), 'packet_not_found'],
  ])('of a packet with %s fails with a word for it', async (_, damage, error) => {
    const files = new Map(await buildTexts(TEXTS))
    damage(files)
    const payload = Object.fromEntries(files)
    const { packets } = await openSetup({ latest: makePacket(payload) })
    expect(await packets.query({ ref: 'demo', q: 'digest' }, noAbort)).toMatchObject({
      ok: false,
      error,
      results: [],
    })
  })

  it('reads a packet of the tool the formats come from, without its words index', async () => {
    const files = new Map(await buildTexts(TEXTS))
    files.delete('sparse/bm25.json')
    const ask = async () => {
      const { packets } = await openSetup({ latest: makePacket(Object.fromEntries(files)) })
      return packets.query({ ref: 'demo', q: 'digest' }, noAbort)
    }
    // A packet of ours does not need it: its ranking comes from the chunks.
    expect(await ask()).toMatchObject({ ok: true, mode: 'hybrid', warnings: [] })
    const { lexical: _, ...manifest } = JSON.parse(Buffer.from(files.get('manifest.json') ?? '').toString())
    files.set('manifest.json', Buffer.from(JSON.stringify(manifest)))
    expect(await ask()).toMatchObject({
      ok: true,
      mode: 'hybrid',
      warnings: ['sparse_index_missing_fallback_runtime'],
    })
  })

  it.each([
    [{ ref: 'demo', q: '  ' }, 'invalid_query_input'],
    [{ ref: 'demo:nope', q: 'x' }, 'materialize_failed'],
    [{ ref: '', q: 'x' }, 'invalid_query_input'],
  ])('%j fails as %s', async (words, error) => {
    const { packets } = await openSetup({ latest: packetOf('1') })
    expect(await packets.query(words, noAbort)).toMatchObject({ ok: false, error })
  })

  it('is served by one opening when many ask at once', async () => {
    const packet = await published()
    const { packets, root } = await openSetup({ latest: packet })
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => packets.query({ ref: pinned(packet), q: 'digest' }, noAbort)),
    )
    expect(new Set(answers.map((one) => JSON.stringify((one as QueryResult).results))).size).toBe(1)
    expect(await readdir(join(root, 'cas'))).toHaveLength(1)
  })

  it('opens a packet anew that could not be opened before', async () => {
    const packet = await published()
    const { packets: before, root } = await openSetup({ latest: packet })
    await before.query({ ref: pinned(packet), q: 'digest' }, noAbort)
    const folder = join(root, 'index', safeName(packet.digest))
    const index = join(folder, (await readdir(folder)).find((name) => name !== 'seal') ?? '', 'index.faiss')
    await rm(index)
    await writeFile(index, 'damaged')
    const { packets } = openTestPackets(root, registry.address)
    expect(await packets.query({ ref: pinned(packet), q: 'digest' }, noAbort)).toMatchObject({ ok: false })
    await rm(index)
    expect(await packets.query({ ref: pinned(packet), q: 'digest' }, noAbort)).toMatchObject({ ok: true })
  })
})

describe('plan_from_intent', () => {
  it('gives calls that can be made as they are', async () => {
    const packet = await publishToMemory(await buildTexts(TEXTS, { kind: 'docs', capabilities: ['rag'] }))
    const { packets } = await openSetup({ latest: packet, '1.0.0': packet })
    const asked = await packets.plan(
      { intent: 'Need packet:demo for search', constraints: { entrypoint: 'query' } },
      noAbort,
    )
    expect(asked).toMatchObject({
      ok: true,
      intent_mode: 'query',
      selected: [
        {
          pinned_uri: pinned(packet),
          entrypoint: 'query',
          args_template: { ref: pinned(packet), q: '{question}', k: 5 },
          why: "selected demo@1.0.0 for query intent 'Need packet:demo for search' with capabilities [rag]",
        },
      ],
      fallbacks: [],
      constraints_applied: { entrypoint: 'query' },
    })
    const looked = await packets.plan(
      {
        intent: 'lookup metadata for packet:demo latest version and capabilities',
        constraints: { alias: 'latest' },
      },
      noAbort,
    )
    expect(looked).toMatchObject({
      intent_mode: 'lookup',
      selected: [{ entrypoint: 'lookup', args_template: { ref: pinned(packet), k: 3 } }],
    })
    expect(await packets.lookup({ ref: pinned(packet), k: 3 }, noAbort)).toMatchObject({ ok: true })
    expect(await packets.query({ ref: pinned(packet), q: '{question}', k: 5 }, noAbort)).toMatchObject({
      ok: true,
    })
  })

  it('breaks a tie by asking, and ranks by what the packets say of themselves', async () => {
    const build = async (version: string, texts: Record<string, string>) =>
      publishToMemory(await buildTexts(texts, { version }))
    const [full, thin] = [await build('1.0.0', TEXTS), await build('2.0.0', { 'a.md': 'x' })]
    const { packets } = await openSetup({ latest: thin, '1.0.0': full, '2.0.0': thin })
    expect(
      await packets.plan({ intent: 'where is the digest verified', name_hint: 'demo' }, noAbort),
    ).toMatchObject({
      intent_mode: 'query',
      selected: [{ pinned_uri: pinned(full) }, { pinned_uri: pinned(thin) }],
    })
  })

  it.each(['where is the digest verified', 'metadata of the digests'])(
    'prefers what latest means, then the newest, among equals: %s',
    async (intent) => {
      const build = async (version: string) => publishToMemory(await buildTexts(TEXTS, { version }))
      const [one, two, three] = [await build('1.0.0'), await build('2.0.0'), await build('3.0.0')]
      const { packets } = await openSetup({ latest: two, '1.0.0': one, '2.0.0': two, '3.0.0': three })
      expect(await packets.plan({ intent, name_hint: 'demo' }, noAbort)).toMatchObject({
        selected: [{ pinned_uri: pinned(two) }, { pinned_uri: pinned(three) }],
        fallbacks: [{ pinned_uri: pinned(one) }],
      })
    },
  )

  it('needs a name, and passes on a failed lookup', async () => {
    const { packets } = await openSetup({ latest: packetOf('1') })
    expect(await packets.plan({ intent: 'anything' }, noAbort)).toMatchObject({ error: 'name_hint_required' })
    expect(
      await packets.plan({ intent: 'x', name_hint: 'demo', constraints: { kind: 'z' } }, noAbort),
    ).toMatchObject({ error: 'no_match' })
  })
})

describe('evidence_digest', () => {
  it('stays within its characters and cites lines', async () => {
    const packet = await publishToMemory(await buildTexts(TEXTS))
    const { packets } = await openSetup({ latest: packet })
    const ask = (max_chars?: number) =>
      packets.evidence({ ref: 'demo', question: 'digest of a blob', max_chars }, noAbort)
    const whole = await ask()
    expect(whole).toMatchObject({
      ok: true,
      ref: 'demo',
      question: 'digest of a blob',
      digest: packet.digest,
      pinned_uri: pinned(packet),
    })
    expect(whole).toHaveProperty('summary', expect.stringMatching(/^- (?:guide\.md|code\.py):\d+-\d+: /))
    const least = (await ask(1)) as EvidenceDigest
    expect(least.evidence.reduce((sum, { snippet }) => sum + snippet.length, 0)).toBeLessThanOrEqual(64)
    expect(least.evidence.every(({ snippet }) => !snippet.includes('\n'))).toBe(true)
    expect(await packets.evidence({ ref: 'demo:no', question: 'x' }, noAbort)).toMatchObject({
      error: 'materialize_failed',
    })
  })
})
