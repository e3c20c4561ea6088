import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { INDEX_TYPE, MANIFEST_TYPE } from '../../src/packets/format/artifact.ts'
import { type MadePacket, makeArtifact } from './packet-maker.ts'

/** A sigstore of our own: an authority that gives out short certificates, and a log that has seen what was signed. */

const der = (tag: number, ...parts: readonly Uint8Array[]): Buffer => {
  const body = Buffer.concat(parts)
  const { length } = body
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
  return Buffer.concat([Buffer.from([tag, ...size]), body])
}
const seq = (...parts: readonly Uint8Array[]) => der(0x30, ...parts)
const octets = (bytes: Uint8Array) => der(0x04, bytes)
const bits = (bytes: Uint8Array, unused = 0) => der(0x03, Buffer.from([unused]), bytes)
const text = (words: string) => der(0x0c, Buffer.from(words))
const yes = der(0x01, Buffer.from([255]))
const time = (at: Date) => der(0x18, Buffer.from(`${at.toISOString().replace(/[-:T]|\..*/g, '')}Z`))
const oid = (dotted: string): Buffer => {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  const pack = (value: number): number[] =>
    value < 128 ? [value] : [...pack(value >> 7).map((byte) => byte | 128), value & 127]
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(pack)]))
}
const nameOf = (words: string) => seq(der(0x31, seq(oid('2.5.4.3'), text(words))))
const extension = (id: string, value: Buffer, critical = false) =>
  seq(oid(id), ...(critical ? [yes] : []), octets(value))
const ALGORITHM = seq(oid('1.2.840.10045.4.3.2'))

const sha256 = (...parts: readonly Uint8Array[]): Buffer =>
  createHash('sha256').update(Buffer.concat(parts)).digest()
const spkiOf = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' })
const keyPair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' })
type Pair = ReturnType<typeof keyPair>

interface Holder {
  readonly name: string
  readonly pair: Pair
}

const certify = (subject: Holder, issuer: Holder, from: Date, to: Date, more: readonly Buffer[]): Buffer => {
  const keyId = (key: KeyObject) => sha256(spkiOf(key)).subarray(0, 20)
  const body = seq(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.from([1, ...sha256(spkiOf(subject.pair.publicKey)).subarray(0, 8)])),
    ALGORITHM,
    nameOf(issuer.name),
    seq(time(from), time(to)),
    nameOf(subject.name),
    spkiOf(subject.pair.publicKey),
    der(
      0xa3,
      seq(
        extension('2.5.29.14', octets(keyId(subject.pair.publicKey))),
        extension('2.5.29.35', seq(der(0x80, keyId(issuer.pair.publicKey)))),
        ...more,
      ),
    ),
  )
  return seq(body, ALGORITHM, bits(sign('sha256', body, issuer.pair.privateKey)))
}

