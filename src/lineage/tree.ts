import { coverRange, foldHashes, leafHash, nodeHash, STORED_LEVEL } from './merkle.ts'
import type { LogReader, NodeRef } from './store.ts'

const foldLeaves = (hashes: readonly string[]): string => {
  let row = hashes
  while (row.length > 1)
    row = row.flatMap((left, at) => (at % 2 === 0 ? [nodeHash(left, row[at + 1] ?? '')] : []))
  return row[0] ?? ''
}

/** Hash of a complete subtree that is too small to be stored. */
const computeNode = async (log: LogReader, { level, index }: NodeRef): Promise<string> => {
  const size = 2 ** level
  const rows = await log.read(index * size, size)
  return foldLeaves(rows.map(({ entry }) => leafHash(entry)))
}

/** Hashes of complete subtrees, stored or computed, in the order of `refs`. */
export const readNodes = async (log: LogReader, refs: readonly NodeRef[]): Promise<readonly string[]> => {
  const stored = refs.filter(({ level }) => level >= STORED_LEVEL)
  const found = stored.length === 0 ? [] : await log.nodes(stored)
  const known = new Map(stored.map((ref, at) => [ref, found[at] ?? '']))
  return Promise.all(refs.map((ref) => known.get(ref) ?? computeNode(log, ref)))
}

/** The hash of the entries from `start` up to `end`. */
export const hashRange = async (log: LogReader, start: number, end: number): Promise<string> =>
  foldHashes(await readNodes(log, coverRange(start, end)))
