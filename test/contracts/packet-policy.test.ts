import { execFileSync } from 'node:child_process'
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INDEX_TYPE, MANIFEST_TYPE } from '../../src/packets/format/artifact.ts'
import { makeFolder, sweep } from '../support/binary.ts'
import { FaultRegistry } from '../support/fault-registry.ts'
import { EMPTY_CONFIG, type MadePacket, makeArtifact } from '../support/packet-maker.ts'
import { buildTexts, noAbort, openTestPackets, publishToMemory } from '../support/packet-setup.ts'
import { claimText } from '../support/test-sigstore.ts'

const registry = new FaultRegistry()
let packet: MadePacket
beforeAll(async () => {
  await registry.start()
  packet = await publishToMemory(await buildTexts({ 'guide.md': '# Keys\n\nKeys are kept apart.\n' }))
})
afterAll(() => Promise.all([registry.stop(), sweep()]))

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const PEM = publicKey.export({ type: 'spki', format: 'pem' }).toString()

/** What cosign would put beside a packet. */
const signatureOver = (digest: string, key: KeyObject): MadePacket => {
  const payload = claimText(digest)
  return makeArtifact({ payload }, (manifest) => {
    const [layer] = manifest.layers as { mediaType: string; annotations: object }[]
    if (layer === undefined) return
    layer.mediaType = 'application/vnd.dev.cosign.simplesigning.v1+json'
    layer.annotations = {
      'dev.cosignproject.cosign/signature': sign('sha256', payload, key).toString('base64'),
    }
    manifest.config = { ...EMPTY_CONFIG, mediaType: 'application/vnd.oci.image.config.v1+json' }
  })
}

interface Beside {
  /** Where cosign looks: a tag made of the digest. */
  readonly sig?: MadePacket
  /** Types of what refers to the packet. */
  readonly types?: readonly string[]
  /** A signature that refers to it. */
  readonly referring?: MadePacket
  readonly tags?: readonly string[]
}

const asked = () => registry.calls.splice(0).map(({ path }) => path.replace('/v2/demo/', ''))

const openSetup = async (policy: string | undefined, beside: Beside = {}) => {
  const root = await makeFolder()
  if (policy !== undefined) await writeFile(join(root, 'policy.yml'), policy)
  await writeFile(join(root, 'team.pub'), PEM)
  const all = [packet, beside.sig, beside.referring].filter((one) => one !== undefined)
  registry.play(packet, ({ path }, response) => {
    const [, kind, name = ''] = /\/(manifests|blobs|referrers)\/(.+)$/.exec(path) ?? []
    if (path.endsWith('/tags/list'))
      return response.end(JSON.stringify({ tags: ['1.0.0', ...(beside.tags ?? [])] }))
    if (kind === 'referrers') {
      const list = (beside.types ?? []).map((artifactType) => ({
        mediaType: MANIFEST_TYPE,
        artifactType,
        digest: packet.digest,
        size: packet.manifest.length,
      }))
      const more = beside.referring && {
        mediaType: MANIFEST_TYPE,
        artifactType: 'application/vnd.dev.cosign.artifact.sig.v1+json',
        digest: beside.referring.digest,
        size: beside.referring.manifest.length,
      }
      const manifests = more === undefined ? list : [...list, more]
      return response.end(JSON.stringify({ schemaVersion: 2, mediaType: INDEX_TYPE, manifests }))
    }
    if (kind === 'blobs') {
      const blob = all.flatMap(({ blobs }) => blobs.get(name) ?? [])[0]
      return response.writeHead(blob === undefined ? 404 : 200).end(blob)
    }
    const found = name.endsWith('.sig')
      ? beside.sig
      : ['1.0.0', 'latest'].includes(name)
        ? packet
        : all.find(({ digest }) => digest === name)
    return response.writeHead(found === undefined ? 404 : 200).end(found?.manifest)
  })
  return { root, ...openTestPackets(root, registry.address) }
}

const pinned = () => `oci://${registry.address}/demo@${packet.digest}`
const SIGNED = 'require: [signature]\nkeys: [team.pub]\n'

