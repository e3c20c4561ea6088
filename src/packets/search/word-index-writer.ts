import { nextTurn } from '../../kernel/async/cooperative.ts'
import type { ByteSource } from '../format/faiss.ts'
import { PageWriter } from './checked-pages.ts'
import type { EncodedList } from './posting-encoder.ts'
import { ByteReader, ByteWriter } from './varint.ts'
import type { RankingKind } from './word-fields.ts'
import type { RunStore, StoredRun } from './word-runs.ts'

/** Words of one block of the dictionary: what is decoded to find a word. */
const DICTIONARY_WORDS = 64
const CURSOR_BYTES = 256 * 1024
/** Bytes merged between two yields, a few milliseconds. */
const STEP = 2 * 1024 * 1024

const decoder = new TextDecoder()

/** Reads the lists of a run in order. */
class RunCursor {
  word: string | undefined
  list: EncodedList | undefined
  readonly #source: ByteSource
  readonly #end: number
  #at: number
  #buffer = new ByteReader(new Uint8Array())

  constructor(source: ByteSource, { at, length }: StoredRun) {
    this.#source = source
    this.#at = at
    this.#end = at + length
  }

  /** Reads the next list; `word` is undefined after the last one. */
  advance(): Promise<void> | undefined {
    return this.#take() ? undefined : this.#refill()
  }

  /** Takes a list out of the buffer, when it is there as a whole. */
  #take(): boolean {
    const reader = this.#buffer
    const start = reader.at
    const name = reader.take(reader.varint())
    const [rows, first, last] = [reader.varint(), reader.varint(), reader.varint()]
    const [directory, postings, positions] = [reader.varint(), reader.varint(), reader.varint()]
    if (reader.at + directory + postings + positions > reader.bytes.length) {
      reader.at = start
      return false
    }
    this.word = decoder.decode(name)
    this.list = {
      rows,
      first,
      last,
      directory: reader.take(directory),
      postings: reader.take(postings),
      positions: reader.take(positions),
    }
    return true
  }

  async #refill(): Promise<void> {
    for (let size = CURSOR_BYTES; ; size *= 4) {
      const rest = this.#buffer.bytes.subarray(this.#buffer.at)
      if (rest.length === 0 && this.#at === this.#end) {
        this.word = undefined
        return
      }
      const more = await this.#source.read(this.#at, Math.min(size, this.#end - this.#at))
      this.#at += more.length
      this.#buffer = new ByteReader(Buffer.concat([rest, more]))
      if (this.#take()) return
    }
  }
}

/** Gives each word with its lists, one a run, in the order of words. */
async function* mergeRuns(store: RunStore, runs: readonly StoredRun[]) {
  const cursors = runs.map((run) => new RunCursor(store.source, run))
  for (const cursor of cursors) await cursor.advance()
  for (;;) {
    let word: string | undefined
    for (const cursor of cursors)
      if (cursor.word !== undefined && (word === undefined || cursor.word < word)) word = cursor.word
    if (word === undefined) return
    const same = cursors.filter((cursor) => cursor.word === word)
    yield { word, lists: same.map(({ list }) => list as EncodedList) }
    for (const cursor of same) {
      const reading = cursor.advance()
      if (reading !== undefined) await reading
    }
  }
}

/** Joins the blocks of several runs: only the step between two of them has to be written. */
const joinLists = (lists: readonly EncodedList[]) => {
  const directory = new ByteWriter(64)
  let previous = 0
  for (const list of lists) {
    directory.varint(list.first - previous)
    directory.append(list.directory)
    previous = list.last
  }
  const length = (part: 'postings' | 'positions') => lists.reduce((sum, list) => sum + list[part].length, 0)
  return {
    rows: lists.reduce((sum, { rows }) => sum + rows, 0),
    sizes: [directory.length, length('postings'), length('positions')],
    parts: [
      directory.written,
      ...lists.map(({ postings }) => postings),
      ...lists.map(({ positions }) => positions),
    ],
  }
}

/** A block of the dictionary while it is filled, and the table of all blocks. */
class Dictionary {
  readonly #block = new ByteWriter()
  readonly #firsts = new ByteWriter()
  readonly #starts: number[] = []
  #words = 0
  #first = ''
  #listsAt = 0

  get isFull(): boolean {
    return this.#words === DICTIONARY_WORDS
  }

  add(word: string, rows: number, sizes: readonly number[], listsAt: number): void {
    if (this.#words === 0) {
      this.#first = word
      this.#listsAt = listsAt
    }
    this.#words += 1
    const name = Buffer.from(word)
    this.#block.varint(name.length)
    this.#block.append(name)
    this.#block.varint(rows)
    for (const size of sizes) this.#block.varint(size)
  }

  /** Ends the block, which will begin at `at`, and returns its bytes. */
  end(at: number): Uint8Array {
    const bytes = Uint8Array.from(this.#block.written)
    const name = Buffer.from(this.#first)
    this.#starts.push(this.#firsts.length)
    this.#firsts.varint(name.length)
    this.#firsts.append(name)
    for (const number of [at, bytes.length, this.#listsAt]) this.#firsts.varint(number)
    this.#block.clear()
    this.#words = 0
    return bytes
  }

  get isEmpty(): boolean {
    return this.#words === 0
  }

  /** Offsets of the entries of the table, and the table. */
  get table(): { readonly starts: Uint8Array; readonly entries: Uint8Array } {
    return { starts: toBytes(Uint32Array.from(this.#starts)), entries: this.#firsts.written }
  }
}

const toBytes = ({ buffer, byteOffset, byteLength }: Uint32Array | Float64Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength)

export interface WordIndexContents {
  readonly kind: RankingKind
  readonly runs: readonly StoredRun[]
  /** Words in the text of each row. */
  readonly lengths: Uint32Array
  /** Offset of each row in `docs.jsonl`, and the end of the last one. */
  readonly docs: Float64Array
  /** What the index was made of; a reader compares it. */
  readonly madeFrom: string
  /** A warning that every answer from this index repeats. */
  readonly warning: string
}

/** The bytes of a word index, in order. */
export async function* writeWordIndex(
  store: RunStore,
  { kind, runs, lengths, docs, madeFrom, warning }: WordIndexContents,
): AsyncGenerator<Uint8Array> {
  const pages = new PageWriter()
  const dictionary = new Dictionary()
  let next = STEP
  for await (const { word, lists } of mergeRuns(store, runs)) {
    const { rows, sizes, parts } = joinLists(lists)
    dictionary.add(word, rows, sizes, pages.length)
    for (const part of parts) yield* pages.add(part)
    if (dictionary.isFull) yield* pages.add(dictionary.end(pages.length))
    if (pages.length < next) continue
    next = pages.length + STEP
    await nextTurn()
  }
  if (!dictionary.isEmpty) yield* pages.add(dictionary.end(pages.length))
  const { starts, entries } = dictionary.table
  const sections: Record<string, readonly [at: number, length: number]> = {}
  const parts = { starts, entries, lengths: toBytes(lengths), docs: toBytes(docs) }
  for (const [name, bytes] of Object.entries(parts)) {
    sections[name] = [pages.length, bytes.length]
    yield* pages.add(bytes)
  }
  yield* pages.finish({ kind, rows: lengths.length, sections, madeFrom, warning })
}
