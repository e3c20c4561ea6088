/** Numbers of which the count is not known before, in a typed array that grows: whole ones take four bytes each. */
export class NumberList<T extends Uint32Array | Float64Array> {
  #values: T
  #length = 0
  readonly #make: (length: number) => T

  constructor(make: (length: number) => T) {
    this.#make = make
    this.#values = make(1024)
  }

  get length(): number {
    return this.#length
  }

  /** The numbers; valid until the next one is added. */
  get values(): T {
    return this.#values.subarray(0, this.#length) as T
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = this.#make(2 * this.#length)
      larger.set(this.#values)
      this.#values = larger
    }
    this.#values[this.#length++] = value
  }

  at(index: number): number {
    return this.#values[index] ?? 0
  }

  set(index: number, value: number): void {
    this.#values[index] = value
  }
}

export const wholeNumbers = () => new NumberList((length) => new Uint32Array(length))