describe('what stands behind a packet', () => {
  it('is not fetched unless it is requested, and the result says so', async () => {
    const { packets } = await openSetup(undefined, { types: ['application/spdx+json'] })
    expect(await packets.lookup({ name: 'demo', version: '1.0.0' }, noAbort)).toMatchObject({
      selected: {
        trust: { verified: true, checked: false, signature: 'unchecked', sbom: 'unchecked', score: 0 },
      },
    })
    expect(asked()).toHaveLength(2)
  })

  it.each<[string, Beside, object]>([
    ['nothing', {}, { signature: 'absent', sbom: 'absent', provenance: 'absent', score: 0 }],
    [
      'tags with fine names',
      { tags: ['x.sig', 'x.sbom', 'cosign'] },
      { signature: 'absent', sbom: 'absent', score: 0 },
    ],
    [
      'a bill of materials and provenance',
      { types: ['application/vnd.cyclonedx+json', 'application/vnd.in-toto+json'] },
      { signature: 'absent', sbom: 'present', provenance: 'present', score: 0.4 },
    ],
    [
      'a signature in a form that is not read',
      { types: ['application/vnd.dev.sigstore.bundle.v0.3+json'] },
      { signature: 'unverified', score: 0 },
    ],
  ])('is reported as it is: %s', async (_, beside, trust) => {
    const { packets } = await openSetup(undefined, beside)
    expect(await packets.lookup({ name: 'demo', version: '1.0.0', trust: true }, noAbort)).toMatchObject({
      selected: { trust: { checked: true, signers: [], ...trust } },
    })
  })

  it('is a signature without a key to verify it: unverified', async () => {
    const { packets } = await openSetup(undefined, { sig: signatureOver(packet.digest, privateKey) })
    expect(await packets.lookup({ name: 'demo', version: '1.0.0', trust: true }, noAbort)).toMatchObject({
      selected: { trust: { signature: 'unverified', signers: [], score: 0 } },
    })
  })
})

describe('a policy that requires signatures', () => {
  it.each(['sig', 'referring'] as const)(
    'takes a packet its key has signed (%s), also offline',
    async (where) => {
      const { packets, close } = await openSetup(SIGNED, {
        [where]: signatureOver(packet.digest, privateKey),
      })
      expect(await packets.lookup({ name: 'demo' }, noAbort)).toMatchObject({
        ok: true,
        selected: { trust: { signature: 'verified', signers: ['team.pub'], score: 0.5 } },
      })
      expect(await packets.query({ ref: pinned(), q: 'keys' }, noAbort)).toMatchObject({ ok: true })
      asked()
      expect(await packets.query({ ref: pinned(), q: 'keys apart' }, noAbort)).toMatchObject({
        ok: true,
        cache: { hit: true },
      })
      expect(await packets.lookup({ ref: pinned() }, noAbort)).toMatchObject({ ok: true })
      expect(asked()).toEqual([])
      await close()
    },
  )

  it.each<[string, () => Beside]>([
    ['nobody signed', () => ({})],
    [
      'a stranger signed',
      () => ({
        sig: signatureOver(packet.digest, generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey),
      }),
    ],
    [
      'was signed under another digest',
      () => ({ sig: signatureOver(`sha256:${'0'.repeat(64)}`, privateKey) }),
    ],
    [
      'only claims to be signed',
      () => ({ types: ['application/vnd.dev.cosign.artifact.sig.v1+json'], tags: ['x.sig'] }),
    ],
  ])('refuses a packet that %s, and fetches nothing of it', async (_, beside) => {
    const { packets, store } = await openSetup(SIGNED, beside())
    const refusal = { ok: false, detail: expect.stringContaining('missing_or_invalid_signature') }
    expect(await packets.lookup({ name: 'demo' }, noAbort)).toMatchObject({
      error: 'lookup_failed',
      ...refusal,
    })
    expect(await packets.query({ ref: pinned(), q: 'keys' }, noAbort)).toMatchObject({
      error: 'materialize_failed',
      ...refusal,
    })
    expect(await store.list()).toEqual([])
  })

  it('holds for what was fetched before it', async () => {
    const { packets, root, close } = await openSetup(undefined)
    expect(await packets.query({ ref: pinned(), q: 'keys' }, noAbort)).toMatchObject({ ok: true })
    await writeFile(join(root, 'policy.yml'), SIGNED)
    expect(await packets.query({ ref: pinned(), q: 'keys' }, noAbort)).toMatchObject({ ok: false })
    await close()
  })

  it('warns in warn mode', async () => {
    const { packets, close } = await openSetup(`mode: warn\n${SIGNED}`)
    expect(await packets.query({ ref: pinned(), q: 'keys' }, noAbort)).toMatchObject({
      ok: true,
      warnings: [expect.stringContaining('policy: missing_or_invalid_signature')],
    })
    await close()
  })
})

