import type { Clock } from '../../src/kernel/ports.ts'

/** Time moves when it is told to, and says how many timers wait for it. */
export class StillClock implements Clock {
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
