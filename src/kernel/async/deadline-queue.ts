import type { Clock } from '../ports.ts'

/** An operation with a time limit. */
export interface Deadline {
  readonly at: number
  /** True once it ended, in time or not. */
  over: boolean
  expire(): void
}

/** Completed entries that may stay in the queue before it is compacted. */
const MAX_COMPLETED = 256

/**
 * Deadlines of equal length share one timer. They expire in the order they were added, so only the oldest needs a
 * timer; a timer per call would cost more than many calls. An array instead of a Set: V8 keeps deleted entries of a
 * Set reachable until the next full garbage collection.
 */
export class DeadlineQueue {
  readonly #clock: Clock
  readonly #ms: number
  #queue: Deadline[] = []
  #open = 0
  #stop: (() => void) | undefined

  constructor(clock: Clock, ms: number) {
    this.#clock = clock
    this.#ms = ms
  }

  add(deadline: Deadline): void {
    this.#queue.push(deadline)
    this.#open += 1
    this.#stop ??= this.#clock.after(this.#ms, () => this.#expireDue())
  }

  /** Marks it as ended. The timer is cleared with the last one, because it would keep the process alive. */
  complete(deadline: Deadline): void {
    if (deadline.over) return
    deadline.over = true
    this.#open -= 1
    if (this.#open === 0) this.#clear()
    else if (this.#queue.length > 2 * this.#open + MAX_COMPLETED) this.#queue = this.#queue.filter(isOpen)
  }

  #clear(): void {
    this.#queue = []
    this.#stop?.()
    this.#stop = undefined
  }

  #expireDue(): void {
    this.#stop = undefined
    const now = this.#clock.elapsed()
    this.#queue = this.#queue.filter(isOpen)
    for (const deadline of this.#queue.filter(({ at }) => at <= now)) {
      // `expire` of an earlier one may have completed this one.
      if (deadline.over) continue
      this.complete(deadline)
      deadline.expire()
    }
    const [next] = this.#queue.filter(isOpen)
    if (next !== undefined) this.#stop ??= this.#clock.after(next.at - now, () => this.#expireDue())
  }
}

const isOpen = ({ over }: Deadline): boolean => !over
