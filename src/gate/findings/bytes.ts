import { digestBytes } from '../../kernel/encoding/hash.ts'
import { isTextDespiteMark, isWide, withoutEscapes, withoutNul } from '../../kernel/text/decode.ts'
import { strangeEncodings } from '../facts/attributes.ts'
import type { FileContent } from '../ports.ts'
import type { FindingDraft } from './drafts.ts'
import { FILE_PROBLEMS, type FileProblem } from './file-problems.ts'

/** The same file as other programs read it. */
export const otherReadings = (file: FileContent): FileContent[] => {
  const [plain, unescaped] = [withoutNul(file.bytes), withoutEscapes(file.bytes)]
  // UTF-16 that is no other text holds its secrets only: the rest of it was read by its mark.
  const isMarked = isWide(file.bytes) && !isTextDespiteMark(file.bytes)
  return [
    ...(plain === undefined ? [] : [{ ...file, bytes: plain, ...(isMarked && { secretsOnly: true }) }]),
    ...(unescaped === undefined ? [] : [{ ...file, bytes: unescaped, secretsOnly: true }]),
  ]
}

interface ByteProblem {
  readonly problem: FileProblem
  readonly place: Pick<FindingDraft, 'region' | 'identity'>
}

/** Bytes that are two texts, and attributes that make them so. */
export const byteProblems = ({ path, bytes }: FileContent): ByteProblem[] => [
  ...(isTextDespiteMark(bytes)
    ? [{ problem: FILE_PROBLEMS.ambiguous, place: { identity: digestBytes(bytes) } }]
    : []),
  ...strangeEncodings(path, bytes).map(({ pattern, value = '', line }) => ({
    problem: FILE_PROBLEMS.strangeEncoding,
    place: {
      region: { line, column: 1, endLine: line, endColumn: 2 },
      identity: `${pattern} ${value}`,
    },
  })),
]
