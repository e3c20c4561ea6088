import { type Doc, parseDocLine } from '../../src/packets/format/docs.ts'

/** The chunks of a `docs.jsonl` that is in memory, without the reader of files. */
export class DocTable {
  readonly #docs: readonly Doc[]

  constructor(bytes: Uint8Array) {
    const docs: Doc[] = []
    for (let at = 0, line = 1; at < bytes.length; line++) {
      const found = bytes.indexOf(0x0a, at)
      const end = found === -1 ? bytes.length : found
      const doc = parseDocLine(bytes.subarray(at, end), line)
      if (doc !== undefined) docs.push(doc)
      at = end + 1
    }
    this.#docs = docs
  }

  get rows(): number {
    return this.#docs.length
  }

  row(index: number): Doc {
    const doc = this.#docs[index]
    if (doc === undefined) throw new RangeError(`there is no row ${index}`)
    return doc
  }

  [Symbol.iterator](): Iterator<Doc> {
    return this.#docs[Symbol.iterator]()
  }
}
