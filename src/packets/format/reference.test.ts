import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Fault } from '../../kernel/fault.ts'
import {
  checkPacketName,
  parseReference,
  pinnedUri,
  safeName,
  sourceUri,
  versionTag,
  writeReference,
} from './reference.ts'

const D = `sha256:${'a'.repeat(64)}`

describe('a reference', () => {
  it.each([
    ['oci://registry.local/team/demo', 'registry.local/team/demo:latest'],
    ['registry.local/team/demo:1.0.0', 'registry.local/team/demo:1.0.0'],
    ['oci://127.0.0.1:5057/proj/demo@1.0.0', '127.0.0.1:5057/proj/demo:1.0.0'],
    ['oci://127.0.0.1:5057/proj/demo@1.0.0+build', '127.0.0.1:5057/proj/demo:1.0.0_build'],
    [`oci://127.0.0.1:5057/demo@${D}`, `127.0.0.1:5057/demo@${D}`],
    [`oci://h.io/a/b:1@${D}`, `h.io/a/b:1@${D}`],
    ['oci://Registry.LOCAL/demo/', 'registry.local/demo:latest'],
    ['[::1]:5000/demo:x', '[::1]:5000/demo:x'],
    ['h/a__b/c---d/e.f', 'h/a__b/c---d/e.f:latest'],
  ])('%s means %s', (text, meaning) => {
    expect(writeReference(parseReference(text))).toBe(meaning)
  })

  it.each([
    '',
    'demo',
    'oci://',
    'oci://host',
    'oci://host/',
    'https://host/demo',
    'oci://oci://host/demo',
    'oci://user:secret@host/demo',
    'oci://host/Demo',
    'oci://host/a//b',
    'oci://host/../etc',
    'oci://host/a/..',
    'oci://host/demo:',
    'oci://host/demo@',
    'oci://host/demo:1@2',
    'oci://host/demo@sha256:abc',
    `oci://host/demo@${D}@${D}`,
    `oci://host/demo@sha512:${'a'.repeat(128)}`,
    'oci://host/demo:bad tag',
    `oci://host/demo:${'t'.repeat(129)}`,
    `oci://host/${'a'.repeat(256)}`,
    'oci://host:0/demo',
    'oci://host:65536/demo',
    'oci://-host/demo',
    'oci://ho_st/demo',
    'oci://a.0/demo',
    'oci://0x7f.1/demo',
    'oci://2130706433/demo',
    'oci://[0::1]/demo',
    'oci://host/demo\n',
    `oci://host/${'a/'.repeat(600)}a`,
  ])('%j is refused', (text) => {
    expect(() => parseReference(text)).toThrow(expect.objectContaining({ code: 'packet.reference' }))
  })

  it.each([
    'warrant:s3cret@127.0.0.1:5000/team/demo',
    'oci://s3cret@host/demo',
    'oci://host/team/warrant:s3cret@127.0.0.1:5000/demo',
    `oci://a:s3cret/s3cret@host/${'x'.repeat(120)}`,
    'oci://https://a:s3cret@host/demo',
  ])('%j is refused without repeating the password', (text) => {
    expect(() => parseReference(text)).toThrow(expect.objectContaining({ code: 'packet.reference' }))
    expect(() => parseReference(text)).not.toThrow(/s3cret/)
  })

  it('says where a password belongs instead', () => {
    expect(() => parseReference('a:b@host/demo')).toThrow(/"\*\*\*@host\/demo".*use `docker login`/)
  })

  it('keeps the repository of a host with a port when it is pinned', () => {
    const ref = parseReference(`oci://127.0.0.1:5057/proj/demo:1.0.0@${D}`)
    expect(pinnedUri(ref, D)).toBe(`oci://127.0.0.1:5057/proj/demo@${D}`)
    expect(pinnedUri(parseReference(pinnedUri(ref, D)), D)).toBe(pinnedUri(ref, D))
  })

  it('of any text is read or refused, and what is read is read again as the same', () => {
    const alphabet = fc.constantFrom(...'ab0.:/@-_+[]%?#', 'sha256:', 'oci://', 'A', 'é', '\0', D)
    fc.assert(
      fc.property(fc.array(alphabet, { maxLength: 24 }), (parts) => {
        let read: ReturnType<typeof parseReference>
        try {
          read = parseReference(parts.join(''))
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(Fault)
          return
        }
        const text = writeReference(read)
        expect(writeReference(parseReference(text))).toBe(text)
        // What is put into a URL can be no more than what was judged.
        const url = new URL(`https://${read.host}/v2/${read.repository}/manifests/${read.tag ?? read.digest}`)
        expect(url.pathname).toBe(`/v2/${read.repository}/manifests/${read.tag ?? read.digest}`)
        expect(url.username + url.password + url.search + url.hash).toBe('')
      }),
      { numRuns: 3000 },
    )
  })
})

describe('the address of a packet', () => {
  it.each([
    [{ registry: 'registry.local/project', name: 'demo' }, 'oci://registry.local/project/demo:latest'],
    [{ registry: 'oci://r.io/p/', name: 'demo', version: '1.0.0' }, 'oci://r.io/p/demo:1.0.0'],
    [{ registry: 'r.io', name: 'demo', version: '1.0+x' }, 'oci://r.io/demo:1.0_x'],
    [{ registry: 'r.io', name: 'demo', alias: 'stable' }, 'oci://r.io/demo:stable'],
    [{ registry: 'r.io', ref: '/demo@1.0.0' }, 'oci://r.io/demo@1.0.0'],
    [{ ref: 'oci://h/demo' }, 'oci://h/demo'],
    [{ ref: 'demo' }, undefined],
    [{ registry: '', name: 'demo' }, undefined],
    [{ registry: 'r.io' }, undefined],
  ])('%j is %s', (words, uri) => {
    expect(sourceUri(words)).toBe(uri)
  })

  it('becomes a file name', () => {
    expect(safeName('oci://127.0.0.1:5057/proj/demo:latest')).toBe('oci___127.0.0.1_5057_proj_demo_latest')
    expect(safeName(D)).toBe(`sha256_${'a'.repeat(64)}`)
  })

  it('takes names and versions that a registry takes', () => {
    expect(checkPacketName('team/demo-1')).toBe('team/demo-1')
    expect(() => checkPacketName('Demo')).toThrow(expect.objectContaining({ code: 'packet.name' }))
    expect(() => versionTag('1 0')).toThrow(expect.objectContaining({ code: 'packet.version' }))
    expect(() => versionTag('')).toThrow(expect.objectContaining({ code: 'packet.version' }))
  })
})
