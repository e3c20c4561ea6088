import type { ByteSource } from '../format/faiss.ts'
import { wholeNumbers } from '../format/number-list.ts'
import { inverseDocumentFrequency, searchTerms } from '../search/tokens.ts'
import { ByteReader, ByteWriter } from '../search/varint.ts'
import type { OutputFile } from './packet-output.ts'

const NO_ROW = 2 ** 32 - 1
/** Bytes collected before they are written, and bytes of rows that are read at once. */
const BLOCK = 256 * 1024
/** Words that are encoded at once. */
const KEYS = 1024
/** Room for the count of a word beside its rank in a float64: no row has so many words. */
const MAX_TIMES = 2 ** 27

const [COMMA, OPEN_ROW, CLOSE_ROW, ZERO] = [0x2c, 0x7b, 0x7d, 0x30]

/** V8 copies a shorter piece of a text. A longer one refers to the text, which would stay in memory. */
const SHARED_LENGTH = 13

/** A word that keeps no text in memory. */
const detach = (word: string): string => (word.length < SHARED_LENGTH ? word : Buffer.from(word).toString())

/** Words as keys of JSON, in one array. */
interface JoinedKeys {
  readonly bytes: Uint8Array
  readonly ends: Uint32Array
}

/** Joins the words in order, and writes the weight of each. */
const joinKeys = (
  words: readonly string[],
  weightOf: (rank: number) => number,
  write: (text: string) => void,
): JoinedKeys => {
  const keys = new ByteWriter()
  const ends = new Uint32Array(words.length)
  let end = 0
  for (let first = 0; first < words.length; first += KEYS) {
    const texts = words.slice(first, first + KEYS).map((word) => `${JSON.stringify(word)}:`)
    for (const [i, text] of texts.entries()) {
      end += Buffer.byteLength(text)
      ends[first + i] = end
    }
    keys.append(Buffer.from(texts.join('')))
    write(`${first > 0 ? ',' : ''}${texts.map((text, i) => `${text}${weightOf(first + i)}`).join()}`)
  }
  return { bytes: keys.written, ends }
}

/** Collects text for a file and writes it in blocks. */
class BlockWriter {
  readonly #file: OutputFile
  readonly #block = new Uint8Array(2 * BLOCK)
  #length = 0

  constructor(file: OutputFile) {
    this.#file = file
  }

  byte(value: number): void {
    this.#block[this.#length++] = value
  }

  /** A key of JSON; it is shorter than a block. */
  copy(bytes: Uint8Array, start: number, end: number): void {
    for (let i = start; i < end; i++) this.#block[this.#length++] = bytes[i] ?? 0
  }

  number(value: number): void {
    if (value < 10) this.byte(ZERO + value)
    else for (const digit of String(value)) this.byte(digit.charCodeAt(0))
  }

  text(text: string): void {
    this.flush()
    this.#file.write(Buffer.from(text))
  }

  /** Writes a block that is full. At least half of one is free afterwards. */
  flushFull(): void {
    if (this.#length >= BLOCK) this.flush()
  }

  flush(): void {
    this.#file.write(this.#block.subarray(0, this.#length))
    this.#length = 0
  }
}

/**
 * Writes `sparse/bm25.json` over texts, one a row. Words are written unstemmed, for other readers. The file begins
 * with the weights of all words, so the rows go through a scratch file: only the words themselves are in memory.
 */
export class SparseWriter {
  readonly #scratch: OutputFile
  readonly #numbers = new Map<string, number>()
  /** By the number of a word: its rows, the last of them, and its place among the words of that row. */
  readonly #rowsWith = wholeNumbers()
  readonly #lastRow = wholeNumbers()
  readonly #place = wholeNumbers()
  readonly #lengths = wholeNumbers()
  /** Bytes of each row in the scratch file. */
  readonly #sizes = wholeNumbers()
  readonly #row = new ByteWriter()

  constructor(scratch: OutputFile) {
    this.#scratch = scratch
  }

