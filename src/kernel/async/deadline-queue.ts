import type { Clock } from '../ports.ts'

/** Something under way that must end in time. */
export interface Deadline {
  readonly at: number
  /** It ended, in time or not. */
  over: boolean
  expire(): void
}

/** So many that are over are kept in the queue before it is cleared of them. */
const SPARE = 256

/**
 * Deadlines of one length, with one timer for all. They fall due in the order they were set, so only the oldest
 * has to be watched; a timer for each would cost more than many a call. A queue and not a set: what a set has
 * let go of lives on in its older tables until the next full collection.
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
    this.#stop ??= this.#clock.after(this.#ms, () => this.#look())
  }

  /** It ended. With nothing under way there is no timer either, which would keep the process. */
  complete(deadline: Deadline): void {
    if (deadline.over) return
    deadline.over = true
    this.#open -= 1
    if (this.#open === 0) this.#rest()
    else if (this.#queue.length > 2 * this.#open + SPARE) this.#queue = this.#queue.filter(isOpen)
  }

  #rest(): void {
    this.#queue = []
    this.#stop?.()
    this.#stop = undefined
  }

  #look(): void {
    this.#stop = undefined
    const now = this.#clock.elapsed()
    this.#queue = this.#queue.filter(isOpen)
    for (const deadline of this.#queue.filter(({ at }) => at <= now)) {
      // One that passes may have met another.
      if (deadline.over) continue
      this.complete(deadline)
      deadline.expire()
    }
    const [next] = this.#queue.filter(isOpen)
    if (next !== undefined) this.#stop ??= this.#clock.after(next.at - now, () => this.#look())
  }
}

const isOpen = ({ over }: Deadline): boolean => !over
