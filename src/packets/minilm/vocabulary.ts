import { VOCABULARY_SIZE } from './model-layout.ts'

/** Begins the file. The number changes whenever the layout or the hash does. */
const MAGIC = 'WRNT-VOCABULARY1'
const MARK = '##'
/** A power of two, about twice the tokens. */
const SLOTS = 65_536
/** Set in the offset of a token that continues a word. */
const FURTHER = 2 ** 31

/** Offsets in the file, each aligned for its numbers. The text of all tokens is the rest. */
const LONGEST_AT = MAGIC.length
const SLOTS_AT = LONGEST_AT + 4
const STARTS_AT = SLOTS_AT + 2 * SLOTS
const ENDS_AT = STARTS_AT + 4 * VOCABULARY_SIZE
const TEXT_AT = ENDS_AT + 4 * VOCABULARY_SIZE

/** FNV-1a. A piece that continues a word may be spelled like one that begins it. */
const OFFSETS = { first: 0x811c9dc5, further: 0x6c62272e }
const PRIME = 0x01000193

const slotOf = (hash: number): number => (hash ^ (hash >>> 15)) & (SLOTS - 1)

const isLowSurrogate = (text: string, at: number): boolean => (text.charCodeAt(at) & 0xfc00) === 0xdc00

const viewsOf = (buffer: ArrayBuffer) => ({
  /** Length of the longest token. */
  longest: new Uint32Array(buffer, LONGEST_AT, 1),
  /** The token of each slot of a hash table with open addressing, by its id plus one; zero when the slot is free. */
  slots: new Uint16Array(buffer, SLOTS_AT, SLOTS),
  starts: new Uint32Array(buffer, STARTS_AT, VOCABULARY_SIZE),
  ends: new Uint32Array(buffer, ENDS_AT, VOCABULARY_SIZE),
  text: new Uint16Array(buffer, TEXT_AT),
})

/** The file of the tokens, in the order of their ids: a table, because a new process takes long to make one. */
export const packVocabulary = (tokens: readonly string[]): Uint8Array => {
  if (tokens.length !== VOCABULARY_SIZE) throw new Error(`the vocabulary has ${tokens.length} tokens`)
  // A token such as `##` can also be a word of its own. It is never one: `#` is punctuation.
  const pieces = tokens.map((token) => {
    const isFurther = token.startsWith(MARK) && token.length > MARK.length
    return { isFurther, text: isFurther ? token.slice(MARK.length) : token }
  })
  const bytes = new Uint8Array(TEXT_AT + 2 * pieces.reduce((sum, { text }) => sum + text.length, 0))
  bytes.set(Buffer.from(MAGIC))
  const { longest, slots, starts, ends, text: units } = viewsOf(bytes.buffer)
  longest[0] = Math.max(...pieces.map(({ text }) => text.length))
  let at = 0
  pieces.forEach(({ isFurther, text }, id) => {
    starts[id] = at + (isFurther ? FURTHER : 0)
    let hash = isFurther ? OFFSETS.further : OFFSETS.first
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i)
      hash = Math.imul(hash ^ unit, PRIME)
      units[at++] = unit
    }
    ends[id] = at
    let slot = slotOf(hash)
    while (slots[slot] !== 0) slot = (slot + 1) & (SLOTS - 1)
    slots[slot] = id + 1
  })
  return bytes
}

/** The tokens of the model. */
export class Vocabulary {
  readonly #views: ReturnType<typeof viewsOf>
  /** Hashes of the beginnings of a word, while a token is looked for. */
  readonly #hashes: Int32Array

  /** Takes what `packVocabulary` made. */
  constructor(file: Uint8Array) {
    // A copy: the bytes may not be aligned.
    const bytes = new Uint8Array(file)
    if (Buffer.from(bytes.subarray(0, MAGIC.length)).toString() !== MAGIC || bytes.length < TEXT_AT)
      throw new Error('this is not a vocabulary of this version')
    this.#views = viewsOf(bytes.buffer)
    this.#hashes = new Int32Array(this.#views.longest[0] ?? 0)
  }

  /**
   * The longest token that a word has at an offset: one that begins words, or further on one that continues them. `end`
   * is the offset behind it; undefined when there is none.
   */
  findLongest(word: string, at: number): { readonly id: number; readonly end: number } | undefined {
    const most = Math.min(word.length - at, this.#hashes.length)
    let hash = at === 0 ? OFFSETS.first : OFFSETS.further
    for (let i = 0; i < most; i++) {
      hash = Math.imul(hash ^ word.charCodeAt(at + i), PRIME)
      this.#hashes[i] = hash
    }
    for (let length = most; length > 0; length--) {
      if (isLowSurrogate(word, at + length)) continue
      const id = this.#find(this.#hashes[length - 1] ?? 0, word, at, length)
      if (id !== -1) return { id, end: at + length }
    }
    return undefined
  }

  #find(hash: number, word: string, at: number, length: number): number {
    for (let slot = slotOf(hash); ; slot = (slot + 1) & (SLOTS - 1)) {
      const id = (this.#views.slots[slot] ?? 0) - 1
      if (id === -1 || this.#isToken(id, word, at, length)) return id
    }
  }

  #isToken(id: number, word: string, at: number, length: number): boolean {
    const { starts, ends, text } = this.#views
    const start = (starts[id] ?? 0) % FURTHER
    if ((ends[id] ?? 0) - start !== length || (start !== (starts[id] ?? 0)) !== at > 0) return false
    for (let i = 0; i < length; i++) if (text[start + i] !== word.charCodeAt(at + i)) return false
    return true
  }
}
