/** Whole numbers below 2³² in a typed array that grows: a list of millions has four bytes for each. */
export class NumberList {
  #values = new Uint32Array(1024)
  #length = 0

  get length(): number {
    return this.#length
  }

  /** The numbers; valid until the next one is added. */
  get values(): Uint32Array {
    return this.#values.subarray(0, this.#length)
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Uint32Array(2 * this.#length)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.#length++] = value
  }

  at(index: number): number {
    return this.#values[index] as number
  }

  set(index: number, value: number): void {
    this.#values[index] = value
  }
}
