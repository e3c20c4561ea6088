import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeFolder, sweep } from '../support/binary.ts'
import { FaultRegistry } from '../support/fault-registry.ts'
import type { MadePacket } from '../support/packet-maker.ts'
import { buildTexts, noAbort, openTestPackets, publishToMemory } from '../support/packet-setup.ts'
import {
  attestByKey,
  carryBundle,
  type Flaws,
  provenanceStatement,
  referrersOf,
  signatureStatement,
  signManifest,
  TestSigstore,
} from '../support/test-sigstore.ts'

const registry = new FaultRegistry()
let packet: MadePacket
beforeAll(async () => {
  await registry.start()
  packet = await publishToMemory(await buildTexts({ 'guide.md': '# Keys\n\nKeys are kept apart.\n' }))
})
afterAll(() => Promise.all([registry.stop(), sweep()]))

const sigstore = new TestSigstore()
const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const BUILDER = 'https://ci.test/builder@v1'

const KEYLESS = `require: [signature]
trusted_root: root.json
identities: [{ subject: "https://ci.test/team/*", issuer: "https://issuer.test" }]
`
const KEYED = 'require: [signature]\nkeys: [team.pub]\n'

/** A registry with the packet, and bundles that refer to it. */
const openSetup = async (policy: string, ...attached: readonly (Buffer | MadePacket)[]) => {
  const bundles = attached.filter((one) => Buffer.isBuffer(one))
  const [claim] = attached.filter((one): one is MadePacket => !Buffer.isBuffer(one))
  const root = await makeFolder()
  await writeFile(join(root, 'policy.yml'), policy)
  await writeFile(join(root, 'root.json'), JSON.stringify(sigstore.trustedRoot))
  await writeFile(join(root, 'team.pub'), publicKey.export({ type: 'spki', format: 'pem' }))
  const made = bundles.map(carryBundle)
  const all = [packet, ...made, ...(claim === undefined ? [] : [claim])]
  registry.play(packet, ({ path }, response) => {
    const [, kind, name = ''] = /\/(manifests|blobs|referrers)\/(.+)$/.exec(path) ?? []
    if (path.endsWith('/tags/list')) return response.end('{"tags":["1.0.0"]}')
    if (kind === 'referrers') {
      return response.end(referrersOf(made, bundles))
    }
    const blob = all.flatMap(({ blobs }) => blobs.get(name) ?? [])[0]
    const tagged = ['1.0.0', 'latest'].includes(name) ? packet : name.endsWith('.sig') ? claim : undefined
    const manifest = (tagged ?? all.find(({ digest }) => digest === name))?.manifest
    const found = kind === 'blobs' ? blob : manifest
    return response.writeHead(found === undefined ? 404 : 200).end(found)
  })
  return { root, ...openTestPackets(root, registry.address) }
}

const lookup = async (policy: string, ...attached: readonly (Buffer | MadePacket)[]) =>
  (await openSetup(policy, ...attached)).packets.lookup({ name: 'demo', trust: true }, noAbort)

const refused = { ok: false, detail: expect.stringContaining('missing_or_invalid_signature') }

