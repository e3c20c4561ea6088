import type { JsonObject } from './encoding/json.ts'
import type { Clock, Log } from './ports.ts'
import type { CallContext } from './tool.ts'

export interface ProgressUpdate {
  readonly done: number
  readonly total?: number
  readonly message?: string
}

const PROGRESS_MS = 100
const MAX_ID = 128

/** Which request a call answers, and by which tool. */
export interface CallLabel {
  readonly request: string | number
  readonly tool: string
}

/** A client chooses its ids, and one may be as long as a line. */
export const shortId = (id: string | number): string | number =>
  typeof id === 'string' ? id.slice(0, MAX_ID) : id

class TaggedLog implements Log {
  readonly #log: Log
  readonly #about: JsonObject

  constructor(log: Log, { request, tool }: CallLabel) {
    this.#log = log
    this.#about = { request: shortId(request), tool }
  }

  write(...[level, message, fields]: Parameters<Log['write']>): void {
    this.#log.write(level, message, { ...this.#about, ...fields })
  }
}

/** One call under way, from the surface that opened it to the tool that runs. */
export class Call implements CallContext {
  readonly #log: Log
  readonly #about: CallLabel | undefined
  readonly #clock: Clock
  readonly #report: ((progress: ProgressUpdate) => void) | undefined
  #controller: AbortController | undefined
  #reason: unknown
  #ended = false
  #done = Number.NEGATIVE_INFINITY
  #reportedAt = Number.NEGATIVE_INFINITY
  /** Set by `invoke` while it waits, so that a cancellation is answered at once and not when the tool notices. */
  waiting: { cancelled(): void } | undefined

  constructor(clock: Clock, log: Log, report?: (progress: ProgressUpdate) => void, about?: CallLabel) {
    this.#clock = clock
    this.#log = log
    this.#report = report
    this.#about = about
  }

  // What is written about a call says what it was about. Most calls write nothing.
  get log(): Log {
    return this.#about === undefined ? this.#log : new TaggedLog(this.#log, this.#about)
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
