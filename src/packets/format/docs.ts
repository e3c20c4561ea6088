import { type CooperativeTask, runSync, runYielding } from '../../kernel/async/cooperative.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { decodeStrict } from '../../kernel/text/decode.ts'
import { packetFaults } from '../faults.ts'

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
/** Bytes parsed between two yields, a few milliseconds. */
const STEP = 1024 * 1024

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

const lineEnd = (bytes: Uint8Array, start: number): number => {
  const end = bytes.indexOf(NEWLINE, start)
  return end === -1 ? bytes.length : end
}

const decodeLine = (bytes: Uint8Array, start: number, line: number): string => {
  try {
    return decodeStrict(bytes.subarray(start, lineEnd(bytes, start)))
  } catch (cause) {
    return refuse(line, 'is not UTF-8', cause)
  }
}

interface Rows {
  readonly starts: Float64Array
  readonly lines: Uint32Array
}

/** Parses every line once: a line that is not a chunk would shift all later rows against the index. */
const findRows = function* (bytes: Uint8Array): CooperativeTask<Rows> {
  const starts: number[] = []
  const lines: number[] = []
  let line = 0
  let next = STEP
  for (let at = 0; at < bytes.length; ) {
    line += 1
    const text = decodeLine(bytes, at, line)
    if (text.trim() !== '') {
      readDoc(parseText(text, line), line)
      starts.push(at)
      lines.push(line)
    }
    at = lineEnd(bytes, at) + 1
    if (at < next) continue
    next = at + STEP
    yield
  }
  return { starts: Float64Array.from(starts), lines: Uint32Array.from(lines) }
}

/**
 * The chunks of `docs.jsonl`. Only the bytes and the line offsets stay in memory; a row is parsed when it is
 * read.
 */
export class DocTable {
  readonly #bytes: Uint8Array
  readonly #starts: Float64Array
  readonly #lines: Uint32Array

  constructor(bytes: Uint8Array, { starts, lines }: Rows = runSync(findRows(bytes))) {
    this.#bytes = bytes
    this.#starts = starts
    this.#lines = lines
  }

  /** Like the constructor, but yields to the event loop. */
  static async open(bytes: Uint8Array): Promise<DocTable> {
    return new DocTable(bytes, await runYielding(findRows(bytes)))
  }

  get rows(): number {
    return this.#starts.length
  }

  /** Memory use. */
  get bytes(): number {
    return this.#bytes.length + this.#starts.byteLength + this.#lines.byteLength
  }

  row(index: number): Doc {
    const [start, line] = [this.#starts[index], this.#lines[index]]
    if (start === undefined || line === undefined) throw new RangeError(`there is no row ${index}`)
    return readDoc(parseText(decodeLine(this.#bytes, start, line), line), line)
  }

  /** The rows whose line contains a text, in order. */
  rowsWith(text: string): readonly number[] {
    const bytes = Buffer.from(this.#bytes.buffer, this.#bytes.byteOffset, this.#bytes.length)
    const rows: number[] = []
    for (let at = bytes.indexOf(text); at !== -1; ) {
      const row = this.#rowAt(at)
      rows.push(row)
      const next = this.#starts[row + 1]
      at = next === undefined ? -1 : bytes.indexOf(text, next)
    }
    return rows
  }

  /** The last row that starts at or before a byte. */
  #rowAt(byte: number): number {
    let [low, high] = [0, this.rows - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#starts[middle] as number) <= byte) low = middle
      else high = middle - 1
    }
    return low
  }

  *[Symbol.iterator](): Iterator<Doc> {
    for (let i = 0; i < this.rows; i++) yield this.row(i)
  }
}

/** Writes `docs.jsonl`: keys in the order existing readers expect, one line a chunk. */
export const writeDocs = (docs: readonly Doc[]): Uint8Array =>
  Buffer.from(
    docs.map(({ id, text, hash, metadata }) => `${JSON.stringify({ id, text, hash, metadata })}\n`).join(''),
  )
