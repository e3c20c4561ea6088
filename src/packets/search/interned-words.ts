const MIN_SLOTS = 1024

const decoder = new TextDecoder('utf-8', { fatal: true })

/**
 * Interns words by their bytes in an open-addressing hash table, so that six million occurrences of thirty
 * thousand words do not become six million strings. The words are stored contiguously, for fast comparison.
 */
export class InternedWords {
  #words = new Uint8Array(1 << 16)
  /** End offset of each word; the next word begins there. */
  readonly #ends: number[] = []
  #slots = new Int32Array(MIN_SLOTS).fill(-1)
  readonly #hashes: number[] = []

  /** The number of a word, in order of first occurrence. */
  numberOf(bytes: Uint8Array, start: number, end: number): number {
    let hash = 0x811c9dc5
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193)
    hash ^= hash >>> 15
    const mask = this.#slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot] as number
      if (number === -1) return this.#add(hash, slot, bytes.subarray(start, end))
      if (this.#hashes[number] === hash && this.#isSame(number, bytes, start, end)) return number
    }
  }

  /** Throws when the word is not UTF-8. */
  textOf(number: number): string {
    return decoder.decode(this.#words.subarray(this.#ends[number - 1] ?? 0, this.#ends[number]))
  }

  #add(hash: number, slot: number, word: Uint8Array): number {
    const at = this.#ends.at(-1) ?? 0
    if (at + word.length > this.#words.length) {
      const larger = new Uint8Array(2 * (at + word.length))
      larger.set(this.#words)
      this.#words = larger
    }
    this.#words.set(word, at)
    const number = this.#ends.push(at + word.length) - 1
    this.#hashes.push(hash)
    this.#slots[slot] = number
    if (this.#ends.length * 2 > this.#slots.length) this.#grow()
    return number
  }

  #grow(): void {
    const slots = new Int32Array(this.#slots.length * 4).fill(-1)
    const mask = slots.length - 1
    this.#hashes.forEach((hash, number) => {
      let slot = hash & mask
      while (slots[slot] !== -1) slot = (slot + 1) & mask
      slots[slot] = number
    })
    this.#slots = slots
  }

  #isSame(number: number, bytes: Uint8Array, start: number, end: number): boolean {
    const from = number === 0 ? 0 : (this.#ends[number - 1] as number)
    if ((this.#ends[number] as number) - from !== end - start) return false
    for (let i = 0; i < end - start; i++) if (this.#words[from + i] !== bytes[start + i]) return false
    return true
  }
}
