type TextEncoding = 'utf-8' | 'utf-16le' | 'utf-16be'

const MARKS: readonly (readonly [encoding: TextEncoding, mark: readonly number[]])[] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16le', [0xff, 0xfe]],
  ['utf-16be', [0xfe, 0xff]],
]

/** The encoding that a byte order mark announces; undefined without a mark. */
export const markedEncoding = (bytes: Uint8Array): TextEncoding | undefined =>
  MARKS.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0]

const lenientUtf8 = new TextDecoder()

/** Text of a source file without its byte order mark. Without a mark it is UTF-8; wrong bytes become U+FFFD. */
export const decodeLenient = (bytes: Uint8Array): string => {
  const encoding = markedEncoding(bytes) ?? 'utf-8'
  return (encoding === 'utf-8' ? lenientUtf8 : new TextDecoder(encoding)).decode(bytes)
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** UTF-8 as it was written: a byte order mark is part of the text, wrong bytes throw a TypeError. */
export const decodeStrict = (bytes: Uint8Array): string => strictUtf8.decode(bytes)

const SAMPLE = 8_192

/** True when a tenth of the sample is control characters or U+FFFD. A lone NUL must not hide a script from the gate. */
const looksLikeBinary = (text: string): boolean => {
  const sample = text.slice(0, SAMPLE)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are counted
  const found = sample.match(/[\u0000-\u0008\u000e-\u001a\u001c-\u001f\ufffd]/g)?.length ?? 0
  return found * 10 > sample.length
}

/** Text of a source file, as `decodeLenient`; undefined for a binary file. */
export const decodeSource = (bytes: Uint8Array): string | undefined => {
  const text = decodeLenient(bytes)
  return looksLikeBinary(text) ? undefined : text
}
