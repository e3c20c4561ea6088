import type { RequestId } from './message.ts'

/** The place of one answer among the others. */
export interface Slot {
  line: string | undefined
  dropped: boolean
}

/** Lets answers out in the order of what they answer, however they finish. */
export class ResponseOrder {
  readonly #send: (line: string) => void
  readonly #slots: Slot[] = []
  readonly #byId = new Map<RequestId, Slot>()

  constructor(send: (line: string) => void) {
    this.#send = send
  }

  /** Keeps a place for a line that has come in. */
  open(): Slot {
    const slot: Slot = { line: undefined, dropped: false }
    this.#slots.push(slot)
    return slot
  }

  /** Whoever answers this id answers into this place. */
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

  /** There will be no answer. */
  drop(slot: Slot | undefined): void {
    if (slot === undefined) return
    slot.dropped = true
    this.#release()
  }

  dropId(id: RequestId): void {
    this.drop(this.#byId.get(id))
    this.#byId.delete(id)
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
