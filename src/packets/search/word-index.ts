import { isRecord } from '../../kernel/encoding/json.ts'
import { packetFaults } from '../faults.ts'
import type { ByteSource } from '../format/faiss.ts'
import { CheckedPages } from './checked-pages.ts'
import { ByteReader } from './varint.ts'
import type { RankingKind } from './word-fields.ts'

const damaged = (why: string): Error => packetFaults.index(`the word index is damaged: ${why}`)
const decoder = new TextDecoder()

type SectionName = 'starts' | 'entries' | 'lengths' | 'docs'
type Section = readonly [at: number, length: number]

/** Where the postings of a word are. */
export interface WordList {
  readonly word: string
  /** Number of rows that have the word. */
  readonly rows: number
  readonly at: number
  readonly sizes: readonly [directory: number, postings: number, positions: number]
}

/** Sorted first words of the dictionary blocks, with the place of each block. */
class BlockTable {
  readonly #starts: Uint32Array
  readonly #entries: Uint8Array

  constructor(starts: Uint32Array, entries: Uint8Array) {
    this.#starts = starts
    this.#entries = entries
  }

  get bytes(): number {
    return this.#starts.byteLength + this.#entries.length
  }

  /** The block that has a word, if the index has it. */
  find(word: string) {
    let [low, high] = [0, this.#starts.length - 1]
    while (low <= high) {
      const middle = (low + high) >> 1
      if (this.#entry(middle).first <= word) low = middle + 1
      else high = middle - 1
    }
    return high < 0 ? undefined : this.#entry(high)
  }

  #entry(i: number) {
    const reader = new ByteReader(this.#entries, this.#starts[i])
    const first = decoder.decode(reader.take(reader.varint()))
    return { first, at: reader.varint(), length: reader.varint(), listsAt: reader.varint() }
  }
}

/** Copied, because the numbers in a page are not aligned. */
const aligned = (bytes: Uint8Array): ArrayBuffer => Uint8Array.from(bytes).buffer

const isSection = (value: unknown): value is Section =>
  Array.isArray(value) && value.length === 2 && value.every((one) => Number.isSafeInteger(one) && one >= 0)

/**
 * A word index in a file: a sorted dictionary in blocks, postings and positions, the length of each row, and its place
 * in `docs.jsonl`. Only the parts that a question needs are read, and damage is a fault.
 */
export class WordIndexFile {
  readonly rows: number
  readonly kind: RankingKind
  /** What the index was made of. */
  readonly madeFrom: string
  readonly warning: string
  readonly #pages: CheckedPages
  readonly #sections: Readonly<Record<SectionName, Section>>
  #blocks: Promise<BlockTable> | undefined
  #tableBytes = 0

  private constructor(pages: CheckedPages) {
    const { rows, kind, madeFrom, warning, sections } = pages.description
    if (!Number.isSafeInteger(rows) || !isRecord(sections) || !Object.values(sections).every(isSection))
      throw damaged('its description is incomplete')
    this.rows = rows as number
    this.kind = kind === 'fields' ? 'fields' : 'plain'
    this.madeFrom = String(madeFrom)
    this.warning = String(warning ?? '')
    this.#pages = pages
    this.#sections = sections as Record<SectionName, Section>
  }

  static async open(source: ByteSource): Promise<WordIndexFile> {
    return new WordIndexFile(await CheckedPages.open(source))
  }

  /** Memory use. */
  get bytes(): number {
    return this.#pages.bytes + this.#tableBytes
  }

  /** Words in the text of each row. */
  async lengths(): Promise<Uint32Array> {
    return new Uint32Array(aligned(await this.#section('lengths')))
  }

  /** The bytes of a row in `docs.jsonl`: where it begins, and where the next one does. */
  async docRange(row: number): Promise<readonly [start: number, end: number]> {
    const [at] = this.#sections.docs
    const [start, end] = new Float64Array(aligned(await this.#pages.read(at + 8 * row, 16)))
    return [start as number, end as number]
  }

  /** The offsets of all rows in `docs.jsonl`, and the end of the last one. */
  async docStarts(): Promise<Float64Array> {
    return new Float64Array(aligned(await this.#section('docs')))
  }

  /** Finds a word in the dictionary. */
  async find(word: string): Promise<WordList | undefined> {
    this.#blocks ??= this.#openBlocks()
    const block = (await this.#blocks).find(word)
    if (block === undefined) return undefined
    const reader = new ByteReader(await this.#pages.read(block.at, block.length))
    for (let at = block.listsAt; !reader.atEnd; ) {
      const found = decoder.decode(reader.take(reader.varint()))
      const rows = reader.varint()
      const sizes = [reader.varint(), reader.varint(), reader.varint()] as const
      if (found === word) return { word, rows, at, sizes }
      at += sizes[0] + sizes[1] + sizes[2]
    }
    return undefined
  }

  /** The directory and the postings of a word, and its positions when they are wanted. */
  async read({ at, sizes }: WordList, withPositions: boolean) {
    const [directory, postings, positions] = sizes
    const bytes = await this.#pages.read(at, directory + postings + (withPositions ? positions : 0))
    return {
      directory: bytes.subarray(0, directory),
      postings: bytes.subarray(directory, directory + postings),
      positions: bytes.subarray(directory + postings),
    }
  }

  #section(name: SectionName): Promise<Uint8Array> {
    return this.#pages.read(...this.#sections[name])
  }

  async #openBlocks(): Promise<BlockTable> {
    const [starts, entries] = await Promise.all([this.#section('starts'), this.#section('entries')])
    const table = new BlockTable(new Uint32Array(aligned(starts)), Uint8Array.from(entries))
    this.#tableBytes = table.bytes
    return table
  }
}
