import type { Call } from '../../kernel/call.ts'
import type { RequestId } from './message.ts'

/** Who works on a request: a call of our own, or the SDK, which may keep one open to listen. */
export type RequestOwner = Call | Delegated

export interface Delegated {
  readonly method: string
  /** Stays open for as long as the client likes. */
  readonly listens: boolean
}

const isCall = (worker: RequestOwner): worker is Call => 'cancel' in worker

/** So many requests may pass through one map. */
const MAX_PASSED = 64

/** Requests not answered yet, and those who wait for the last of them. */
export class Pending {
  #open = new Map<RequestId, RequestOwner>()
  #passed = 0
  #waiting: (() => void)[] = []

  has(id: RequestId): boolean {
    return this.#open.has(id)
  }

  /** The method of a request the SDK works on. */
  delegated(id: RequestId): string | undefined {
    const worker = this.#open.get(id)
    return worker === undefined || isCall(worker) ? undefined : worker.method
  }

  add(id: RequestId, worker: RequestOwner): void {
    this.#passed += 1
    this.#open.set(id, worker)
  }

  /** False when it was not there, or is somebody else's by now. */
  remove(id: RequestId, worker?: RequestOwner): boolean {
    const known = this.#open.get(id)
    if (known === undefined || (worker !== undefined && known !== worker)) return false
    this.#open.delete(id)
    if (this.#open.size === 0) this.#renew()
    this.wake()
    return true
  }

  /** The client no longer wants an answer. */
  cancel(id: RequestId, reason: unknown): void {
    const worker = this.#open.get(id)
    if (worker !== undefined && isCall(worker)) worker.cancel(reason)
    this.remove(id)
  }

  clear(reason: unknown): void {
    for (const worker of this.#open.values()) if (isCall(worker)) worker.cancel(reason)
    this.#open.clear()
    this.wake()
  }

  /**
   * What a map has let go of lives on in its older tables, each of which leads to the next, until the next full
   * collection: all that calls were about would be kept until then.
   */
  #renew(): void {
    if (this.#passed < MAX_PASSED) return
    this.#passed = 0
    this.#open = new Map()
  }

  wake(): void {
    if (this.#waiting.length > 0) for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /** Resolves when everything is answered, open subscriptions apart, and `more` says no. */
  async settled(more: () => boolean): Promise<void> {
    while (more() || this.#busy()) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  #busy(): boolean {
    for (const worker of this.#open.values()) if (isCall(worker) || !worker.listens) return true
    return false
  }
}
