import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseReference } from '../format/reference.ts'
import { findLocked, type PacketsLock, parsePacketsLock, writePacketsLock } from './packets-lock.ts'

const DIGEST = `sha256:${'a'.repeat(64)}`
const entry = { digest: DIGEST, embedder: 'm', signers: ['b', 'a'], version: '1.0.0' }
const KEY = 'oci://r.example/team/guide:1.0.0'
const text = (packets: object, more: object = {}) => JSON.stringify({ lockfile_version: 1, packets, ...more })

describe('a lock', () => {
  it.each<[string, string]>([
    ['no JSON', '{'],
    ['another value', '[]'],
    ['another version', JSON.stringify({ lockfile_version: 2, packets: {} })],
    ['no packets', JSON.stringify({ lockfile_version: 1 })],
    ['a list of packets', JSON.stringify({ lockfile_version: 1, packets: [] })],
    ['an unknown member', text({}, { registries: ['evil.example'] })],
    ['an unknown member of an entry', text({ [KEY]: { ...entry, trusted: true } })],
    ['a name without registry', text({ guide: entry })],
    ['a reference without tag', text({ 'oci://r.example/team/guide': entry })],
    ['a pinned reference', text({ [`oci://r.example/team/guide@${DIGEST}`]: entry })],
    ['a host in upper case', text({ 'oci://R.example/team/guide:1': entry })],
    ['a password', text({ 'oci://me:pw@r.example/team/guide:1': entry })],
    ['a short digest', text({ [KEY]: { ...entry, digest: 'sha256:aa' } })],
    ['a digest in upper case', text({ [KEY]: { ...entry, digest: DIGEST.toUpperCase() } })],
    ['signers that are no list', text({ [KEY]: { ...entry, signers: 'a' } })],
    ['a missing member', text({ [KEY]: { digest: DIGEST, signers: [], version: '1' } })],
    [
      'a reason that is too long',
      text({}, { revoked: { [DIGEST]: { reason: 'x'.repeat(2001), revoked_at: '' } } }),
    ],
    ['a revocation of no digest', text({}, { revoked: { guide: { reason: '', revoked_at: '' } } })],
    [
      'too many packets',
      text(Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [`${KEY}${i}`, entry]))),
    ],
  ])('that has %s is refused as a whole', (_, content) => {
    expect(() => parsePacketsLock(content)).toThrow('packets.lock cannot be used')
  })

  it('is the same text however its entries came into it, and reads back', () => {
    const keys = ['oci://r.example/b:1', 'oci://r.example/a:1', 'oci://a.example/z:latest']
    const revoked = new Map([[DIGEST, { reason: 'r', revoked_at: 't' }]])
    const made = (order: readonly string[]): PacketsLock => ({
      packets: new Map(order.map((key) => [key, entry])),
      revoked,
    })
    const first = writePacketsLock(made(keys))
    expect(writePacketsLock(made([...keys].reverse()))).toBe(first)
    expect(writePacketsLock(parsePacketsLock(first))).toBe(first)
    expect(first.endsWith('}\n')).toBe(true)
  })

  it('that is any text is read or refused, never anything else', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (content) => {
        try {
          parsePacketsLock(content)
        } catch (thrown) {
          expect(thrown).toMatchObject({ code: 'packet.consumer_lock' })
        }
      }),
      { numRuns: 300 },
    )
  })

  it.each<[string, readonly string[], string, string | undefined]>([
    ['its tag', ['oci://r.example/g:1', 'oci://r.example/g:2'], 'r.example/g:2', 'oci://r.example/g:2'],
    [
      'no tag, with one entry',
      ['oci://r.example/g:1', 'oci://r.example/go:1'],
      'r.example/g',
      'oci://r.example/g:1',
    ],
    ['no tag, with two entries', ['oci://r.example/g:1', 'oci://r.example/g:2'], 'r.example/g', undefined],
    ['another tag', ['oci://r.example/g:1'], 'r.example/g:2', undefined],
    ['another registry', ['oci://r.example/g:latest'], 's.example/g', undefined],
    ['a digest', ['oci://r.example/g:latest'], `r.example/g@${DIGEST}`, undefined],
  ])('stands for a reference by %s', (_, keys, asked, found) => {
    const lock = { packets: new Map(keys.map((key) => [key, entry])), revoked: new Map() }
    expect(findLocked(lock, parseReference(asked))?.reference).toBe(found)
  })
})