  add(text: string): void {
    const words = searchTerms(text)
    const row = this.#lengths.length
    const [found, times]: [number[], number[]] = [[], []]
    for (const word of words) {
      const number = this.#numbers.get(word) ?? this.#addWord(word)
      if (this.#lastRow.at(number) === row) {
        const place = this.#place.at(number)
        times[place] = (times[place] ?? 0) + 1
        continue
      }
      this.#lastRow.set(number, row)
      this.#rowsWith.set(number, this.#rowsWith.at(number) + 1)
      this.#place.set(number, found.length)
      found.push(number)
      times.push(1)
    }
    this.#row.clear()
    for (let i = 0; i < found.length; i++) {
      this.#row.varint(found[i] ?? 0)
      this.#row.varint(times[i] ?? 0)
    }
    this.#scratch.write(this.#row.written)
    this.#sizes.push(this.#row.length)
    this.#lengths.push(words.length)
  }

  /** Writes the file. `scratch` has what was written to the scratch file, which must have ended. */
  async finish(scratch: ByteSource, file: OutputFile): Promise<void> {
    const words = [...this.#numbers.keys()].sort()
    const ranks = new Uint32Array(words.length)
    words.forEach((word, rank) => {
      ranks[this.#numbers.get(word) ?? 0] = rank
    })
    const rowsWith = new Uint32Array(words.length)
    for (let number = 0; number < words.length; number++)
      rowsWith[ranks[number] ?? 0] = this.#rowsWith.at(number)
    this.#numbers.clear()
    const out = new BlockWriter(file)
    out.text('{"idf":{')
    const weightOf = (rank: number) => inverseDocumentFrequency(this.#lengths.length, rowsWith[rank] ?? 0)
    const keys = joinKeys(words, weightOf, (text) => out.text(text))
    words.length = 0
    const lengths = this.#lengths.values
    out.text(`},"doc_len":[${lengths.join()}],"tf":[`)
    await this.#writeRows(out, keys, ranks, scratch)
    const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(lengths.length, 1)
    out.text(`],"avgdl":${average}}`)
    file.end()
  }

  #addWord(word: string): number {
    const number = this.#numbers.size
    this.#numbers.set(detach(word), number)
    this.#rowsWith.push(0)
    this.#lastRow.push(NO_ROW)
    this.#place.push(0)
    return number
  }

  async #writeRows(
    out: BlockWriter,
    { bytes, ends }: JoinedKeys,
    ranks: Uint32Array,
    scratch: ByteSource,
  ): Promise<void> {
    const sizes = this.#sizes.values
    let entries = new Float64Array(1024)
    let at = 0
    for (let row = 0; row < sizes.length; ) {
      const first = row
      let length = 0
      while (row < sizes.length && (row === first || length + (sizes[row] ?? 0) <= BLOCK))
        length += sizes[row++] ?? 0
      const reader = new ByteReader(await scratch.read(at, length))
      at += length
      for (let one = first, end = 0; one < row; one++) {
        end += sizes[one] ?? 0
        // A word takes at least two bytes.
        if (entries.length < (sizes[one] ?? 0)) entries = new Float64Array(2 * (sizes[one] ?? 0))
        let count = 0
        while (reader.at < end) entries[count++] = (ranks[reader.varint()] ?? 0) * MAX_TIMES + reader.varint()
        const sorted = entries.subarray(0, count).sort()
        if (one > 0) out.byte(COMMA)
        out.byte(OPEN_ROW)
        for (let i = 0; i < count; i++) {
          const rank = Math.floor((sorted[i] ?? 0) / MAX_TIMES)
          if (i > 0) out.byte(COMMA)
          out.copy(bytes, rank === 0 ? 0 : (ends[rank - 1] ?? 0), ends[rank] ?? 0)
          out.number((sorted[i] ?? 0) - rank * MAX_TIMES)
          out.flushFull()
        }
        out.byte(CLOSE_ROW)
      }
    }
  }
}
