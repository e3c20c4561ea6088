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

/** Reads one row of a list of the kind `fields` into `counts`, and returns how far it is from the row before. */
const readFieldCounts = (reader: ByteReader, counts: Uint32Array): number => {
  const head = reader.varint()
  const hasTitles = head % 2 === 1
  if (!hasTitles) {
    counts[TEXT_FIELD] = reader.varint()
    return head / 2
  }
  const mask = reader.varint()
  for (let field = 0; field < FIELD_COUNT; field++) if (mask & (1 << field)) counts[field] = reader.varint()
  return (head - 1) / 2
}

/** Calls `visit` with every row of a list of the kind `fields`. The counts are lent. */
export const visitFields = (
  list: WordPostings,
  rows: number,
  visit: (row: number, counts: Uint32Array) => void,
): void => {
  const counts = new Uint32Array(FIELD_COUNT)
  for (const block of postingBlocks(list)) {
    const reader = new ByteReader(list.postings, block.postingsAt)
    let row = block.first
    for (let i = 0; i < block.rows; i++) {
      counts.fill(0)
      row += readFieldCounts(reader, counts)
      checkRow(row, rows)
      visit(row, counts)
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
      counts.fill(0)
      row += readFieldCounts(reader, counts)
      while (next < wanted.length && (wanted[next] as number) < row) next++
      const isWanted = wanted[next] === row
      const positions: number[] = []
      let position = 0
      for (let k = 0; k < (counts[TEXT_FIELD] as number); k++) {
        position += places.varint()
        if (isWanted) positions.push(position)
      }
      if (isWanted && positions.length > 0) visit(row, positions)
    }
  })
}
