import { nextTurn } from '../../kernel/async/cooperative.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { packetFaults } from '../faults.ts'
import type { ByteSource } from '../format/faiss.ts'
import { readJson } from '../format/json-bytes.ts'

const MIN_SLOTS = 1024

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Interns words by their bytes in an open-addressing hash table, so that six million occurrences of thirty
 * thousand words do not become six million strings. The words are stored contiguously, for fast comparison.
 */
class InternedWords {
  #words = new Uint8Array(1 << 16)
  /** End offset of each word; the next word begins there. */
  readonly #ends: number[] = []
  #slots = new Int32Array(MIN_SLOTS).fill(-1)
  readonly #hashes: number[] = []

  /** The number of a word, in order of first occurrence. */
  numberOf(bytes: Uint8Array, start: number, end: number): number {
    let hash = 0x811c9dc5
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] ?? 0), 0x01000193)
    hash ^= hash >>> 15
    const mask = this.#slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot] ?? 0
      if (number === -1) return this.#add(hash, slot, bytes.subarray(start, end))
      if (this.#hashes[number] === hash && this.#isSame(number, bytes, start, end)) return number
    }
  }

  /** Throws when the word is not UTF-8. */
  textOf(number: number): string {
    return decoder.decode(this.#words.subarray(this.#ends[number - 1] ?? 0, this.#ends[number]))
  }

  #add(hash: number, slot: number, word: Uint8Array): number {
    const at = this.#ends.at(-1) ?? 0
    if (at + word.length > this.#words.length) {
      const larger = new Uint8Array(2 * (at + word.length))
      larger.set(this.#words)
      this.#words = larger
    }
    this.#words.set(word, at)
    const number = this.#ends.push(at + word.length) - 1
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

  #isSame(number: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = number === 0 ? 0 : (this.#ends[number - 1] ?? 0)
    if ((this.#ends[number] ?? 0) - from !== end - start) return false
    for (let i = 0; i < end - start; i++) if (this.#words[from + i] !== bytes[start + i]) return false
    return true
  }
}

/** The contents of `sparse/bm25.json`: the words of every row as written, and the length of every row. */
interface SparseRows {
  readonly rows: Iterable<Iterable<readonly [word: string, times: number]>>
  readonly lengths: readonly number[]
}

/** A larger file is not parsed as JSON. */
export const MAX_SPARSE_BYTES = 1024 * 1024 * 1024

const isCounts = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((one) => Number.isSafeInteger(one) && one >= 0 && one < 2 ** 32)

/** Reads `sparse/bm25.json`, which must have `count` rows. */
export const readSparse = (bytes: Uint8Array, count: number): SparseRows => {
  const value = readJson(bytes, 'sparse/bm25.json', MAX_SPARSE_BYTES, packetFaults.index)
  const { doc_len: lengths, tf } = isRecord(value) ? value : {}
  if (!isCounts(lengths) || !Array.isArray(tf) || lengths.length !== count || tf.length !== count)
    throw packetFaults.index('sparse/bm25.json has another number of rows than docs.jsonl')
  const rows = tf.map((one: unknown) => {
    const entries = isRecord(one) ? Object.entries(one) : []
    if (!isRecord(one) || !isCounts(entries.map(([, times]) => times)))
      throw packetFaults.index('sparse/bm25.json has a count that is not a number')
    // A row with a zero count does not contain the word.
    return (entries as [string, number][]).filter(([, times]) => times > 0)
  })
  return { rows, lengths }
}

/** The fixed parts of `sparse/bm25.json` in its usual form, without white space. */
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
/** Bytes parsed between two yields, a few milliseconds. */
const STEP = 512 * 1024
/** A row or a word that is longer is left to the general reader. */
const MAX_UNIT = 64 * 1024 * 1024

/** Thrown when the file is not in the usual form; then the general JSON reader decides. */
class UnusualForm extends Error {}
/** Thrown when the buffer ends inside a number, a word or a row. */
class BufferEnd extends Error {}

/** A part of a file that moves forward. Every step is checked. */
class FileWindow {
  bytes: Uint8Array = new Uint8Array()
  at = 0
  readonly #source: ByteSource
  /** Offset in the file of the byte after the buffer. */
  #next = 0

  constructor(source: ByteSource) {
    this.#source = source
  }

  /** Bytes of the file that were passed. */
  get done(): number {
    return this.#next - this.bytes.length + this.at
  }

  /** Runs `parse`, again with more bytes when the buffer ended in it. */
  async parse<T>(parse: () => T): Promise<T> {
    const start = this.at
    try {
      return parse()
    } catch (thrown) {
      if (!(thrown instanceof BufferEnd)) throw thrown
      this.at = start
      await this.#fill()
      return this.parse(parse)
    }
  }

  byte(): number {
    const byte = this.bytes[this.at]
    if (byte === undefined) throw new BufferEnd()
    return byte
  }

  expect(byte: number): void {
    if (this.byte() !== byte) throw new UnusualForm()
    this.at += 1
  }

  take(byte: number): boolean {
    if (this.byte() !== byte) return false
    this.at += 1
    return true
  }

  number(): number {
    const start = this.at
    let value = 0
    for (;;) {
      const digit = this.byte() - ZERO
      if (!(digit >= 0 && digit <= 9)) break
      value = value * 10 + digit
      this.at += 1
    }
    if (this.at === start || this.at - start > MAX_DIGITS) throw new UnusualForm()
    return value
  }

  /** Returns the end of a word, whose opening quote was consumed. */
  word(): number {
    for (let i = this.at; ; i++) {
      const byte = this.bytes[i]
      if (byte === undefined) throw new BufferEnd()
      if (byte === BACKSLASH || byte < 0x20) throw new UnusualForm()
      if (byte !== QUOTE) continue
      this.at = i + 1
      return i
    }
  }

  /** Moves behind the next occurrence of a text. */
  async skipPast(text: Buffer): Promise<void> {
    for (;;) {
      const found = Buffer.from(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length).indexOf(
        text,
        this.at,
      )
      if (found !== -1) {
        this.at = found + text.length
        return
      }
      this.at = Math.max(this.at, this.bytes.length - text.length + 1)
      await this.#fill()
    }
  }

  /** Drops what was passed and reads more. */
  async #fill(): Promise<void> {
    const rest = this.bytes.subarray(this.at)
    const length = Math.min(STEP, this.#source.size - this.#next)
    if (length === 0 || rest.length > MAX_UNIT) throw new UnusualForm()
    const more = await this.#source.read(this.#next, length)
    this.#next += length
    this.bytes = Buffer.concat([rest, more])
    this.at = 0
    await nextTurn()
  }
}

/** The words of one row, and how often each occurs. */
interface SparseRow {
  readonly words: number[]
  readonly times: number[]
}

const scanRow = (window: FileWindow, known: InternedWords, isFirst: boolean): SparseRow => {
  const row: SparseRow = { words: [], times: [] }
  if (!isFirst) window.expect(COMMA)
  window.expect(OPEN_ROW)
  if (window.take(CLOSE_ROW)) return row
  do {
    window.expect(QUOTE)
    const start = window.at
    const word = known.numberOf(window.bytes, start, window.word())
    window.expect(COLON)
    const times = window.number()
    // A row with a zero count does not contain the word.
    if (times === 0) continue
    row.words.push(word)
    row.times.push(times)
  } while (window.take(COMMA))
  window.expect(CLOSE_ROW)
  return row
}

const scanLengths = async (window: FileWindow, count: number): Promise<Uint32Array> => {
  const lengths = new Uint32Array(count)
  for (let row = 0; row < count; row++) {
    lengths[row] = await window.parse(() => {
      if (row > 0) window.expect(COMMA)
      return window.number()
    })
  }
  return lengths
}

interface SparseListener {
  /** Is called for each row, with the words as they are written; the next row waits for the promise. */
  row(row: number, words: readonly string[], times: readonly number[]): Promise<void> | undefined
  progress(done: number): void
}

const scanAll = async (
  source: ByteSource,
  count: number,
  nameOf: (word: string) => string,
  { row: onRow, progress }: SparseListener,
): Promise<Uint32Array> => {
  const window = new FileWindow(source)
  for (const byte of HEAD) await window.parse(() => window.expect(byte))
  await window.skipPast(LENGTHS)
  const lengths = await scanLengths(window, count)
  for (const byte of ROWS) await window.parse(() => window.expect(byte))
  const known = new InternedWords()
  const names: string[] = []
  const nameOfNumber = (word: number): string => {
    names[word] ??= nameOf(known.textOf(word))
    return names[word] ?? ''
  }
  for (let row = 0; row < count; row++) {
    const { words, times } = await window.parse(() => scanRow(window, known, row === 0))
    const waiting = onRow(row, words.map(nameOfNumber), times)
    if (waiting !== undefined) await waiting
    progress(window.done)
  }
  await window.parse(() => window.expect(CLOSE_LIST))
  return lengths
}

/**
 * Reads `sparse/bm25.json` in its usual form, in bounded memory; `nameOf` maps words to their stems. Returns the
 * length of each row; undefined when the file has any other form, after some rows may have been reported.
 */
export const streamSparse = async (
  source: ByteSource,
  count: number,
  nameOf: (word: string) => string,
  listener: SparseListener,
): Promise<Uint32Array | undefined> => {
  try {
    return await scanAll(source, count, nameOf, listener)
  } catch (thrown) {
    // A TypeError is a word that is not UTF-8.
    if (thrown instanceof UnusualForm || thrown instanceof TypeError) return undefined
    throw thrown
  }
}
