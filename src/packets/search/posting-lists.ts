import { packetFaults } from '../faults.ts'
import { FIELD_COUNT, FIELD_SHIFT, type RankingKind, TEXT_FIELD } from './tokens.ts'
import { ByteReader, ByteWriter } from './varint.ts'

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
      this.#counts[0] = (this.#counts[0] ?? 0) + value
      return
    }
    const field = value >>> FIELD_SHIFT
    this.#counts[field] = (this.#counts[field] ?? 0) + 1
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
      this.#postings.varint(counts[0] ?? 0)
    } else {
      let mask = 0
      for (let field = 0; field < FIELD_COUNT; field++) if ((counts[field] ?? 0) > 0) mask |= 1 << field
      const textOnly = mask === 1 << TEXT_FIELD
      this.#postings.varint(2 * step + (textOnly ? 0 : 1))
      if (!textOnly) this.#postings.varint(mask)
      for (let field = 0; field < FIELD_COUNT; field++)
        if ((counts[field] ?? 0) > 0) this.#postings.varint(counts[field] ?? 0)
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

/** The encoded parts of the postings of a word. */
export interface WordPostings {
  readonly directory: Uint8Array
  readonly postings: Uint8Array
  readonly positions: Uint8Array
}

interface PostingBlock {
  readonly first: number
  readonly rows: number
  readonly postingsAt: number
  readonly positionsAt: number
}

/** The blocks of a list, in order. */
function* postingBlocks({ directory }: WordPostings): Generator<PostingBlock> {
  const reader = new ByteReader(directory)
  let [first, postingsAt, positionsAt] = [0, 0, 0]
  while (!reader.atEnd) {
    first += reader.varint()
    const rows = reader.varint()
    yield { first, rows, postingsAt, positionsAt }
    postingsAt += reader.varint()
    positionsAt += reader.varint()
  }
}

/** A list cannot name rows that do not exist, unless it is damaged. */
const checkRow = (row: number, rows: number): void => {
  if (row >= rows)
    throw packetFaults.index('the word index is damaged: it refers to a row that does not exist')
}

/** Calls `visit` with every row of a list of the kind `plain`, and how often the word occurs there. */
export const visitCounts = (
  list: WordPostings,
  rows: number,
  visit: (row: number, times: number) => void,
): void => {
  for (const block of postingBlocks(list)) {
    const reader = new ByteReader(list.postings, block.postingsAt)
    let row = block.first
    for (let i = 0; i < block.rows; i++) {
      row += reader.varint()
      checkRow(row, rows)
      visit(row, reader.varint())
    }
  }
}

/**
 * Reads one row of a list of the kind `fields` into `counts`, and returns the head: twice the distance from the row
 * before, and one more when the word is in titles too. Without titles only the count of the text is set.
 */
const readFieldCounts = (reader: ByteReader, counts: Uint32Array): number => {
  const head = reader.varint()
  if (head % 2 === 0) {
    counts[TEXT_FIELD] = reader.varint()
    return head
  }
  counts.fill(0)
  const mask = reader.varint()
  for (let field = 0; field < FIELD_COUNT; field++) if (mask & (1 << field)) counts[field] = reader.varint()
  return head
}

/**
 * Calls `visit` with every row of a list of the kind `fields`. The counts are lent, and only that of the text is
 * valid when the word is not in titles.
 */
export const visitFields = (
  list: WordPostings,
  rows: number,
  visit: (row: number, counts: Uint32Array, inTitles: boolean) => void,
): void => {
  const counts = new Uint32Array(FIELD_COUNT)
  for (const block of postingBlocks(list)) {
    const reader = new ByteReader(list.postings, block.postingsAt)
    let row = block.first
    for (let i = 0; i < block.rows; i++) {
      const head = readFieldCounts(reader, counts)
      row += Math.floor(head / 2)
      checkRow(row, rows)
      visit(row, counts, head % 2 === 1)
    }
  }
}

/** Calls `visit` with the positions of a word in the texts of some rows, which are in ascending order. */
export const visitPositions = (
  list: WordPostings,
  wanted: readonly number[],
  visit: (row: number, positions: readonly number[]) => void,
): void => {
  const blocks = [...postingBlocks(list)]
  const counts = new Uint32Array(FIELD_COUNT)
  let next = 0
  blocks.forEach((block, i) => {
    const end = blocks[i + 1]?.first ?? Number.POSITIVE_INFINITY
    while (next < wanted.length && (wanted[next] ?? 0) < block.first) next++
    if (next === wanted.length || (wanted[next] ?? 0) >= end) return
    const reader = new ByteReader(list.postings, block.postingsAt)
    const places = new ByteReader(list.positions, block.positionsAt)
    let row = block.first
    for (let j = 0; j < block.rows; j++) {
      row += Math.floor(readFieldCounts(reader, counts) / 2)
      while (next < wanted.length && (wanted[next] ?? 0) < row) next++
      const positions: number[] | undefined = wanted[next] === row ? [] : undefined
      let position = 0
      for (let k = 0; k < (counts[TEXT_FIELD] ?? 0); k++) {
        position += places.varint()
        positions?.push(position)
      }
      if (positions !== undefined && positions.length > 0) visit(row, positions)
    }
  })
}
