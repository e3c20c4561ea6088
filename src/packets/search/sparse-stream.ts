import { nextTurn } from '../../kernel/async/cooperative.ts'
import type { ByteSource } from '../format/faiss.ts'
import { InternedWords } from './interned-words.ts'

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

/** The words of one row, as written, and how often each occurs. */
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
    return names[word] as string
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