describe('a keyless signature', () => {
  it('counts when the holder of its certificate does, and needs no network again', async () => {
    const { packets, close } = await openSetup(KEYLESS, sigstore.attest(signatureStatement(packet.digest)))
    expect(await packets.lookup({ name: 'demo' }, noAbort)).toMatchObject({
      ok: true,
      selected: {
        trust: {
          signature: 'verified',
          signers: ['https://ci.test/team/release@main (https://issuer.test)'],
          score: 0.5,
        },
      },
    })
    const ref = `oci://${registry.address}/demo@${packet.digest}`
    expect(await packets.query({ ref, q: 'keys' }, noAbort)).toMatchObject({ ok: true })
    registry.calls.length = 0
    expect(await packets.query({ ref, q: 'keys apart' }, noAbort)).toMatchObject({ ok: true })
    expect(registry.calls).toEqual([])
    await close()
  })

  it.each<[string, Flaws]>([
    ['somebody else', { subject: 'https://ci.test/other/release@main' }],
    ['somebody whose name only begins alike', { subject: 'https://ci.test/teamwork/x' }],
    ['the right name at another issuer', { issuer: 'https://evil.test' }],
    ['a certificate that had ended', { seenAfter: 11 }],
    ['a certificate that had not begun', { seenAfter: -1 }],
    ['another key than the certified one', { forgedSignature: true }],
    ['nobody the log has heard of', { withoutLog: true }],
    ['a log that promised nothing', { forgedPromise: true }],
    ['a log that says no time', { withoutPromise: true }],
    ['a log that saw something else', { otherBody: true }],
    ['a log of another name', { logName: 'evil.test' }],
    ['a log whose name is a pattern without end', { logName: '(.*)*(.*)*(.*)*!' }],
  ])('by %s is none', async (_, flaws) => {
    expect(await lookup(KEYLESS, sigstore.attest(signatureStatement(packet.digest), flaws))).toMatchObject(
      refused,
    )
  })

  it.each<[string, () => Buffer]>([
    ['of another sigstore', () => new TestSigstore().attest(signatureStatement(packet.digest))],
    ['over another packet', () => sigstore.attest(signatureStatement(`sha256:${'0'.repeat(64)}`))],
    [
      'over no packet',
      () => sigstore.attest({ ...signatureStatement(packet.digest), subject: 'all of them' }),
    ],
    [
      'of another kind',
      () => sigstore.attest({ ...signatureStatement(packet.digest), predicateType: 'https://x.test' }),
    ],
    ['that is no statement', () => sigstore.attest({ ...signatureStatement(packet.digest), _type: 'x' })],
    ['that is no JSON', () => Buffer.from('{')],
    ['that is empty', () => Buffer.from('{}')],
    ['that is a list', () => Buffer.from('[[]]')],
    ['cut out of a whole one', () => sigstore.attest(signatureStatement(packet.digest)).subarray(0, 900)],
    [
      'with nothing to verify it by',
      () => {
        const bundle = JSON.parse(sigstore.attest(signatureStatement(packet.digest)).toString())
        return Buffer.from(JSON.stringify({ ...bundle, verificationMaterial: {} }))
      },
    ],
    [
      'with a certificate of garbage',
      () => {
        const bundle = JSON.parse(sigstore.attest(signatureStatement(packet.digest)).toString())
        bundle.verificationMaterial.certificate.rawBytes = Buffer.alloc(300, 48).toString('base64')
        return Buffer.from(JSON.stringify(bundle))
      },
    ],
  ])('%s is none', async (_, make) => {
    expect(await lookup(KEYLESS, make())).toMatchObject(refused)
  })

  it('that holds is found among others that do not', async () => {
    const bad = sigstore.attest(signatureStatement(packet.digest), { subject: 'https://evil.test/x' })
    const good = sigstore.attest(signatureStatement(packet.digest))
    expect(await lookup(KEYLESS, Buffer.from('x'), bad, good)).toMatchObject({ ok: true })
  })

  it('without a trusted signer is reported as unverified', async () => {
    expect(await lookup('mode: warn\n', sigstore.attest(signatureStatement(packet.digest)))).toMatchObject({
      ok: true,
      selected: { trust: { signature: 'unverified', signers: [] } },
    })
  })
})

describe('a keyless claim, as cosign wrote it before there were bundles', () => {
  it('counts like a bundle', async () => {
    expect(await lookup(KEYLESS, sigstore.claim(packet.digest))).toMatchObject({
      ok: true,
      selected: {
        trust: {
          signature: 'verified',
          signers: ['https://ci.test/team/release@main (https://issuer.test)'],
        },
      },
    })
  })

  it.each<[string, Flaws]>([
    ['by somebody else', { subject: 'https://evil.test/x' }],
    ['by another issuer', { issuer: 'https://evil.test' }],
    ['after its certificate had ended', { seenAfter: 11 }],
    ['with another key', { forgedSignature: true }],
    ['unseen by the log', { withoutLog: true }],
    ['with a forged promise', { forgedPromise: true }],
    ['of which the log saw another', { otherBody: true }],
  ])('%s is none', async (_, flaws) => {
    expect(await lookup(KEYLESS, sigstore.claim(packet.digest, flaws))).toMatchObject(refused)
  })

  it('for another packet, or of another sigstore, is none', async () => {
    expect(await lookup(KEYLESS, sigstore.claim(`sha256:${'0'.repeat(64)}`))).toMatchObject(refused)
    expect(await lookup(KEYLESS, new TestSigstore().claim(packet.digest))).toMatchObject(refused)
  })
})

