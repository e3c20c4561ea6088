import { packetFaults } from '../faults.ts'
import { ByteReader } from './varint.ts'
import { FIELD_COUNT, TEXT_FIELD } from './word-fields.ts'

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
    while (next < wanted.length && (wanted[next] as number) < block.first) next++
    if (next === wanted.length || (wanted[next] as number) >= end) return
    const reader = new ByteReader(list.postings, block.postingsAt)
    const places = new ByteReader(list.positions, block.positionsAt)
    let row = block.first
    for (let j = 0; j < block.rows; j++) {
      row += Math.floor(readFieldCounts(reader, counts) / 2)
      while (next < wanted.length && (wanted[next] as number) < row) next++
      const positions: number[] | undefined = wanted[next] === row ? [] : undefined
      let position = 0
      for (let k = 0; k < (counts[TEXT_FIELD] as number); k++) {
        position += places.varint()
        positions?.push(position)
      }
      if (positions !== undefined && positions.length > 0) visit(row, positions)
    }
  })
}
