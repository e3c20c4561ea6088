/** The place of one response among the others. */
export interface Slot {
  fill(line: string): void
  /** There will be no response. */
  drop(): void
}

interface Place extends Slot {
  line: string | undefined
  isDropped: boolean
}

/** Sends responses in the order of their requests, whichever finishes first. */
export class ResponseOrder {
  readonly #send: (line: string) => void
  readonly #places: Place[] = []

  constructor(send: (line: string) => void) {
    this.#send = send
  }

  /** Reserves the place of a received line. */
  open(): Slot {
    const order = this
    const place: Place = {
      line: undefined,
      isDropped: false,
      fill(line) {
        place.line = line
        order.#release()
      },
      drop() {
        place.isDropped = true
        order.#release()
      },
    }
    this.#places.push(place)
    return place
  }

  #release(): void {
    for (let first = this.#places[0]; first !== undefined; first = this.#places[0]) {
      if (first.line === undefined && !first.isDropped) return
      this.#places.shift()
      if (first.line !== undefined) this.#send(first.line)
      first.line = undefined
    }
  }
}

/** Collects the responses of a batch and sends them as one line; nothing when there is none. */
export class BatchResponse {
  readonly #slot: Slot
  readonly #lines: string[] = []
  /** Reserved places, and one until the batch is complete. */
  #open = 1

  constructor(slot: Slot) {
    this.#slot = slot
  }

  open(): Slot {
    this.#open += 1
    return {
      fill: (line) => {
        this.#lines.push(line)
        this.complete()
      },
      drop: () => this.complete(),
    }
  }

  /** Called once when all places are reserved. */
  complete(): void {
    this.#open -= 1
    if (this.#open > 0) return
    if (this.#lines.length === 0) this.#slot.drop()
    else this.#slot.fill(`[${this.#lines.join()}]`)
  }
}