describe('a bundle signed by a key', () => {
  it.each<[string, () => Buffer]>([
    ['a statement', () => attestByKey(signatureStatement(packet.digest), privateKey)],
    ['the manifest', () => signManifest(packet.manifest, privateKey)],
  ])('over %s counts', async (_, make) => {
    expect(await lookup(KEYED, make())).toMatchObject({
      ok: true,
      selected: { trust: { signature: 'verified', signers: ['team.pub'] } },
    })
  })

  it.each<[string, () => Buffer]>([
    [
      'a outsider',
      () =>
        attestByKey(
          signatureStatement(packet.digest),
          generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey,
        ),
    ],
    ['our key for another packet', () => attestByKey(signatureStatement('sha256:00'), privateKey)],
    ['our key over other bytes', () => signManifest(Buffer.from('other'), privateKey)],
    ['a certificate, when only keys count', () => sigstore.attest(signatureStatement(packet.digest))],
  ])('by %s does not', async (_, make) => {
    expect(await lookup(KEYED, make())).toMatchObject(refused)
  })
})

describe('provenance', () => {
  const built = (builder = BUILDER) => sigstore.attest(provenanceStatement(packet.digest, builder))
  const LEVEL = `trusted_root: root.json
identities: [{ subject: "https://ci.test/team/release@main", issuer: "https://issuer.test" }]
builders: [{ id: "${BUILDER}", level: 3 }, { id: "https://ci.test/old", level: 1 }]
min_slsa_level: 2
`

  it('by a builder of the policy has its level, and is no signature', async () => {
    expect(await lookup(LEVEL, built())).toMatchObject({
      ok: true,
      selected: {
        trust: {
          signature: 'absent',
          provenance: 'verified',
          builders: [BUILDER],
          slsa_level: 3,
          score: 0.275,
        },
      },
    })
  })

  it.each<[string, () => readonly Buffer[]]>([
    ['there is none', () => []],
    ['its builder reaches too little', () => [built('https://ci.test/old')]],
    ['nobody knows its builder', () => [built('https://ci.test/unknown')]],
    ['a outsider tells of it', () => [attestByKey(provenanceStatement(packet.digest, BUILDER), privateKey)]],
    [
      'it is that of another packet',
      () => [sigstore.attest(provenanceStatement(`sha256:${'1'.repeat(64)}`, BUILDER))],
    ],
  ])('is not enough when %s', async (_, bundles) => {
    expect(await lookup(LEVEL, ...bundles())).toMatchObject({
      ok: false,
      detail: expect.stringContaining('slsa_level_below_threshold'),
    })
  })
})

describe('papers that must be signed', () => {
  const sbom = () => ({
    ...signatureStatement(packet.digest),
    predicateType: 'https://spdx.dev/Document/v2.3',
  })
  const PAPERS = KEYLESS.replace('[signature]', '[signed_sbom, signed_provenance]')

  it('are enough when they are, and not when they are only there', async () => {
    const built = sigstore.attest(provenanceStatement(packet.digest, BUILDER))
    expect(await lookup(PAPERS, sigstore.attest(sbom()), built)).toMatchObject({
      ok: true,
      selected: { trust: { sbom: 'verified', provenance: 'verified', slsa_level: null } },
    })
    const outsider = { subject: 'https://evil.test/x' }
    expect(await lookup(PAPERS, sigstore.attest(sbom(), outsider), built)).toMatchObject({
      ok: false,
      detail: expect.stringContaining(
        'missing_signed_sbom: it has no bill of materials signed by a key or identity of the policy (present)',
      ),
    })
    expect(
      await lookup(KEYLESS.replace('[signature]', '[sbom]'), sigstore.attest(sbom(), outsider)),
    ).toMatchObject({
      ok: true,
    })
  })
})

describe('a policy on keyless signatures', () => {
  it.each([
    ['trusts everybody', KEYLESS.replace('https://ci.test/team/*', '*')],
    ['trusts every host that begins alike', KEYLESS.replace('https://ci.test/team/*', 'https://ci.*')],
    ['names nobody', 'require: [signature]\ntrusted_root: root.json\n'],
    ['wants signed papers of nobody', 'require: [signed_provenance]\n'],
    ['knows no root', KEYLESS.replace('trusted_root: root.json\n', '')],
    ['names a root that is not there', KEYLESS.replace('root.json', 'none.json')],
    ['names a root that is none', KEYLESS.replace('root.json', 'team.pub')],
    ['wants a level and knows no builders', `${KEYLESS}min_slsa_level: 1\n`],
    ['wants a level and trusts nobody', `builders: [{ id: x, level: 3 }]\nmin_slsa_level: 1\n`],
  ])('that %s lets nothing pass', async (_, policy) => {
    const { packets } = await openSetup(policy, sigstore.attest(signatureStatement(packet.digest)))
    expect(await packets.lookup({ name: 'demo' }, noAbort)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('policy.yml cannot be used'),
    })
    expect(registry.calls).toEqual([])
  })
})
