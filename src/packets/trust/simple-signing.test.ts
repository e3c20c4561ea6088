import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { findSigners, readKey } from './simple-signing.ts'

const DIGEST = `sha256:${'a'.repeat(64)}`
const claim = (digest: string, type = 'cosign container image signature') =>
  Buffer.from(
    JSON.stringify({
      critical: { identity: { 'docker-reference': '' }, image: { 'docker-manifest-digest': digest }, type },
      optional: null,
    }),
  )
const pairs = {
  ec: generateKeyPairSync('ec', { namedCurve: 'P-256' }),
  ed25519: generateKeyPairSync('ed25519'),
  rsa: generateKeyPairSync('rsa', { modulusLength: 2048 }),
}
const signed = (payload: Buffer, key: KeyObject) =>
  sign(key.asymmetricKeyType === 'ed25519' ? null : 'sha256', payload, key).toString('base64')

describe('a signature in the form cosign calls simple signing', () => {
  it.each(Object.entries(pairs))(
    'of a key of kind %s counts for its digest',
    (name, { publicKey, privateKey }) => {
      const payload = claim(DIGEST)
      const signature = signed(payload, privateKey)
      const keys = [{ name, key: publicKey }]
      expect(findSigners({ payload, signature }, DIGEST, keys)).toEqual([name])
      expect(findSigners({ payload, signature }, `sha256:${'b'.repeat(64)}`, keys)).toEqual([])
      const others = Object.entries(pairs).filter(([other]) => other !== name)
      for (const [, { publicKey: other }] of others)
        expect(findSigners({ payload, signature }, DIGEST, [{ name: 'other', key: other }])).toEqual([])
    },
  )

  it.each([
    ['of another type', claim(DIGEST, 'atomic container signature')],
    ['that is no JSON', Buffer.from(DIGEST)],
    ['without a digest', Buffer.from('{"critical":{"type":"cosign container image signature","image":{}}}')],
  ])('over a claim %s counts for nothing', (_, payload) => {
    const { publicKey: key, privateKey } = pairs.ec
    const signature = signed(payload, privateKey)
    expect(findSigners({ payload, signature }, DIGEST, [{ name: 'ec', key }])).toEqual([])
  })

  it.each(['', 'AAAA', '!!', 'x'.repeat(5000)])('that reads %j counts for nothing', (signature) => {
    const keys = Object.entries(pairs).map(([name, { publicKey: key }]) => ({ name, key }))
    expect(findSigners({ payload: claim(DIGEST), signature }, DIGEST, keys)).toEqual([])
  })
})

describe('a key', () => {
  it('is a public one in PEM, or none', () => {
    const { publicKey, privateKey } = pairs.ec
    expect(readKey(publicKey.export({ type: 'spki', format: 'pem' }).toString())).toBeDefined()
    expect(readKey(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString())).toBeUndefined()
    expect(readKey('-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n')).toBeUndefined()
    const dh = generateKeyPairSync('x25519').publicKey.export({ type: 'spki', format: 'pem' })
    expect(readKey(dh.toString())).toBeUndefined()
  })
})
