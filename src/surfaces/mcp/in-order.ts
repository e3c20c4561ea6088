import type { RequestId } from './message.ts'

interface Slot {
  line: string | undefined
  dropped: boolean
}

/** Lets answers out in the order of their requests, however they finish. */
export class InOrder {
  readonly #send: (line: string) => void
  readonly #slots: Slot[] = []
  readonly #byId = new Map<RequestId, Slot>()

  constructor(send: (line: string) => void) {
    this.#send = send
  }

  /** Keeps a place for the answer to a request. */
  expect(id: RequestId): void {
    // The second of two with one id is refused at once; the place is the first one's.
    if (this.#byId.has(id)) return
    const slot: Slot = { line: undefined, dropped: false }
    this.#slots.push(slot)
    this.#byId.set(id, slot)
  }

  answer(id: RequestId | null, line: string): void {
    const slot = id === null ? undefined : this.#byId.get(id)
    if (slot === undefined || id === null) this.#slots.push({ line, dropped: false })
    else {
      slot.line = line
      this.#byId.delete(id)
    }
    this.#release()
  }

  /** There will be no answer. */
  drop(id: RequestId): void {
    const slot = this.#byId.get(id)
    if (slot === undefined) return
    slot.dropped = true
    this.#byId.delete(id)
    this.#release()
  }

  #release(): void {
    for (let first = this.#slots[0]; first !== undefined; first = this.#slots[0]) {
      if (first.line === undefined && !first.dropped) return
      this.#slots.shift()
      if (first.line !== undefined) this.#send(first.line)
    }
  }
}
