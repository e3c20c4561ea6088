/** The best rows found so far, the best first, and which of them were followed. */
export class Beam {
  readonly #width: number
  readonly #rows: Uint32Array
  readonly #scores: Float64Array
  readonly #followed: Uint8Array
  #size = 0
  /** No row before this place is left to follow. */
  #first = 0

  constructor(width: number) {
    this.#width = width
    this.#rows = new Uint32Array(width)
    this.#scores = new Float64Array(width)
    this.#followed = new Uint8Array(width)
  }

  get rows(): Uint32Array {
    return this.#rows.subarray(0, this.#size)
  }

  get scores(): Float64Array {
    return this.#scores.subarray(0, this.#size)
  }

  add(row: number, score: number): void {
    if (this.#size === this.#width && !this.#isBefore(row, score, this.#size - 1)) return
    let [low, high] = [0, this.#size]
    while (low < high) {
      const middle = (low + high) >> 1
      if (this.#isBefore(row, score, middle)) high = middle
      else low = middle + 1
    }
    if (this.#size < this.#width) this.#size += 1
    for (const list of [this.#rows, this.#scores, this.#followed])
      list.copyWithin(low + 1, low, this.#size - 1)
    this.#rows[low] = row
    this.#scores[low] = score
    this.#followed[low] = 0
    this.#first = Math.min(this.#first, low)
  }

  /** The best row that was not followed yet, which is followed with that. */
  next(): number | undefined {
    while (this.#first < this.#size && this.#followed[this.#first] === 1) this.#first += 1
    if (this.#first === this.#size) return undefined
    this.#followed[this.#first] = 1
    return this.#rows[this.#first]
  }

  #isBefore(row: number, score: number, place: number): boolean {
    const other = this.#scores[place] as number
    return score > other || (score === other && row < (this.#rows[place] as number))
  }
}
