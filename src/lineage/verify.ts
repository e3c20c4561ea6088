import { createHash } from 'node:crypto'

/**
 * Independent verifier of entries and proofs; `audit.ts` runs it over a log in a store, `tlog/note.ts` verifies checkpoints. This file imports
 * nothing of ours, on purpose: a mistake in the writer must not be repeated here, and a reviewer has to read only this.
 */

export interface PublicEntry {
  readonly seq: number
  readonly tick: number
  readonly operation: string
  readonly timestamp: string
  readonly payload_hash: string
  readonly checksum: string
}

export type ChainVerdict =
  | { readonly outcome: 'intact'; readonly size: number; readonly head: string; readonly root: string }
  | { readonly outcome: 'broken'; readonly at: number; readonly why: string }

const hash = (...parts: (string | Uint8Array)[]): Buffer => {
  const state = createHash('sha256')
  for (const part of parts) state.update(part)
  return state.digest()
}

/** Root of a tree without entries. */
export const EMPTY_TREE_ROOT = hash().toString('hex')

const HEX = /^[0-9a-f]{64}$/
// The type check matters: an array with one hash converts to the same string, but is not what was recorded.
const isHash = (value: unknown): value is string => typeof value === 'string' && HEX.test(value)
const MEMBERS = ['checksum', 'operation', 'payload_hash', 'seq', 'tick', 'timestamp'] as const

/** The entry; otherwise what is wrong with it. */
const checkEntry = (value: unknown, at: number): PublicEntry | string => {
  if (value === null || typeof value !== 'object') return 'is not an object'
  const entry: { readonly [K in keyof PublicEntry]?: unknown } = value
  const { checksum, operation, payload_hash, seq, tick, timestamp } = entry
  if (Object.keys(entry).sort().join() !== MEMBERS.join()) return 'has missing or additional members'
  if (typeof seq !== 'number') return 'has a sequence number that is not a number'
  if (seq !== at) return `has the sequence number ${seq}`
  if (typeof tick !== 'number' || !Number.isSafeInteger(tick) || tick < 0) return 'has an invalid tick'
  if (typeof operation !== 'string' || typeof timestamp !== 'string') return 'has no operation or timestamp'
  if (`${operation}${timestamp}`.includes('\n')) return 'has a newline in operation or timestamp'
  if (!isHash(payload_hash) || !isHash(checksum)) return 'has a malformed hash'
  return { checksum, operation, payload_hash, seq, tick, timestamp }
}

/** Content of a Merkle leaf: the members of the entry in alphabetical order, without whitespace. */
const leafBytes = (entry: PublicEntry): string =>
  `{${MEMBERS.map((name) => `"${name}":${JSON.stringify(entry[name])}`).join(',')}}`

/** The public entry in the bytes of a leaf. Undefined when it is none, or not in the one spelling that a log writes. */
export const readLeaf = (text: string, index: number): PublicEntry | undefined => {
  try {
    const entry = checkEntry(JSON.parse(text), index)
    return typeof entry !== 'string' && leafBytes(entry) === text ? entry : undefined
  } catch {
    return undefined
  }
}

/** The hash of a leaf, in hexadecimal. */
export const leafHashOf = (text: string): string => hash(Buffer.of(0), text).toString('hex')

const recomputeChecksum = (entry: PublicEntry, previous: string): string =>
  hash(
    [
      'SCG-LINEAGE-1',
      entry.seq,
      entry.tick,
      entry.operation,
      entry.timestamp,
      entry.payload_hash,
      previous,
    ].join('\n'),
  ).toString('hex')

/** The Merkle root of RFC 9162, computed incrementally with a stack. */
class RootStack {
  readonly #stack: { readonly count: number; readonly hash: Buffer }[] = []

  push(leaf: Buffer): void {
    let top = { count: 1, hash: leaf }
    for (let left = this.#stack.at(-1); left?.count === top.count; left = this.#stack.at(-1)) {
      this.#stack.pop()
      top = { count: top.count * 2, hash: hash(Buffer.of(1), left.hash, top.hash) }
    }
    this.#stack.push(top)
  }

