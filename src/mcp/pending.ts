import type { Call } from '../kernel/call.ts'
import type { Era } from './era.ts'
import type { RequestId } from './message.ts'

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

/** What handles a request: a call of ours, or the SDK. */
type RequestOwner = Call | Delegated

/** A connection to the SDK: one for each era, and one for requests whose envelope is broken. */
export type LinkName = Era | 'broken'

interface Delegated {
  readonly method: string
  readonly link: LinkName
  /** A subscription, which stays open until the client ends it. */
  readonly listens: boolean
}

const isCall = (owner: RequestOwner): owner is Call => 'cancel' in owner

/** Requests that may pass through one map before it is replaced. */
const MAX_PASSED = 64

/** Requests without a response, and the callers that wait for the last of them. */
export class Pending {
  #open = new Map<RequestId, RequestOwner>()
  #passed = 0
  #waiting: (() => void)[] = []

  has(id: RequestId): boolean {
    return this.#open.has(id)
  }

  /** A request that the SDK handles. */
  delegated(id: RequestId): Delegated | undefined {
    const owner = this.#open.get(id)
    return owner === undefined || isCall(owner) ? undefined : owner
  }

  add(id: RequestId, owner: RequestOwner): void {
    this.#passed += 1
    this.#open.set(id, owner)
  }

  /** False when the id is unknown, or was reused for another request. */
  remove(id: RequestId, owner?: RequestOwner): boolean {
    const known = this.#open.get(id)
    if (known === undefined || (owner !== undefined && known !== owner)) return false
    this.#open.delete(id)
    if (this.#open.size === 0) this.#renew()
    this.wake()
    return true
  }

  /** The client cancelled the request. */
  cancel(id: RequestId, reason: unknown): void {
    const owner = this.#open.get(id)
    if (owner !== undefined && isCall(owner)) owner.cancel(reason)
    this.remove(id)
  }

  /** The requests that wait for a response. */
  unanswered(): readonly RequestId[] {
    return [...this.#open].flatMap(([id, owner]) => (isCall(owner) || !owner.listens ? [id] : []))
  }

  clear(reason: unknown): void {
    for (const owner of this.#open.values()) if (isCall(owner)) owner.cancel(reason)
    this.#open.clear()
    this.wake()
  }

  /**
   * V8 keeps deleted entries of a Map reachable through its old tables until the next full garbage collection. A new
   * Map frees the finished calls earlier.
   */
  #renew(): void {
    if (this.#passed < MAX_PASSED) return
    this.#passed = 0
    this.#open = new Map()
  }

  wake(): void {
    if (this.#waiting.length > 0) for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /** Resolves when all requests except subscriptions have a response and `more` returns false. */
  async settled(more: () => boolean): Promise<void> {
    while (more() || this.unanswered().length > 0)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}
