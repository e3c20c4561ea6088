import { digestBytes } from '../../kernel/encoding/hash.ts'
import { decodeSource, markedEncoding } from '../../kernel/text/decode.ts'
import { strangeEncodings } from '../facts/attributes.ts'
import type { FileContent } from '../ports.ts'
import type { FindingDraft } from './drafts.ts'
import { FILE_PROBLEMS, type FileProblem } from './file-problems.ts'

const MARK_BYTES = 2

const isWide = (bytes: Uint8Array): boolean => markedEncoding(bytes)?.startsWith('utf-16') === true

const latin1 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

/** Longer than runs of printable bytes in UTF-16: each space and line break has a NUL there. */
const PLAIN_RUN = /[\t\n\r -~]{64}/

/** Whether bytes with a UTF-16 mark are a text without it too, which programs that do not know the mark read. */
const isTextDespiteMark = (bytes: Uint8Array): boolean => {
  if (!isWide(bytes)) return false
  let rest = bytes.subarray(MARK_BYTES)
  // Merged files repeat the mark, and are the same text without the first one.
  while (markedEncoding(rest) === markedEncoding(bytes)) rest = rest.subarray(MARK_BYTES)
  if (rest.length === 0) return false
  return decodeSource(rest) !== undefined || PLAIN_RUN.test(latin1(rest))
}

/** The bytes as programs read them that know no UTF-16 or leave out NUL; undefined where that is no other text. */
const withoutNul = (bytes: Uint8Array): Uint8Array | undefined => {
  if (!isWide(bytes) && !bytes.includes(0)) return undefined
  return bytes.subarray(isWide(bytes) ? MARK_BYTES : 0).filter((byte) => byte !== 0)
}

const ASCII_ESCAPE = /\\(?:u00([2-7][0-9a-f])|(\/))/gi

/** The bytes with the printable characters that JSON may escape; undefined where none is escaped. */
const withoutEscapes = (bytes: Uint8Array): Uint8Array | undefined => {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!source.includes('\\u00') && !source.includes('\\/')) return undefined
  const text = latin1(source)
  const plain = text.replace(ASCII_ESCAPE, (_, code = '2f') => String.fromCharCode(Number.parseInt(code, 16)))
  return plain === text ? undefined : Buffer.from(plain, 'latin1')
}

/** The same file as other programs read it. */
export const otherReadings = (file: FileContent): FileContent[] => {
  const [plain, unescaped] = [withoutNul(file.bytes), withoutEscapes(file.bytes)]
  // UTF-16 that is no other text is searched for secrets only: the rest of it was read by its mark.
  const isMarked = isWide(file.bytes) && !isTextDespiteMark(file.bytes)
  return [
    ...(plain === undefined ? [] : [{ ...file, bytes: plain, ...(isMarked && { secretsOnly: true }) }]),
    ...(unescaped === undefined ? [] : [{ ...file, bytes: unescaped, secretsOnly: true }]),
  ]
}

type Place = Pick<FindingDraft, 'region' | 'identity'>

/** Bytes that are two texts, and attributes that make them so. */
export function* byteProblems({ path, bytes }: FileContent): Generator<readonly [FileProblem, Place]> {
  if (isTextDespiteMark(bytes)) yield [FILE_PROBLEMS.ambiguous, { identity: digestBytes(bytes) }]
  for (const { pattern, value = '', line } of strangeEncodings(path, bytes)) {
    const region = { line, column: 1, endLine: line, endColumn: 2 }
    yield [FILE_PROBLEMS.strangeEncoding, { region, identity: `${pattern} ${value}` }]
  }
}
