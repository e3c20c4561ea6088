import { nextTurn } from '../../kernel/async/cooperative.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { decodeStrict } from '../../kernel/text/decode.ts'
import { packetFaults } from '../faults.ts'
import type { ByteSource } from './faiss.ts'

/** Bytes read between two yields, a few milliseconds of parsing. */
const STEP = 1024 * 1024

/** Some lines of a file, without their ends, and the offset of each. */
interface LineBlock {
  readonly lines: readonly Uint8Array[]
  readonly starts: readonly number[]
}

/** Reads the lines of a file in groups, in bounded memory. */
export async function* readLineBlocks(source: ByteSource): AsyncGenerator<LineBlock> {
  let rest: Uint8Array = new Uint8Array()
  for (let at = 0, size = STEP; at < source.size; ) {
    const more = await source.read(at, Math.min(size, source.size - at))
    at += more.length
    const bytes = rest.length === 0 ? more : Buffer.concat([rest, more])
    const end = at === source.size ? bytes.length : bytes.lastIndexOf(NEWLINE) + 1
    const [lines, starts]: [Uint8Array[], number[]] = [[], []]
    for (let start = 0; start < end; ) {
      const found = bytes.indexOf(NEWLINE, start)
      const stop = found === -1 ? bytes.length : found
      lines.push(bytes.subarray(start, stop))
      starts.push(at - bytes.length + start)
      start = stop + 1
    }
    rest = bytes.subarray(end)
    // A line longer than the block: with larger blocks it is not copied again and again.
    size = rest.length > STEP ? 2 * rest.length : STEP
    yield { lines, starts }
    await nextTurn()
  }
}

/** One chunk of a packet. Its line in the file is its row in the index. */
export interface Doc {
  readonly id: string
  readonly text: string
  /** SHA-256 of the text in hexadecimal; optional for readers. */
  readonly hash?: string
  readonly metadata: Readonly<Record<string, unknown>>
}

const NEWLINE = 0x0a
const MIN_HASH = 32

const refuse = (line: number, why: string, cause?: unknown): never => {
  throw packetFaults.docs(`line ${line} of docs.jsonl ${why}`, { cause })
}

const parseText = (text: string, line: number): unknown => {
  try {
    return JSON.parse(text)
  } catch (cause) {
    return refuse(line, 'is not JSON', cause)
  }
}

const readDoc = (value: unknown, line: number): Doc => {
  if (!isRecord(value)) return refuse(line, 'is not an object')
  const { id, text, hash, metadata } = value
  if (typeof text !== 'string') return refuse(line, 'has no text')
  return {
    id: typeof id === 'string' ? id : '',
    text,
    ...(typeof hash === 'string' && hash.length >= MIN_HASH && { hash }),
    metadata: isRecord(metadata) ? metadata : {},
  }
}

const decodeLine = (bytes: Uint8Array, line: number): string => {
  try {
    return decodeStrict(bytes)
  } catch (cause) {
    return refuse(line, 'is not UTF-8', cause)
  }
}

/** The chunk of a line; undefined for a blank one. */
export const parseDocLine = (bytes: Uint8Array, line: number): Doc | undefined => {
  const text = decodeLine(bytes, line)
  return text.trim() === '' ? undefined : readDoc(parseText(text, line), line)
}

const lineEnd = (bytes: Uint8Array, start: number): number => {
  const end = bytes.indexOf(NEWLINE, start)
  return end === -1 ? bytes.length : end
}

/** A chunk and the offset of its line. */
export interface DocRow {
  readonly start: number
  readonly doc: Doc
}

/**
 * Reads the chunks of `docs.jsonl` in groups, in bounded memory. Every line is parsed: a line that is not a chunk
 * would shift all later rows against the index.
 */
export async function* readDocRows(source: ByteSource): AsyncGenerator<readonly DocRow[]> {
  let line = 0
  for await (const { lines, starts } of readLineBlocks(source)) {
    const rows: DocRow[] = []
    lines.forEach((bytes, i) => {
      line += 1
      const doc = parseDocLine(bytes, line)
      if (doc !== undefined) rows.push({ start: starts[i] ?? 0, doc })
    })
    yield rows
  }
}

/** Reads the chunk at a place where one was found before. */
const readDocAt = async (
  source: ByteSource,
  row: number,
  [start, end]: readonly [start: number, end: number],
): Promise<Doc> => {
  const bytes = await source.read(start, end - start)
  const doc = parseDocLine(bytes.subarray(0, lineEnd(bytes, 0)), row + 1)
  return doc ?? refuse(row + 1, 'is blank')
}

/** The chunks of a packet by their row. */
export interface DocRows extends AsyncIterable<Doc> {
  readonly rows: number
  row(index: number): Promise<Doc>
  /** The rows whose line contains a text, in order. */
  rowsWith(text: string): Promise<readonly number[]>
}

/** Writes `docs.jsonl`: keys in the order existing readers expect, one line a chunk. */
export const writeDocs = (docs: readonly Doc[]): Uint8Array =>
  Buffer.from(
    docs.map(({ id, text, hash, metadata }) => `${JSON.stringify({ id, text, hash, metadata })}\n`).join(''),
  )

/** Where the rows of `docs.jsonl` are, as the word index says. */
interface DocPlaces {
  readonly rows: number
  docRange(row: number): Promise<readonly [start: number, end: number]>
  docStarts(): Promise<Float64Array>
}

const BLOCK = 1024 * 1024

/** The last row that starts at or before a byte. */
const rowAt = (starts: Float64Array, byte: number): number => {
  // The last number is the end of the last row.
  let [low, high] = [0, starts.length - 2]
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((starts[middle] ?? 0) <= byte) low = middle
    else high = middle - 1
  }
  return low
}

/** The chunks of `docs.jsonl`, of which only the rows that are asked for are read and parsed. */
export class IndexedDocs implements DocRows {
  readonly #source: ByteSource
  readonly #places: DocPlaces

  constructor(source: ByteSource, places: DocPlaces) {
    this.#source = source
    this.#places = places
  }

  get rows(): number {
    return this.#places.rows
  }

  async row(index: number): Promise<Doc> {
    if (!(index >= 0 && index < this.rows)) throw new RangeError(`there is no row ${index}`)
    return readDocAt(this.#source, index, await this.#places.docRange(index))
  }

  async rowsWith(text: string): Promise<readonly number[]> {
    const wanted = Buffer.from(text)
    const starts = await this.#places.docStarts()
    const rows: number[] = []
    for (let at = 0; at + wanted.length <= this.#source.size; ) {
      const block = Buffer.from(await this.#source.read(at, Math.min(BLOCK, this.#source.size - at)))
      const found = block.indexOf(wanted)
      if (found === -1) at += block.length - wanted.length + 1
      else {
        const row = rowAt(starts, at + found)
        rows.push(row)
        at = starts[row + 1] ?? 0
      }
      await nextTurn()
    }
    return rows
  }

  async *[Symbol.asyncIterator](): AsyncIterator<Doc> {
    for await (const rows of readDocRows(this.#source)) for (const { doc } of rows) yield doc
  }
}
