import type { Digest } from '../../kernel/encoding/digest.ts'
import { escapeHidden } from '../../kernel/text/hidden-characters.ts'
import { packetFaults } from '../faults.ts'
import type { Doc, DocRows } from '../format/docs.ts'
import type { Revocation } from '../lock/packets-lock.ts'
import type { PacketStore } from '../ports.ts'
import type { PolicyGuard } from '../trust/policy-guard.ts'
import { revokedWarning } from './answer-origin.ts'
import type { UsePacket } from './query.ts'
import { toQueryHit } from './snippet.ts'

export interface ReadPorts {
  readonly store: PacketStore
  readonly guard: PolicyGuard
  readonly use: UsePacket
  readonly revocation?: (digest: Digest) => Promise<Revocation | undefined>
  /** A file of a stored packet as text, or undefined when it has none of that name. */
  readonly file: (digest: Digest, folder: string, path: string) => Promise<string | undefined>
}

interface ReadRequest {
  readonly digest: Digest
  readonly path: string
  readonly signal: AbortSignal
}

/** Files of a packet that can be read by name, and their paths in the store. */
const PACKET_FILES: Readonly<Record<string, string>> = {
  'manifest.json': 'payload/manifest.json',
  'docs.jsonl': 'payload/docs.jsonl',
  'cpm.yml': 'payload/cpm.yml',
  'packet.manifest.json': 'packet.manifest.json',
  'packet.lock.json': 'packet.lock.json',
}

/** The lines of a chunk with their numbers; undefined when it does not say them, or their count differs. */
const numberedLines = (doc: Doc): readonly (readonly [number, string])[] | undefined => {
  const { start, end } = toQueryHit(doc, 0)
  const lines = doc.text.split('\n')
  if (start === null || start < 1 || end === null || lines.length !== end - start + 1) return undefined
  return lines.map((line, i) => [start + i, line] as const)
}

interface DocumentLines {
  readonly lines: readonly string[]
  /** Whether line n of the document is the nth of the list. */
  readonly isNumbered: boolean
}

/** Rebuilds a document from its chunks: every line at its number, lines that no chunk holds left blank. */
const joinChunks = (chunks: readonly Doc[]): DocumentLines => {
  const placed = chunks.map(numberedLines)
  if (placed.includes(undefined))
    return {
      lines: chunks
        .map(({ text }) => text)
        .join('\n\n')
        .split('\n'),
      isNumbered: false,
    }
  const lines: string[] = []
  for (const [number, line] of placed.flatMap((one) => one ?? [])) {
    // Chunks are trimmed: a line cut in one chunk may be complete in another.
    if (line.length >= (lines[number - 1]?.length ?? 0)) lines[number - 1] = line
  }
  return { lines: Array.from(lines, (line) => line ?? ''), isNumbered: true }
}

/** The lines of a document, by the path that results cite. */
export const readDocumentLines = async (docs: DocRows, path: string): Promise<DocumentLines | undefined> => {
  const name = JSON.stringify(path.split(/[\\/]/).at(-1) ?? '')
  // The path in the packet may be longer than the cited one.
  const rows = await docs.rowsWith(name.slice(1))
  const found = await Promise.all(rows.map((row) => docs.row(row)))
  const chunks = found.filter((doc) => toQueryHit(doc, 0).path === path)
  return chunks.length === 0 ? undefined : joinChunks(chunks)
}

const documentIn = async (docs: DocRows, path: string): Promise<string | undefined> => {
  const found = await readDocumentLines(docs, path)
  return found && `${found.lines.join('\n')}${found.isNumbered ? '\n' : ''}`
}

/**
 * Reads a fetched packet: one of its files, or a document by the path that results cite, with hidden characters
 * escaped. The policy applies as for a query.
 */
export const readDocumentPart = async (
  { store, guard, use, file, revocation }: ReadPorts,
  { digest, path, signal }: ReadRequest,
): Promise<string> => {
  const folder = /^sha256:[0-9a-f]{64}$/.test(digest) ? await store.find(digest) : undefined
  if (folder === undefined)
    throw packetFaults.no_docs('no packet with this digest was fetched', {
      fix: 'Query it first, or fetch it with `warrant packet pull`.',
    })
  await guard.recheckStored(digest, signal)
  // A text has no place for a warning: its lines are those that answers cite.
  const revoked = await revocation?.(digest)
  if (revoked !== undefined) throw packetFaults.revoked(revokedWarning('this packet', revoked))
  const storedPath = Object.hasOwn(PACKET_FILES, path) ? PACKET_FILES[path] : undefined
  const text =
    storedPath === undefined
      ? await use(digest, folder, async ({ docs }) => documentIn(docs, path))
      : await file(digest, folder, storedPath)
  if (text !== undefined) return escapeHidden(text)
  throw packetFaults.no_docs('the packet has no such file', {
    fix: `Read one of ${Object.keys(PACKET_FILES).join(', ')}, or a document by a path that query returned.`,
  })
}