describe('a policy', () => {
  it('keeps to its sources, and asks no other', async () => {
    const { packets } = await openSetup('allowed_sources: ["r.io/team/*"]\n')
    for (const answer of [
      await packets.lookup({ name: 'demo' }, noAbort),
      await packets.query({ ref: pinned(), q: 'x' }, noAbort),
    ])
      expect(answer).toMatchObject({ ok: false, detail: expect.stringContaining('source_not_allowlisted') })
    expect(asked()).toEqual([])
  })

  it.each(['/*', '/demo', '/demo:latest'])('lets its sources pass: HOST%s', async (rest) => {
    const { packets } = await openSetup(`allowed_sources: ["oci://${registry.address}${rest}"]\n`)
    expect(await packets.lookup({ name: 'demo' }, noAbort)).toMatchObject({ ok: true })
  })

  it('may take packets by digest only, which lookup still finds', async () => {
    const { packets, close } = await openSetup('require: [digest]\n')
    expect(await packets.query({ ref: 'demo', q: 'keys' }, noAbort)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('digest_required'),
    })
    expect(asked()).toEqual([])
    expect(await packets.lookup({ name: 'demo' }, noAbort)).toMatchObject({ ok: true })
    expect(await packets.query({ ref: pinned(), q: 'keys' }, noAbort)).toMatchObject({ ok: true })
    await close()
  })

  it('may ask for a score, for papers and for few words', async () => {
    const types = ['application/spdx+json']
    const one = await openSetup('min_trust_score: 0.3\n', { types })
    expect(await one.packets.lookup({ name: 'demo' }, noAbort)).toMatchObject({
      detail: expect.stringContaining('trust_score_below_threshold'),
    })
    const two = await openSetup('require: [sbom, provenance]\n', { types })
    expect(await two.packets.lookup({ name: 'demo' }, noAbort)).toMatchObject({
      detail: expect.stringMatching(/refuses this packet: missing_provenance/),
    })
    const three = await openSetup('max_tokens: 2\n')
    expect(await three.packets.query({ ref: pinned(), q: 'keys' }, noAbort)).toMatchObject({
      error: 'policy_denied',
      detail: expect.stringContaining('token_budget_exceeded'),
      results: [],
    })
    await three.close()
  })

  it.each([
    ['is empty', '', 'it is empty'],
    ['has only remarks', '# mode: strict\n', 'it is empty'],
    ['is no YAML', 'mode: [strict', 'it is not YAML'],
    ['has a rule nobody knows', 'allowed_source: [r.io/*]\n', 'allowed_source'],
    ['has a mode nobody knows', 'mode: permissive\n', 'mode: '],
    ['has a star in the host', 'allowed_sources: ["r.io*"]\n', 'the source r.io*'],
    ['requires signatures without keys', 'require: [signature]\n', 'has no keys or identities'],
    ['names a key that is not there', 'require: [signature]\nkeys: [nobody.pub]\n', 'the key nobody.pub'],
    ['names a key that is none', 'require: [signature]\nkeys: [policy.yml]\n', 'is not a PEM public key'],
  ])('that %s lets nothing pass', async (_, text, why) => {
    const { packets } = await openSetup(text)
    for (const answer of [
      await packets.lookup({ name: 'demo' }, noAbort),
      await packets.query({ ref: pinned(), q: 'x' }, noAbort),
    ]) {
      const { detail } = answer as { detail?: string }
      expect(answer).toMatchObject({ ok: false })
      expect(detail).toMatch(/policy\.yml cannot be used: /)
      expect(detail).toContain(why)
    }
    expect(asked()).toEqual([])
  })

  it.each([
    ['key', 'require: [signature]\nkeys: [pipe]\n'],
    ['trusted root', 'keys: []\ntrusted_root: pipe\n'],
    ['key', 'require: [signature]\nkeys: [../../../../../../../../dev/zero]\n'],
  ])('waits for no %s that never ends', async (_, text) => {
    const { packets, root } = await openSetup(text)
    execFileSync('mkfifo', [join(root, 'pipe')])
    expect(await packets.lookup({ name: 'demo' }, noAbort)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('policy.yml cannot be used'),
    })
  })

  it('is not what another tool has in config.toml, and answers say so until there is one', async () => {
    const { packets, root } = await openSetup(undefined)
    await mkdir(join(root, 'config'))
    await writeFile(join(root, 'config/config.toml'), '[oci]\nallowlist_domains = ["r.io"]\n')
    const unread = expect.stringContaining('config/config.toml has registry rules that are not applied')
    for (const answer of [
      await packets.lookup({ name: 'demo' }, noAbort),
      await packets.query({ ref: pinned(), q: 'x' }, noAbort),
    ])
      expect(answer).toMatchObject({ ok: true, warnings: [unread] })
    await writeFile(join(root, 'policy.yml'), 'mode: strict\n')
    expect(await packets.query({ ref: pinned(), q: 'x' }, noAbort)).toMatchObject({ ok: true, warnings: [] })
  })

  it('that cannot be read lets nothing pass', async () => {
    const { packets, root } = await openSetup(undefined)
    await mkdir(join(root, 'policy.yml'))
    expect(await packets.lookup({ name: 'demo' }, noAbort)).toMatchObject({ ok: false })
    expect(asked()).toEqual([])
  })
})
