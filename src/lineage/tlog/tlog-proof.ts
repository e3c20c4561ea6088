import { optional } from '../../kernel/optional.ts'
import { decodeBase64, decodeTreeHash, parseDecimal } from './note.ts'

/** Proofs of inclusion that need no log, as C2SP defines them (tlog-proof). Imports only `note.ts`. */

const HEADER = 'c2sp.org/tlog-proof@v1'
/** A tree of 2^63 entries has paths of this length. */
const MAX_PATH = 63

interface TlogProof {
  readonly index: number
  /** Hashes from the sibling of the leaf to the child of the root, in hexadecimal. */
  readonly path: readonly string[]
  /** The signed note. */
  readonly checkpoint: string
  /** What the reader needs to compute the leaf. The proof does not cover it. */
  readonly extra?: Buffer
}

/** The text of a proof. */
export const writeTlogProof = ({ index, path, checkpoint, extra }: TlogProof): string =>
  [
    HEADER,
    ...(extra === undefined ? [] : [`extra ${extra.toString('base64')}`]),
    `index ${index}`,
    ...path.map((hash) => Buffer.from(hash, 'hex').toString('base64')),
    '',
    checkpoint,
  ].join('\n')

/** Reads a proof. Undefined when it is malformed. Verifies nothing. */
export const readTlogProof = (text: string): TlogProof | undefined => {
  const end = text.indexOf('\n\n')
  if (end === -1) return undefined
  const [header, ...lines] = text.slice(0, end).split('\n')
  if (header !== HEADER) return undefined
  const extraLine = lines[0]?.startsWith('extra ') ? lines.shift() : undefined
  const extra = extraLine === undefined ? undefined : decodeBase64(extraLine.slice('extra '.length))
  const [, digits = ''] = /^index (\d+)$/.exec(lines.shift() ?? '') ?? []
  const index = parseDecimal(digits)
  const path = lines.map(decodeTreeHash)
  if (index === undefined || path.length > MAX_PATH || !path.every((hash) => hash !== undefined))
    return undefined
  if (extraLine !== undefined && extra === undefined) return undefined
  return { index, path, checkpoint: text.slice(end + 2), ...optional({ extra }) }
}
