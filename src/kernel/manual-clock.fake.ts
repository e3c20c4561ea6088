import type { Clock } from './ports.ts'

/** A clock that tests move by hand; `waiting` counts the pending timers. */
export class ManualClock implements Clock {
  time = 0
  readonly #timers = new Set<{ readonly at: number; readonly then: () => void }>()
  now = () => this.time
  elapsed = () => this.time
  after(ms: number, then: () => void) {
    const timer = { at: this.time + ms, then }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }
  get waiting() {
    return this.#timers.size
  }
  move(ms: number) {
    this.time += ms
    for (const timer of [...this.#timers].filter(({ at }) => at <= this.time)) {
      this.#timers.delete(timer)
      timer.then()
    }
  }
}
