import type { Clock, Log } from './ports.ts'
import type { CallContext } from './tool.ts'

export interface Progress {
  readonly done: number
  readonly total?: number
  readonly message?: string
}

const PROGRESS_MS = 100

/** One call under way, from the surface that opened it to the tool that runs. */
export class Call implements CallContext {
  readonly log: Log
  readonly #clock: Clock
  readonly #report: ((progress: Progress) => void) | undefined
  #controller: AbortController | undefined
  #reason: unknown
  #ended = false
  #done = Number.NEGATIVE_INFINITY
  #reportedAt = Number.NEGATIVE_INFINITY
  /** Set by `invoke` while it waits, so that a cancellation is answered at once and not when the tool notices. */
  waiting: { cancelled(): void } | undefined

  constructor(clock: Clock, log: Log, report?: (progress: Progress) => void) {
    this.#clock = clock
    this.log = log
    this.#report = report
  }

  // Most calls end before anybody looks at their signal, and an AbortController is dear at this rate.
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.cancelled) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  get cancelled(): boolean {
    return this.#reason !== undefined
  }

  cancel(reason: unknown): void {
    if (this.#ended || this.cancelled) return
    this.#reason = reason ?? 'cancelled'
    this.#controller?.abort(this.#reason)
    this.waiting?.cancelled()
  }

  /** Nothing the tool does after this reaches the client. */
  end(): void {
    this.#ended = true
    // Whoever still holds the call must not hold all that waited for it.
    this.waiting = undefined
  }

  progress(done: number, total?: number, message?: string): void {
    if (this.#report === undefined || this.#ended || this.cancelled) return
    // The protocol wants it to increase, the client wants it bearable.
    if (!(done > this.#done)) return
    const now = this.#clock.elapsed()
    if (now - this.#reportedAt < PROGRESS_MS && done !== total) return
    this.#done = done
    this.#reportedAt = now
    this.#report({
      done,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    })
  }
}
