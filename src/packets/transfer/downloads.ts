import type { Digest } from '../../kernel/encoding/digest.ts'
import { Fault } from '../../kernel/fault.ts'
import type { Clock } from '../../kernel/ports.ts'
import { packetFaults } from '../faults.ts'
import { type Reference, writeReference } from '../format/reference.ts'
import type { ProgressListener } from '../progress.ts'
import { type Pulled, type PullPorts, pullPacket } from './pull.ts'

interface Fetch {
  readonly result: Promise<Pulled>
  readonly stop: AbortController
  /** Those who wait for it, each with its own ear. */
  readonly waiting: Map<symbol, ProgressListener>
  done: number
  total: number
}

/** How long a caller can be kept waiting; for ever, when absent. */
interface CallBudget {
  readonly clock: Clock
  readonly ms: number
}

/** Nobody lost interest: the time for one answer was over. */
const isDeadline = (reason: unknown): boolean => reason instanceof Fault && reason.code === 'call.deadline'

/**
 * The fetches of one store. A packet may take longer than a client waits for an answer: then the fetch goes on
 * without it, and whoever asks again waits for the same one. Without this a large packet would be begun anew by every
 * question and never arrive.
 */
export class Downloads {
  readonly #ports: PullPorts
  readonly #budget: CallBudget | undefined
  readonly #arrived: (digest: Digest) => void
  readonly #under = new Map<string, Fetch>()

  /** `arrived` hears of packets that came over the wire, and not of those that were there already. */
  constructor(ports: PullPorts, arrived: (digest: Digest) => void, budget?: CallBudget) {
    this.#ports = ports
    this.#arrived = arrived
    this.#budget = budget
  }

  async download(ref: Reference, signal: AbortSignal, watch: ProgressListener): Promise<Pulled> {
    signal.throwIfAborted()
    const key = writeReference(ref)
    const fetch = this.#under.get(key) ?? this.#begin(key, ref)
    const me = Symbol(key)
    fetch.waiting.set(me, watch)
    try {
      return await this.#await(fetch, signal)
    } finally {
      fetch.waiting.delete(me)
      const lost = signal.aborted && !isDeadline(signal.reason)
      if (lost && fetch.waiting.size === 0) {
        this.#forget(key, fetch)
        fetch.stop.abort(signal.reason)
      }
    }
  }

  close(): void {
    for (const { stop } of this.#under.values()) stop.abort()
  }

  #begin(key: string, ref: Reference): Fetch {
    const stop = new AbortController()
    const waiting = new Map<symbol, ProgressListener>()
    const result = pullPacket(this.#ports, ref, stop.signal, (done, total) => {
      Object.assign(fetch, { done, total })
      for (const watch of waiting.values()) watch('fetch', done, total)
    })
      .then((pulled) => {
        if (fetch.done > 0) this.#arrived(pulled.digest)
        return pulled
      })
      .finally(() => this.#forget(key, fetch))
    const fetch: Fetch = { result, stop, waiting, done: 0, total: 0 }
    // It may fail when nobody waits for it any more; whoever asks next begins another.
    result.catch(() => {})
    this.#under.set(key, fetch)
    return fetch
  }

  /** Nobody joins what has ended; another may have been begun since. */
  #forget(key: string, fetch: Fetch): void {
    if (this.#under.get(key) === fetch) this.#under.delete(key)
  }

  #await(fetch: Fetch, signal: AbortSignal): Promise<Pulled> {
    return new Promise((resolve, reject) => {
      const leave = () => reject(signal.reason)
      signal.addEventListener('abort', leave, { once: true })
      const tire = () =>
        reject(
          packetFaults.fetching(`the packet is being fetched, ${fetch.done} of ${fetch.total} bytes so far`),
        )
      const calm = this.#budget?.clock.after(this.#budget.ms, tire)
      fetch.result.then(resolve, reject).finally(() => {
        calm?.()
        signal.removeEventListener('abort', leave)
      })
    })
  }
}
