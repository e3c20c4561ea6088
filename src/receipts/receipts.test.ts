import { createPublicKey } from 'node:crypto'
import { bundleFromJSON } from '@sigstore/bundle'
import { toSignedEntity, Verifier } from '@sigstore/verify'
import { describe, expect, it } from 'vitest'
import { makePem } from '../../test/support/private-key.ts'
import { openEnvelope, sealStatement } from './envelope.ts'
import { keyChanges } from './key-changes.ts'
import { parseKeys } from './keys-file.ts'
import { buildStatement, RECEIPT_MEMBERS, type ReceiptFacts } from './statement.ts'
import { parseReceiptKey, signerFromPem } from './verifier-key.ts'
import { verifyReceipt } from './verify-receipt.ts'

const TREE = 'a'.repeat(40)
const FACTS: ReceiptFacts = {
  repository: 'example',
  tree: TREE,
  commit: 'b'.repeat(40),
  version: '1.2.3',
  build: `sha256:${'1'.repeat(64)}`,
  now: Date.parse('2027-01-02T03:04:05Z'),
  passed: true,
  stage: 'PRE_COMMIT',
  scope: 'git:staged',
  policy: { uri: 'https://warrant.example/policy', digest: `sha256:${'2'.repeat(64)}` },
  inputs: [{ uri: '.ai_evidence.json', digest: `sha256:${'3'.repeat(64)}` }],
  reasons: [],
  details: { kind: 'run', policies: { head: {} } },
}
const PLACE = { origin: 'warrant/gate-decisions/0123456789abcdef', index: 7 }

const signer = signerFromPem(makePem())
const sealed = await sealStatement(buildStatement(FACTS, PLACE), signer)

const keysText = (rows: readonly object[]) => JSON.stringify({ keys: rows })
const row = { key: signer.key.text, owner: 'a team', role: 'developer' }
const listed = (extra: object = {}) => parseKeys(keysText([{ ...row, ...extra }]))

describe('a receipt', () => {
  it('is trusted when a listed key signed it, whatever name the key has', async () => {
    const verified = verifyReceipt(sealed.line, { listed: await listed() })
    expect(verified).toMatchObject({
      trust: 'trusted',
      owner: 'a team',
      role: 'developer',
      digest: sealed.digest,
    })
    expect(verified.receipt?.subject[0]?.digest).toEqual({ gitTree: TREE, gitCommit: 'b'.repeat(40) })
    expect(verified.receipt?.predicate[RECEIPT_MEMBERS].lineage).toEqual(PLACE)
  })

  it('is foreign, own or revoked by its key', async () => {
    expect(verifyReceipt(sealed.line, { listed: [] }).trust).toBe('foreign')
    expect(verifyReceipt(sealed.line, { listed: [], own: signer.key }).trust).toBe('own')
    const trustAt = async (extra: object) => verifyReceipt(sealed.line, { listed: await listed(extra) }).trust
    expect(await trustAt({ revoked: '2027-01-02' })).toBe('revoked')
    // The time is what the receipt says: without a witness it counts for nothing.
    expect(await trustAt({ revoked: '2027-01-03' })).toBe('revoked')
    expect(await trustAt({ until: '2027-01-03' })).toBe('trusted')
    expect(await trustAt({ from: '2027-01-03' })).toBe('revoked')
    expect(await trustAt({ until: '2027-01-02T03:04:05Z' })).toBe('revoked')
  })

  it('is invalid when any byte of its statement or signature changes', async () => {
    const keys = await listed()
    const envelope = JSON.parse(sealed.line)
    for (let at = 0; at < envelope.payload.length; at += 37) {
      const other = envelope.payload[at] === 'A' ? 'B' : 'A'
      const payload = `${envelope.payload.slice(0, at)}${other}${envelope.payload.slice(at + 1)}`
      expect(verifyReceipt(JSON.stringify({ ...envelope, payload }), { listed: keys }).trust).toBe('invalid')
    }
    const foreign = await sealStatement(buildStatement(FACTS, PLACE), signerFromPem(makePem()))
    const { sig } = JSON.parse(foreign.line).signatures[0]
    const signatures = [{ keyid: signer.key.text, sig }]
    expect(verifyReceipt(JSON.stringify({ ...envelope, signatures }), { listed: keys }).trust).toBe('invalid')
  })

  it.each([
    ['no JSON', '{'],
    ['another type', '{"payload":"","payloadType":"text/plain","signatures":[{"sig":""}]}'],
    ['no signature', '{"payload":"e30=","payloadType":"application/vnd.in-toto+json","signatures":[]}'],
    [
      'base64 with other characters',
      '{"payload":"e30=\\n","payloadType":"application/vnd.in-toto+json","signatures":[{"sig":"AA=="}]}',
    ],
    ['too long', `"${'x'.repeat(300_000)}"`],
  ])('is none: %s', (_, text) => {
    expect(openEnvelope(text)).toBeUndefined()
    expect(verifyReceipt(text, { listed: [] }).trust).toBe('invalid')
  })

  it('is verified by the library of sigstore', () => {
    const bundle = bundleFromJSON({
      mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
      verificationMaterial: { publicKey: { hint: signer.key.name }, tlogEntries: [] },
      dsseEnvelope: JSON.parse(sealed.line),
    })
    const spki = Buffer.concat([
      Buffer.from('302a300506032b6570032100', 'hex'),
      Buffer.from(signer.key.id, 'hex'),
    ])
    const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' })
    const trusted = {
      certificateAuthorities: [],
      timestampAuthorities: [],
      tlogs: [],
      ctlogs: [],
      publicKey: () => ({ publicKey, validFor: () => true }),
    }
    const verifier = new Verifier(trusted, { tlogThreshold: 0, ctlogThreshold: 0, timestampThreshold: 0 })
    expect(() => verifier.verify(toSignedEntity(bundle))).not.toThrow()
    const forged = JSON.parse(sealed.line)
    forged.payload = Buffer.from('{}').toString('base64')
    const changed = bundleFromJSON(bundleToPlain(forged))
    expect(() => verifier.verify(toSignedEntity(changed))).toThrow()
  })
})

