import { ByteWriter } from './varint.ts'
import { FIELD_COUNT, FIELD_SHIFT, type RankingKind, TEXT_FIELD } from './word-fields.ts'

/** Rows of one block of postings: a block is the least that is decoded to reach a row. */
const BLOCK_ROWS = 128

/** The encoded postings of one word in one run. */
interface EncodedList {
  readonly rows: number
  /** Four varints a block: the step from the first row of the block before, rows, bytes of postings and of positions. */
  readonly directory: Uint8Array
  readonly postings: Uint8Array
  readonly positions: Uint8Array
}

/** Encodes the occurrences of one word, which come by ascending row. */
export class ListEncoder {
  readonly #kind: RankingKind
  readonly #directory = new ByteWriter()
  readonly #postings = new ByteWriter()
  readonly #positions = new ByteWriter()
  readonly #counts = new Float64Array(FIELD_COUNT)
  #rows = 0
  #inBlock = 0
  #row = -1
  #blockFirst = 0
  #blockPrevious = 0
  #postingsStart = 0
  #positionsStart = 0
  #position = 0

  constructor(kind: RankingKind) {
    this.#kind = kind
  }

  add(row: number, value: number): void {
    if (row !== this.#row) {
      this.#endRow()
      this.#startRow(row)
    }
    if (this.#kind === 'plain') {
      this.#counts[0] = (this.#counts[0] as number) + value
      return
    }
    const field = value >>> FIELD_SHIFT
    this.#counts[field] = (this.#counts[field] as number) + 1
    if (field !== TEXT_FIELD) return
    this.#positions.varint(value - this.#position)
    this.#position = value
  }

  finish(): EncodedList {
    this.#endRow()
    this.#endBlock()
    return {
      rows: this.#rows,
      directory: this.#directory.written,
      postings: this.#postings.written,
      positions: this.#positions.written,
    }
  }

  reset(): void {
    for (const writer of [this.#directory, this.#postings, this.#positions]) writer.clear()
    this.#rows = 0
    this.#inBlock = 0
    this.#row = -1
    this.#blockFirst = 0
    this.#postingsStart = 0
    this.#positionsStart = 0
  }

  #startRow(row: number): void {
    if (this.#inBlock === BLOCK_ROWS) this.#endBlock()
    if (this.#inBlock === 0) {
      this.#directory.varint(row - this.#blockFirst)
      this.#blockFirst = row
      this.#blockPrevious = row
    }
    this.#row = row
    this.#rows += 1
    this.#inBlock += 1
    this.#position = 0
  }

  #endRow(): void {
    if (this.#row === -1) return
    const step = this.#row - this.#blockPrevious
    this.#blockPrevious = this.#row
    const counts = this.#counts
    if (this.#kind === 'plain') {
      this.#postings.varint(step)
      this.#postings.varint(counts[0] as number)
    } else {
      let mask = 0
      for (let field = 0; field < FIELD_COUNT; field++) if ((counts[field] as number) > 0) mask |= 1 << field
      const textOnly = mask === 1 << TEXT_FIELD
      this.#postings.varint(2 * step + (textOnly ? 0 : 1))
      if (!textOnly) this.#postings.varint(mask)
      for (let field = 0; field < FIELD_COUNT; field++)
        if ((counts[field] as number) > 0) this.#postings.varint(counts[field] as number)
    }
    counts.fill(0)
    this.#row = -1
  }

  #endBlock(): void {
    this.#directory.varint(this.#inBlock)
    this.#directory.varint(this.#postings.length - this.#postingsStart)
    this.#directory.varint(this.#positions.length - this.#positionsStart)
    this.#postingsStart = this.#postings.length
    this.#positionsStart = this.#positions.length
    this.#inBlock = 0
  }
}
