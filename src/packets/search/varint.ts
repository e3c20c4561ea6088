const MORE = 0x80
const MIN_SPACE = 16

/** Appends numbers as LEB128 varints, seven bits a byte, and bytes as they are. */
export class ByteWriter {
  #bytes: Uint8Array
  #length = 0

  constructor(space = 1024) {
    this.#bytes = new Uint8Array(space)
  }

  get length(): number {
    return this.#length
  }

  /** The written bytes; valid until the next write. */
  get written(): Uint8Array {
    return this.#bytes.subarray(0, this.#length)
  }

  /** Appends a whole number from zero to 2⁵³ - 1. */
  varint(value: number): void {
    if (this.#length + MIN_SPACE > this.#bytes.length) this.#grow(MIN_SPACE)
    let rest = value
    while (rest >= MORE) {
      this.#bytes[this.#length++] = (rest % MORE) | MORE
      rest = Math.floor(rest / MORE)
    }
    this.#bytes[this.#length++] = rest
  }

  append(bytes: Uint8Array): void {
    if (this.#length + bytes.length > this.#bytes.length) this.#grow(bytes.length)
    this.#bytes.set(bytes, this.#length)
    this.#length += bytes.length
  }

  clear(): void {
    this.#length = 0
  }

  #grow(more: number): void {
    const larger = new Uint8Array(2 * this.#bytes.length + more)
    larger.set(this.written)
    this.#bytes = larger
  }
}

/** Reads what `ByteWriter` wrote. Past the end it reads zeros: the caller knows the counts. */
export class ByteReader {
  readonly bytes: Uint8Array
  at: number

  constructor(bytes: Uint8Array, at = 0) {
    this.bytes = bytes
    this.at = at
  }

  get atEnd(): boolean {
    return this.at >= this.bytes.length
  }

  varint(): number {
    const first = this.bytes[this.at++] ?? 0
    if (first < MORE) return first
    let value = (first ?? 0) & 0x7f
    for (let scale = MORE; ; scale *= MORE) {
      const byte = this.bytes[this.at++] ?? 0
      value += (byte & 0x7f) * scale
      if (byte < MORE) return value
    }
  }

  take(length: number): Uint8Array {
    const start = this.at
    this.at += length
    return this.bytes.subarray(start, this.at)
  }
}