  root(): string {
    const [last, ...rest] = this.#stack.map((one) => one.hash).reverse()
    if (last === undefined) return EMPTY_TREE_ROOT
    return rest.reduce((right, left) => hash(Buffer.of(1), left, right), last).toString('hex')
  }
}

/** Verifies the hash chain from the genesis, and the hash of every payload that was not erased. */
export const verifyChain = async (
  genesis: string,
  entries: Iterable<unknown> | AsyncIterable<unknown>,
  payloadOf: (seq: number) => string | null | undefined = () => undefined,
): Promise<ChainVerdict> => {
  let previous = hash(`SCG_GENESIS\n${genesis}`).toString('hex')
  let size = 0
  const tree = new RootStack()
  for await (const value of entries) {
    const broken = (why: string): ChainVerdict => ({ outcome: 'broken', at: size, why })
    const entry = checkEntry(value, size)
    if (typeof entry === 'string') return broken(`entry ${size} ${entry}`)
    if (recomputeChecksum(entry, previous) !== entry.checksum)
      return broken(`entry ${size} has a checksum that does not follow from the entry before it`)
    const payload = payloadOf(size)
    if (typeof payload === 'string' && hash(payload).toString('hex') !== entry.payload_hash) {
      return broken(`the payload of entry ${size} does not match its recorded hash`)
    }
    tree.push(hash(Buffer.of(0), leafBytes(entry)))
    previous = entry.checksum
    size += 1
  }
  return { outcome: 'intact', size, head: previous, root: tree.root() }
}

const hexBytes = (hex: string): Buffer => Buffer.from(HEX.test(hex) ? hex : '', 'hex')
const hashPair = (left: Buffer, right: Buffer): Buffer => hash(Buffer.of(1), left, right)

/** RFC 9162, 2.1.3.2. */
export const checkInclusion = (proof: {
  readonly index: number
  readonly size: number
  readonly leaf: string
  readonly root: string
  readonly path: readonly string[]
}): boolean => {
  if (!(proof.index >= 0 && proof.index < proof.size)) return false
  let fn = proof.index
  let sn = proof.size - 1
  let r = hexBytes(proof.leaf)
  for (const step of proof.path) {
    const p = hexBytes(step)
    if (sn === 0 || p.length === 0) return false
    if (fn % 2 === 1 || fn === sn) {
      r = hashPair(p, r)
      while (fn % 2 === 0 && fn !== 0) {
        fn = Math.floor(fn / 2)
        sn = Math.floor(sn / 2)
      }
    } else {
      r = hashPair(r, p)
    }
    fn = Math.floor(fn / 2)
    sn = Math.floor(sn / 2)
  }
  return sn === 0 && r.equals(hexBytes(proof.root))
}

/** RFC 9162, 2.1.4.2. */
export const checkConsistency = (proof: {
  readonly older: number
  readonly newer: number
  readonly olderRoot: string
  readonly newerRoot: string
  readonly path: readonly string[]
}): boolean => {
  const { older, newer } = proof
  if (!(older >= 0 && older <= newer)) return false
  if (older === newer) return proof.path.length === 0 && proof.olderRoot === proof.newerRoot
  if (older === 0) return proof.path.length === 0 && proof.olderRoot === EMPTY_TREE_ROOT
  const path = proof.path.map(hexBytes)
  if (Number.isInteger(Math.log2(older))) path.unshift(hexBytes(proof.olderRoot))
  let fn = older - 1
  let sn = newer - 1
  while (fn % 2 === 1) {
    fn = Math.floor(fn / 2)
    sn = Math.floor(sn / 2)
  }
  const [first, ...rest] = path
  if (first === undefined || path.some((one) => one.length === 0)) return false
  let fr = first
  let sr = first
  for (const c of rest) {
    if (sn === 0) return false
    if (fn % 2 === 1 || fn === sn) {
      fr = hashPair(c, fr)
      sr = hashPair(c, sr)
      while (fn % 2 === 0 && fn !== 0) {
        fn = Math.floor(fn / 2)
        sn = Math.floor(sn / 2)
      }
    } else {
      sr = hashPair(sr, c)
    }
    fn = Math.floor(fn / 2)
    sn = Math.floor(sn / 2)
  }
  return sn === 0 && fr.equals(hexBytes(proof.olderRoot)) && sr.equals(hexBytes(proof.newerRoot))
}
