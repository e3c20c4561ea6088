import { coverRange, foldHashes, leafHash, type NodeRef, nodeHash, STORED_LEVEL } from './merkle.ts'
import type { LogReader } from './store.ts'

const foldLeaves = (hashes: readonly string[]): string => {
  let row = hashes
  while (row.length > 1)
    row = row.flatMap((left, at) => (at % 2 === 0 ? [nodeHash(left, row[at + 1] ?? '')] : []))
  return row[0] ?? ''
}

/** A complete subtree that is too small to be stored. */
const computeNode = async (log: LogReader, { level, index }: NodeRef): Promise<string> => {
  const size = 2 ** level
  const rows = await log.read(index * size, size)
  return foldLeaves(rows.map(({ entry }) => leafHash(entry)))
}

/** The hashes of complete subtrees, stored or not, in the order asked for. */
export const readNodes = async (log: LogReader, refs: readonly NodeRef[]): Promise<readonly string[]> => {
  const stored = refs.filter(({ level }) => level >= STORED_LEVEL)
  const found = stored.length === 0 ? [] : await log.nodes(stored)
  const known = new Map(stored.map((ref, at) => [ref, found[at] ?? '']))
  return Promise.all(refs.map((ref) => known.get(ref) ?? computeNode(log, ref)))
}

/** The hash of the entries from `start` up to `end`. */
export const hashRange = async (log: LogReader, start: number, end: number): Promise<string> =>
  foldHashes(await readNodes(log, coverRange(start, end)))