const pemOf = (bytes: Buffer): string => {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

/** A key and a certificate of its own for a server of this name, in PEM. */
export const serverCertificate = (name: string): { readonly key: string; readonly cert: string } => {
  const holder: Holder = { name, pair: keyPair() }
  const [from, to] = [new Date('2020-01-01T00:00:00Z'), new Date('2040-01-01T00:00:00Z')]
  const bytes = certify(holder, holder, from, to, [
    extension('2.5.29.19', seq(yes), true),
    extension('2.5.29.17', seq(der(0x82, Buffer.from(name)))),
  ])
  return {
    key: holder.pair.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: pemOf(bytes),
  }
}

const MINUTE = 60_000
const BUNDLE_TYPE = 'application/vnd.dev.sigstore.bundle.v0.3+json'
const PAYLOAD_TYPE = 'application/vnd.in-toto+json'

/** What can be wrong with a bundle. */
export interface Flaws {
  readonly subject?: string
  readonly issuer?: string
  /** Minutes after the certificate's beginning at which the log says it saw the signature. */
  readonly seenAfter?: number
  readonly withoutPromise?: boolean
  readonly withoutLog?: boolean
  readonly forgedSignature?: boolean
  readonly forgedPromise?: boolean
  readonly otherBody?: boolean
  readonly logName?: string
}

/** What cosign says of a manifest, and signs. */
export const claimText = (digest: string): Buffer =>
  Buffer.from(
    JSON.stringify({
      critical: {
        identity: { 'docker-reference': 'r.io/x/demo' },
        image: { 'docker-manifest-digest': digest },
        type: 'cosign container image signature',
      },
      optional: null,
    }),
  )

export class TestSigstore {
  readonly #root: Holder = { name: 'test root', pair: keyPair() }
  readonly #log = keyPair()
  readonly #began = new Date('2026-01-01T00:00:00Z')

  get #logId(): Buffer {
    return sha256(spkiOf(this.#log.publicKey))
  }

  /** What an operator puts beside his policy. */
  get trustedRoot(): Record<string, unknown> {
    const always = { start: '2020-01-01T00:00:00Z' }
    const [from, to] = [new Date('2020-01-01T00:00:00Z'), new Date('2040-01-01T00:00:00Z')]
    const authority = certify(this.#root, this.#root, from, to, [
      extension('2.5.29.19', seq(yes), true),
      extension('2.5.29.15', bits(Buffer.from([6]), 1), true),
    ])
    return {
      mediaType: 'application/vnd.dev.sigstore.trustedroot+json;version=0.1',
      tlogs: [
        {
          baseUrl: 'https://log.test',
          hashAlgorithm: 'SHA2_256',
          publicKey: {
            rawBytes: spkiOf(this.#log.publicKey).toString('base64'),
            keyDetails: 'PKIX_ECDSA_P256_SHA_256',
            validFor: always,
          },
          logId: { keyId: this.#logId.toString('base64') },
        },
      ],
      certificateAuthorities: [
        {
          subject: { organization: 'test', commonName: 'test root' },
          uri: 'https://ca.test',
          certChain: { certificates: [{ rawBytes: authority.toString('base64') }] },
          validFor: always,
        },
      ],
      ctlogs: [],
      timestampAuthorities: [],
    }
  }

  #entry(body: Buffer, { seenAfter = 1, ...flaws }: Flaws) {
    const integratedTime = Math.floor(this.#began.getTime() / 1000) + seenAfter * 60
    const logID = this.#logId.toString('hex')
    const promised = JSON.stringify({ body: body.toString('base64'), integratedTime, logID, logIndex: 0 })
    const promise = sign('sha256', Buffer.from(flaws.forgedPromise ? 'x' : promised), this.#log.privateKey)
    const root = sha256(Buffer.from([0]), body)
    const note = `log.test\n1\n${root.toString('base64')}\n`
    const mark = Buffer.concat([
      this.#logId.subarray(0, 4),
      sign('sha256', Buffer.from(note), this.#log.privateKey),
    ])
    return {
      logIndex: '0',
      logId: { keyId: this.#logId.toString('base64') },
      kindVersion: { kind: 'dsse', version: '0.0.1' },
      integratedTime: String(integratedTime),
      ...(!flaws.withoutPromise && {
        inclusionPromise: { signedEntryTimestamp: promise.toString('base64') },
      }),
      inclusionProof: {
        logIndex: '0',
        rootHash: root.toString('base64'),
        treeSize: '1',
        hashes: [],
        checkpoint: {
          envelope: `${note}\n\u2014 ${flaws.logName ?? 'log.test'} ${mark.toString('base64')}\n`,
        },
      },
      canonicalizedBody: body.toString('base64'),
    }
  }

  /** A key, and a certificate for it that lives for ten minutes. */
  #certificate({ subject = 'https://ci.test/team/release@main', issuer = 'https://issuer.test' }: Flaws): {
    readonly pair: Pair
    readonly certificate: Buffer
  } {
    const pair = keyPair()
    const end = new Date(this.#began.getTime() + 10 * MINUTE)
    const certificate = certify({ name: '', pair }, this.#root, this.#began, end, [
      extension('2.5.29.15', bits(Buffer.from([0x80]), 7), true),
      extension('2.5.29.37', seq(oid('1.3.6.1.5.5.7.3.3'))),
      extension('2.5.29.17', seq(der(0x86, Buffer.from(subject))), true),
      extension('1.3.6.1.4.1.57264.1.8', text(issuer)),
    ])
    return { pair, certificate }
  }

  /** A claim about a packet as cosign wrote it before there were bundles: everything in annotations. */
  claim(digest: string, flaws: Flaws = {}): MadePacket {
    const { pair, certificate } = this.#certificate(flaws)
    const payload = claimText(digest)
    const key = flaws.forgedSignature ? keyPair().privateKey : pair.privateKey
    const signature = sign('sha256', payload, key).toString('base64')
    const pem = pemOf(certificate)
    const seen = flaws.otherBody ? Buffer.from('other') : payload
    const body = Buffer.from(
      JSON.stringify({
        apiVersion: '0.0.1',
        kind: 'hashedrekord',
        spec: {
          data: { hash: { algorithm: 'sha256', value: sha256(seen).toString('hex') } },
          signature: { content: signature, publicKey: { content: Buffer.from(pem).toString('base64') } },
        },
      }),
    )
    const { integratedTime, inclusionPromise } = this.#entry(body, flaws)
    const log = {
      SignedEntryTimestamp: inclusionPromise?.signedEntryTimestamp,
      Payload: {
        body: body.toString('base64'),
        integratedTime: Number(integratedTime),
        logIndex: 0,
        logID: this.#logId.toString('hex'),
      },
    }
    return makeArtifact({ payload }, (manifest) =>
      Object.assign((manifest.layers as object[])[0] ?? {}, {
        mediaType: 'application/vnd.dev.cosign.simplesigning.v1+json',
        annotations: {
          'dev.cosignproject.cosign/signature': signature,
          'dev.sigstore.cosign/certificate': pem,
          ...(!flaws.withoutLog && { 'dev.sigstore.cosign/bundle': JSON.stringify(log) }),
        },
      }),
    )
  }

  /** A statement, signed by the holder of a fresh certificate and seen by the log. */
  attest(statement: object, flaws: Flaws = {}): Buffer {
    const { pair, certificate } = this.#certificate(flaws)
    const envelope = signEnvelope(statement, flaws.forgedSignature ? keyPair().privateKey : pair.privateKey)
    const [{ sig } = { sig: '' }] = envelope.signatures
    const payload = flaws.otherBody ? Buffer.from('other') : Buffer.from(envelope.payload, 'base64')
    const body = Buffer.from(
      JSON.stringify({
        apiVersion: '0.0.1',
        kind: 'dsse',
        spec: {
          envelopeHash: { algorithm: 'sha256', value: sha256(payload).toString('hex') },
          payloadHash: { algorithm: 'sha256', value: sha256(payload).toString('hex') },
          signatures: [{ signature: sig, verifier: certificate.toString('base64') }],
        },
      }),
    )
    return bundleOf(envelope, {
      certificate: { rawBytes: certificate.toString('base64') },
      tlogEntries: flaws.withoutLog ? [] : [this.#entry(body, flaws)],
    })
  }
}

const bundleOf = (dsseEnvelope: object, verificationMaterial: object): Buffer =>
  Buffer.from(JSON.stringify({ mediaType: BUNDLE_TYPE, verificationMaterial, dsseEnvelope }))

const signEnvelope = (statement: object, key: KeyObject) => {
  const payload = Buffer.from(JSON.stringify(statement))
  const head = `DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `
  const sig = sign('sha256', Buffer.concat([Buffer.from(head), payload]), key).toString('base64')
  return { payload: payload.toString('base64'), payloadType: PAYLOAD_TYPE, signatures: [{ sig }] }
}

/** A statement signed by a key, without a certificate. */
export const attestByKey = (statement: object, key: KeyObject): Buffer =>
  bundleOf(signEnvelope(statement, key), { publicKey: { hint: 'any' }, tlogEntries: [] })

/** The bytes of a manifest, signed by a key. */
export const signManifest = (manifest: Uint8Array, key: KeyObject): Buffer =>
  Buffer.from(
    JSON.stringify({
      mediaType: BUNDLE_TYPE,
      verificationMaterial: { publicKey: { hint: 'any' }, tlogEntries: [] },
      messageSignature: {
        messageDigest: { algorithm: 'SHA2_256', digest: sha256(manifest).toString('base64') },
        signature: sign('sha256', manifest, key).toString('base64'),
      },
    }),
  )

/** What cosign says when it signs. */
export const signatureStatement = (digest: string) => ({
  _type: 'https://in-toto.io/Statement/v1',
  subject: [{ name: 'demo', digest: { sha256: digest.replace('sha256:', '') } }],
  predicateType: 'https://sigstore.dev/cosign/sign/v1',
  predicate: {},
})

export const provenanceStatement = (digest: string, builder: string) => ({
  ...signatureStatement(digest),
  predicateType: 'https://slsa.dev/provenance/v1',
  predicate: { buildDefinition: {}, runDetails: { builder: { id: builder } } },
})

/** An artifact that carries a bundle, as cosign writes it. */
export const carryBundle = (bundle: Buffer): MadePacket =>
  makeArtifact({ bundle }, (manifest) => {
    manifest.artifactType = BUNDLE_TYPE
    Object.assign((manifest.layers as object[])[0] ?? {}, { mediaType: BUNDLE_TYPE })
  })

/** The predicate type as an annotation, as cosign writes it. */
const predicateOf = (bundle: Buffer): Record<string, string> => {
  try {
    const { payload } = JSON.parse(bundle.toString()).dsseEnvelope
    const { predicateType } = JSON.parse(Buffer.from(payload, 'base64').toString())
    return { 'dev.sigstore.bundle.predicateType': predicateType }
  } catch {
    return {}
  }
}

/** The list of what refers to a packet. */
export const referrersOf = (made: readonly MadePacket[], bundles: readonly Buffer[]): Buffer =>
  Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      mediaType: INDEX_TYPE,
      manifests: made.map(({ digest, manifest }, i) => ({
        mediaType: MANIFEST_TYPE,
        artifactType: BUNDLE_TYPE,
        digest,
        size: manifest.length,
        annotations: predicateOf(bundles[i] as Buffer),
      })),
    }),
  )
