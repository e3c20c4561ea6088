import type { JsonObject } from './encoding/json.ts'
import { optional } from './optional.ts'
import type { Attachment, Clock, Log } from './ports.ts'
import type { CallContext } from './tool.ts'

export interface ProgressUpdate {
  readonly done: number
  readonly total?: number
  readonly message?: string
}

const PROGRESS_MS = 100
const MAX_ID = 128

/** The request that a call answers, and its tool: added to its log lines. */
export interface CallLabel {
  readonly request: string | number
  readonly tool: string
}

/** Clients choose their request ids, which may be as long as a line. */
export const shortId = (id: string | number): string | number =>
  typeof id === 'string' ? id.slice(0, MAX_ID) : id

class TaggedLog implements Log {
  readonly #log: Log
  readonly #label: JsonObject

  constructor(log: Log, { request, tool }: CallLabel) {
    this.#log = log
    this.#label = { request: shortId(request), tool }
  }

  write(...[level, message, fields]: Parameters<Log['write']>): void {
    this.#log.write(level, message, { ...this.#label, ...fields })
  }
}

/** One running call, shared by the surface that opened it, `invoke` and the tool. */
export class Call implements CallContext {
  readonly #log: Log
  readonly #label: CallLabel | undefined
  readonly #clock: Clock
  readonly #report: ((progress: ProgressUpdate) => void) | undefined
  #controller: AbortController | undefined
  #reason: unknown
  #ended = false
  #done = Number.NEGATIVE_INFINITY
  #reportedAt = Number.NEGATIVE_INFINITY
  /** Set by `invoke` while the tool runs, so that a cancellation ends the call before the tool notices. */
  waiting: { cancelled(): void } | undefined
  /** Set by `invoke` for tools whose calls are recorded: the digest of the arguments. */
  args: string | undefined
  attachment: Attachment | undefined

  constructor(clock: Clock, log: Log, report?: (progress: ProgressUpdate) => void, label?: CallLabel) {
    this.#clock = clock
    this.#log = log
    this.#report = report
    this.#label = label
  }

  // Created on demand, because most calls log nothing.
  get log(): Log {
    return this.#label === undefined ? this.#log : new TaggedLog(this.#log, this.#label)
  }

  // Created on demand, because most calls never use it and an AbortController is expensive.
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

  /** Later progress and cancellations are ignored. */
  end(): void {
    this.#ended = true
    // Lets the garbage collector free the pending call while the tool still holds this one.
    this.waiting = undefined
  }

  attach(attachment: Attachment): void {
    this.attachment = attachment
  }

  progress(done: number, total?: number, message?: string): void {
    if (this.#report === undefined || this.#ended || this.cancelled) return
    // The protocol requires increasing values; the rate limit protects the client.
    if (!(done > this.#done)) return
    const now = this.#clock.elapsed()
    if (now - this.#reportedAt < PROGRESS_MS && done !== total) return
    this.#done = done
    this.#reportedAt = now
    this.#report({
      done,
      ...optional({ total, message }),
    })
  }
}
