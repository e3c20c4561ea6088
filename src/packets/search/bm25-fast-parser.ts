import type { CooperativeTask } from '../../kernel/async/cooperative.ts'
import type { GrowingPosting } from './postings.ts'

/** The parts of `sparse/bm25.json` as it is usually written, without a blank. */
const HEAD = Buffer.from('{"idf":{')
const LENGTHS = Buffer.from('},"doc_len":[')
const ROWS = Buffer.from('],"tf":[')

const QUOTE = 0x22
const COMMA = 0x2c
const ZERO = 0x30
const COLON = 0x3a
const BACKSLASH = 0x5c
const CLOSE_LIST = 0x5d
const OPEN_ROW = 0x7b
const CLOSE_ROW = 0x7d
const MAX_DIGITS = 9
const MIN_SLOTS = 1024
/** So many bytes are walked over in a few milliseconds. */
const STEP = 256 * 1024

const decoder = new TextDecoder('utf-8', { fatal: true })

/** Thrown where the bytes are not as they usually are; whoever reads JSON in general decides then. */
class Unusual extends Error {}

/**
 * Words by their bytes: six million places of thirty thousand words must not become six million strings. The words
 * are kept close together, for they are compared all the time.
 */
class WordTable {
  readonly #bytes: Uint8Array
  #kept = new Uint8Array(1 << 16)
  /** Where each word ends in what is kept; the next begins there. */
  readonly #ends: number[] = []
  #slots = new Int32Array(MIN_SLOTS).fill(-1)
  readonly #hashes: number[] = []

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** The number of a word, counted in the order they are first seen. */
  numberOf(start: number, end: number): number {
    let hash = 0x811c9dc5
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ (this.#bytes[i] as number), 0x01000193)
    hash ^= hash >>> 15
    const mask = this.#slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot] as number
      if (number === -1) return this.#add(slot, hash, start, end)
      if (this.#hashes[number] === hash && this.#isSame(number, start, end)) return number
    }
  }

  textOf(number: number): string {
    try {
      return decoder.decode(this.#kept.subarray(this.#ends[number - 1] ?? 0, this.#ends[number]))
    } catch {
      throw new Unusual()
    }
  }

  #add(slot: number, hash: number, start: number, end: number): number {
    const at = this.#ends.at(-1) ?? 0
    if (at + end - start > this.#kept.length) {
      const larger = new Uint8Array(2 * (at + end - start))
      larger.set(this.#kept)
      this.#kept = larger
    }
    this.#kept.set(this.#bytes.subarray(start, end), at)
    const number = this.#ends.push(at + end - start) - 1
    this.#hashes.push(hash)
    this.#slots[slot] = number
    if (this.#ends.length * 2 > this.#slots.length) this.#grow()
    return number
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 4).fill(-1)
    const mask = slots.length - 1
    this.#hashes.forEach((hash, number) => {
      let slot = hash & mask
      while (slots[slot] !== -1) slot = (slot + 1) & mask
      slots[slot] = number
    })
    this.#slots = slots
  }

  #isSame(number: number, start: number, end: number): boolean {
    const from = number === 0 ? 0 : (this.#ends[number - 1] as number)
    if ((this.#ends[number] as number) - from !== end - start) return false
    for (let i = 0; i < end - start; i++) if (this.#kept[from + i] !== this.#bytes[start + i]) return false
    return true
  }
}

/** Walks over the bytes. Every step is checked; the end of the bytes is nothing that any step expects. */
class Walker {
  readonly bytes: Uint8Array
  at: number

  constructor(bytes: Uint8Array, at: number) {
    this.bytes = bytes
    this.at = at
  }

  expect(byte: number): void {
    if (this.bytes[this.at++] !== byte) throw new Unusual()
  }

  take(byte: number): boolean {
    if (this.bytes[this.at] !== byte) return false
    this.at += 1
    return true
  }

  number(): number {
    const start = this.at
    let value = 0
    for (;;) {
      const digit = (this.bytes[this.at] as number) - ZERO
      if (!(digit >= 0 && digit <= 9)) break
      value = value * 10 + digit
      this.at += 1
    }
    if (this.at === start || this.at - start > MAX_DIGITS) throw new Unusual()
    return value
  }

  /** The place after a word, whose quote was taken. */
  word(): number {
    for (let i = this.at; ; i++) {
      const byte = this.bytes[i]
      if (byte === undefined || byte === BACKSLASH || byte < 0x20) throw new Unusual()
      if (byte !== QUOTE) continue
      this.at = i + 1
      return i
    }
  }
}

const scanLengths = (walker: Walker): number[] => {
  const lengths: number[] = []
  if (walker.bytes[walker.at] === CLOSE_LIST) return lengths
  do lengths.push(walker.number())
  while (walker.take(COMMA))
  return lengths
}

const scanRow = (walker: Walker, words: WordTable, note: (word: number, times: number) => void): void => {
  walker.expect(OPEN_ROW)
  if (walker.take(CLOSE_ROW)) return
  do {
    walker.expect(QUOTE)
    const start = walker.at
    const word = words.numberOf(start, walker.word())
    walker.expect(COLON)
    const times = walker.number()
    // A count of nothing would put a row among those that share a word.
    if (times > 0) note(word, times)
  } while (walker.take(COMMA))
  walker.expect(CLOSE_ROW)
}

interface Scanned {
  readonly postings: Map<string, GrowingPosting>
  readonly lengths: readonly number[]
}

const scanAll = function* (
  bytes: Buffer,
  count: number,
  nameOf: (word: string) => string,
): CooperativeTask<Scanned | undefined> {
  const lengthsAt = bytes.indexOf(LENGTHS)
  if (!bytes.subarray(0, HEAD.length).equals(HEAD) || lengthsAt === -1) return undefined
  const walker = new Walker(bytes, lengthsAt + LENGTHS.length)
  const lengths = scanLengths(walker)
  for (const byte of ROWS) walker.expect(byte)
  const words = new WordTable(bytes)
  const postings = new Map<string, GrowingPosting>()
  const byWord: GrowingPosting[] = []
  const postingOf = (word: number): GrowingPosting => {
    const name = nameOf(words.textOf(word))
    const posting = postings.get(name) ?? { rows: [], counts: [] }
    postings.set(name, posting)
    byWord[word] = posting
    return posting
  }
  let next = walker.at + STEP
  for (let row = 0; row < count; row++) {
    if (walker.at >= next) {
      next = walker.at + STEP
      yield
    }
    if (row > 0) walker.expect(COMMA)
    scanRow(walker, words, (word, times) => {
      const { rows, counts } = byWord[word] ?? postingOf(word)
      const last = rows.length - 1
      if (rows[last] === row) counts[last] = (counts[last] as number) + times
      else {
        rows.push(row)
        counts.push(times)
      }
    })
  }
  walker.expect(CLOSE_LIST)
  return lengths.length === count ? { postings, lengths } : undefined
}

/**
 * Reads `sparse/bm25.json` as it is usually written, for so many rows, in a tenth of the time that JSON in general
 * takes; words go by the name that `nameOf` gives them. Undefined when anything is unusual about it.
 */
export const scanSparse = function* (
  bytes: Uint8Array,
  count: number,
  nameOf: (word: string) => string,
): CooperativeTask<Scanned | undefined> {
  try {
    return yield* scanAll(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength), count, nameOf)
  } catch (thrown) {
    if (thrown instanceof Unusual) return undefined
    throw thrown
  }
}
