import type { Digest } from '../../kernel/encoding/digest.ts'
import { digestBytes } from '../../kernel/encoding/hash.ts'
import { optional } from '../../kernel/optional.ts'
import { packetFaults } from '../faults.ts'
import type { Revocation } from '../lock/packets-lock.ts'
import { type ReadPorts, readDocumentLines } from './read-document.ts'

/** A passage of a packet: its document, and lines of it. */
interface Citation {
  readonly digest: Digest
  readonly path: string
  /** First and last line, from one; undefined for the whole document. */
  readonly lines?: readonly [number, number]
}

/** A citation that the stored packet bears out. */
export interface VerifiedCitation {
  readonly uri: string
  /** Digest of the cited text. */
  readonly digest: Digest
  readonly revoked?: Revocation
}

const CITATION = /^packet:\/\/(sha256:[0-9a-f]{64})\/([^\p{Cc}]+?)(?:#L(\d{1,9})(?:-L?(\d{1,9}))?)?$/u
const MAX_LENGTH = 2000

const refuse = (uri: string, why: string): never => {
  throw packetFaults.citation(`${JSON.stringify(uri.slice(0, 300))} ${why}`)
}

const parseCitation = (uri: string): Citation => {
  const [, digest, path, first, last = first] = (uri.length <= MAX_LENGTH && CITATION.exec(uri)) || []
  if (digest === undefined || path === undefined) return refuse(uri, 'is not a citation')
  if (first === undefined) return { digest, path }
  const lines = [Number(first), Number(last)] as const
  return lines[0] >= 1 && lines[0] <= lines[1] ? { digest, path, lines } : refuse(uri, 'has no such lines')
}

/** Verifies a citation against the stored packet: its digest is known, and document and lines exist. */
export const verifyCitation = async (ports: ReadPorts, uri: string): Promise<VerifiedCitation> => {
  const { digest, path, lines } = parseCitation(uri)
  const folder = await ports.store.find(digest)
  if (folder === undefined) return refuse(uri, 'cites a packet that was not fetched here')
  const found = await ports.use(digest, folder, ({ docs }) => readDocumentLines(docs, path))
  if (found === undefined) return refuse(uri, 'cites a document that the packet does not have')
  if (lines !== undefined && !found.isNumbered)
    return refuse(uri, 'cites lines, and the packet does not number them; cite the document')
  const count = found.lines.length
  if (lines !== undefined && lines[1] > count)
    return refuse(uri, `cites line ${lines[1]}, and the document has ${count} lines`)
  const cited = lines === undefined ? found.lines : found.lines.slice(lines[0] - 1, lines[1])
  const revoked = await ports.revocation?.(digest)
  return { uri, digest: digestBytes(cited.join('\n')), ...optional({ revoked }) }
}
