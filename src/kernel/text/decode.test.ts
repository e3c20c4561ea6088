import { describe, expect, it } from 'vitest'
import { decodeLenient, decodeStrict, markedEncoding } from './decode.ts'

const utf16be = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16()

const FILES: readonly (readonly [
  what: string,
  bytes: Uint8Array,
  encoding: string | undefined,
  text: string,
])[] = [
  ['UTF-8', Buffer.from('día'), undefined, 'día'],
  ['UTF-8 with a mark', Buffer.from('\ufeffdía'), 'utf-8', 'día'],
  ['UTF-16 little-endian', Buffer.from('\ufeffdía', 'utf16le'), 'utf-16le', 'día'],
  ['UTF-16 big-endian', utf16be('\ufeffdía'), 'utf-16be', 'día'],
  ['half a mark', Buffer.from([0xff]), undefined, '\ufffd'],
  ['nothing', Buffer.alloc(0), undefined, ''],
  ['wrong bytes', Buffer.from([0x61, 0xff, 0x62]), undefined, 'a\ufffdb'],
]

describe('decoding leniently', () => {
  it.each(FILES)('reads %s', (_, bytes, encoding, text) => {
    expect(markedEncoding(bytes)).toBe(encoding)
    expect(decodeLenient(bytes)).toBe(text)
  })
})

describe('decoding strictly', () => {
  it('keeps a byte order mark', () => {
    expect(decodeStrict(Buffer.from('\ufeffa'))).toBe('\ufeffa')
  })

  it('rejects bytes that are not UTF-8', () => {
    expect(() => decodeStrict(Buffer.from([0x61, 0xff]))).toThrow(TypeError)
  })
})
