import type { RequestId } from './message.ts'

/** The position of one response among the others. */
export interface Slot {
  line: string | undefined
  dropped: boolean
}

/** Sends responses in the order of their requests, whichever finishes first. */
export class ResponseOrder {
  readonly #send: (line: string) => void
  readonly #slots: Slot[] = []
  readonly #byId = new Map<RequestId, Slot>()

  constructor(send: (line: string) => void) {
    this.#send = send
  }

  /** Reserves the position of a received line. */
  open(): Slot {
    const slot: Slot = { line: undefined, dropped: false }
    this.#slots.push(slot)
    return slot
  }

  /** The response with this id goes into this slot. */
  bind(id: RequestId, slot: Slot): void {
    this.#byId.set(id, slot)
  }

  fill(slot: Slot, line: string): void {
    slot.line = line
    this.#release()
  }

  answer(id: RequestId, line: string): void {
    const slot = this.#byId.get(id) ?? this.open()
    this.#byId.delete(id)
    this.fill(slot, line)
  }

  /** There will be no response with this id. */
  dropId(id: RequestId): void {
    const slot = this.#byId.get(id)
    if (slot === undefined) return
    this.#byId.delete(id)
    slot.dropped = true
    this.#release()
  }

  #release(): void {
    for (let first = this.#slots[0]; first !== undefined; first = this.#slots[0]) {
      if (first.line === undefined && !first.dropped) return
      this.#slots.shift()
      if (first.line !== undefined) this.#send(first.line)
      first.line = undefined
    }
  }
}
