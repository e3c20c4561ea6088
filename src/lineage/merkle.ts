import { hash } from 'node:crypto'
import type { LogReader, NodeRef, TreeNode } from './store.ts'

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

/** The Merkle tree of RFC 9162: hashes of leaves and nodes, and which complete subtrees cover a range. */

export const leafHash = (entry: string): string => hash('sha256', `\u0000${entry}`)

const HASH_BYTES = 32
/** Input of a node's hash: the byte 1, then both children. Reused by every call. */
const nodeInput = Buffer.alloc(1 + 2 * HASH_BYTES, 1)

const nodeHash = (left: string, right: string): string => {
  // An invalid hash writes fewer bytes and would leave some of the former call.
  const written = nodeInput.write(left, 1, 'hex') + nodeInput.write(right, 1 + HASH_BYTES, 'hex')
  if (written !== 2 * HASH_BYTES) throw new RangeError('a tree node needs two hashes')
  return hash('sha256', nodeInput)
}

const EMPTY_ROOT = hash('sha256', '')

/**
 * Subtrees below this level are not stored but computed from the entries they cover, at most 256. That is cheaper than
 * writing another row for every entry.
 */
export const STORED_LEVEL = 8

/** The complete subtrees whose hashes, folded from the right, give the hash of entries `start` up to `end`. */
export const coverRange = (start: number, end: number): NodeRef[] => {
  const nodes: NodeRef[] = []
  let at = start
  for (let left = end - start; left > 0; ) {
    const level = Math.floor(Math.log2(left))
    const size = 2 ** level
    nodes.push({ level, index: at / size })
    at += size
    left -= size
  }
  return nodes
}

const foldHashes = (hashes: readonly string[]): string =>
  hashes.length === 0 ? EMPTY_ROOT : hashes.reduceRight((right, left) => nodeHash(left, right))

type Range = readonly [start: number, end: number]

/** The largest power of two smaller than `size`: where RFC 9162 splits a tree. */
const splitAt = (size: number): number => 2 ** (Math.ceil(Math.log2(size)) - 1)

/** Ranges whose hashes prove that entry `index` is in the tree of `size`, from the leaf up. */
export const inclusionRanges = (index: number, size: number): Range[] => {
  const walk = (at: number, start: number, end: number): Range[] => {
    if (end - start === 1) return []
    const middle = start + splitAt(end - start)
    return at < middle
      ? [...walk(at, start, middle), [middle, end]]
      : [...walk(at, middle, end), [start, middle]]
  }
  return walk(index, 0, size)
}

/** Ranges whose hashes prove that the tree of `older` is a prefix of the tree of `newer`. */
export const consistencyRanges = (older: number, newer: number): Range[] => {
  const walk = (start: number, end: number, whole: boolean): Range[] => {
    if (older === end) return whole ? [] : [[start, end]]
    const middle = start + splitAt(end - start)
    return older <= middle
      ? [...walk(start, middle, whole), [middle, end]]
      : [...walk(middle, end, false), [start, middle]]
  }
  return older === 0 || older === newer ? [] : walk(0, newer, true)
}

/** The right edge of a growing tree: the roots of its complete subtrees, which is all that appending needs. */
export class Frontier {
  #size: number
  /** Complete subtrees, largest first. */
  #peaks: TreeNode[]

  constructor(size: number, hashes: readonly string[]) {
    this.#size = size
    this.#peaks = coverRange(0, size).map((ref, at) => ({ ...ref, hash: hashes[at] ?? '' }))
  }

  get size(): number {
    return this.#size
  }

  get root(): string {
    return foldHashes(this.#peaks.map(({ hash }) => hash))
  }

  copy(): Frontier {
    const twin = new Frontier(0, [])
    twin.#size = this.#size
    twin.#peaks = [...this.#peaks]
    return twin
  }

  /** Adds a leaf and returns the subtrees it completed, the leaf first. */
  append(leaf: string): TreeNode[] {
    const made: TreeNode[] = []
    this.grow(leaf, made, 0)
    return made
  }

  /** Adds a leaf. Subtrees it completed, from a level on, are added to `made`. */
  grow(leaf: string, made: TreeNode[], from = STORED_LEVEL): void {
    const peaks = this.#peaks
    let top: TreeNode = { level: 0, index: this.#size, hash: leaf }
    if (from === 0) made.push(top)
    for (let left = peaks.at(-1); left?.level === top.level; left = peaks.at(-1)) {
      peaks.pop()
      top = { level: top.level + 1, index: left.index / 2, hash: nodeHash(left.hash, top.hash) }
      if (top.level >= from) made.push(top)
    }
    peaks.push(top)
    this.#size += 1
  }
}