const bundleToPlain = (dsseEnvelope: object) => ({
  mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
  verificationMaterial: { publicKey: { hint: 'any' }, tlogEntries: [] },
  dsseEnvelope,
})

describe('the keys file', () => {
  it('reads a verifier key in its canonical form only', () => {
    const { text } = signer.key
    expect(parseReceiptKey(text)?.id).toBe(signer.key.id)
    const [name, , encoded] = text.split('+')
    for (const wrong of [`${text}=`, ` ${text}`, `x${text}`, `${name}+00000000+${encoded}`, '', 'a+b+c'])
      expect(parseReceiptKey(wrong)).toBeUndefined()
  })

  it.each([
    ['an unknown member', { keys: [{ ...row, trusted: true }] }, /keys\.0/],
    ['an unknown role', { keys: [{ ...row, role: 'root' }] }, /keys\.0\.role/],
    ['a key twice', { keys: [row, { ...row, owner: 'other' }] }, /listed twice/],
    ['no key', { keys: [{ ...row, key: 'abc' }] }, /not a verifier key/],
    ['no time', { keys: [{ ...row, until: 'soon' }] }, /keys\.0\.until/],
    ['no list', {}, /keys/],
  ])('with %s is a fault that names it', async (_, value, message) => {
    await expect(parseKeys(JSON.stringify(value))).rejects.toThrow(message)
  })

  it('says what a change of it does', async () => {
    const other = { ...row, key: signerFromPem(makePem()).key.text }
    const keys = (rows: readonly object[]) => parseKeys(keysText(rows))
    const weaker = async (before: readonly object[], after: readonly object[]) =>
      keyChanges(await keys(before), await keys(after)).map((one) => one.weaker)
    expect(await weaker([], [row])).toEqual([false])
    expect(await weaker([row], [row, other])).toEqual([true])
    expect(await weaker([row], [{ ...row, revoked: '2027-01-01' }])).toEqual([false])
    expect(await weaker([{ ...row, revoked: '2027-01-01' }], [row])).toEqual([true])
    // Less time for a key is how it is rotated.
    expect(await weaker([row], [{ ...row, until: '2027-01-01' }])).toEqual([false])
    expect(await weaker([{ ...row, until: '2027-01-01' }], [{ ...row, until: '2027-01-02' }])).toEqual([true])
    expect(await weaker([row], [{ ...row, role: 'ci', until: '2027-01-01' }])).toEqual([true])
    expect(await weaker([row, other], [row])).toEqual([false])
    expect(await weaker([row], [])).toEqual([true])
    expect(await weaker([row], [row])).toEqual([])
  })
})
