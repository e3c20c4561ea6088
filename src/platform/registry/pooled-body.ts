import type { ClientRequest, IncomingMessage } from 'node:http'
import type { OnReadOpts, Socket } from 'node:net'
import type { LentChunk } from '../../packets/registry.ts'
import { systemClock } from '../system/clock.ts'

/**
 * Just below a megabyte. A write of exactly one megabyte makes Linux cache the file in huge pages, which a
 * virtual machine returns to its host first: the same copy took four times as long.
 */
const SLOT = 1008 * 1024
/** Two lent to the consumer, one being filled, two between them. */
const SLOTS = 5
/** The response head and the first bytes of the body. */
const HEAD = 64 * 1024
/** After this time a waiting consumer gets a partial buffer, so that progress is visible. */
const SLOW_MS = 50

/**
 * The body of one large response, read from the socket into a few buffers that are reused. A new buffer for
 * each read, and the copy that `node:http` makes, would cost more than everything else done with the bytes.
 */
export class PooledBody {
  /** Options for the dedicated connection. */
  readonly options: { readonly onread: OnReadOpts }
  readonly #head: Uint8Array = new Uint8Array(HEAD)
  readonly #free: Uint8Array[] = []
  readonly #ready: Uint8Array[] = []
  #filling = this.#head
  #filled = 0
  #left = 0
  #direct = false
  #paused = false
  #releasedAt = 0
  #socket: Socket | undefined
  #wake: (() => void) | undefined

  constructor() {
    const buffer = () => (this.#direct ? this.#filling.subarray(this.#filled) : this.#head)
    this.options = { onread: { buffer, callback: (count, from) => this.#receive(from.subarray(0, count)) } }
  }

  /** Until `read` is called, bytes go through the HTTP parser. */
  attach(request: ClientRequest): void {
    request.once('socket', (socket) => {
      this.#socket = socket
    })
  }

  /** The body, exactly `length` bytes. */
  async *read(message: IncomingMessage, length: number): AsyncGenerator<LentChunk> {
    message.once('close', () => this.#wake?.())
    this.#start(message, length)
    let lent: Uint8Array | undefined
    try {
      for (;;) {
        const chunk = await this.#next(message)
        if (chunk === undefined) return
        yield chunk
        if (lent !== undefined) this.#free.push(new Uint8Array(lent.buffer))
        lent = chunk
        this.#resume()
      }
    } finally {
      message.destroy()
    }
  }

  /** From here on the parser is bypassed; the part of the body that it has comes first. */
  #start(message: IncomingMessage, length: number): void {
    for (let i = 0; i < SLOTS; i++) this.#free.push(new Uint8Array(SLOT))
    this.#filling = this.#free.pop() ?? this.#head
    this.#left = length
    this.#releasedAt = systemClock.elapsed()
    this.#direct = true
    for (let early = message.read(); early !== null; early = message.read()) this.#fill(early)
    this.#paused = true
    this.#resume()
  }

  async #next(message: IncomingMessage): Promise<Uint8Array | undefined> {
    for (;;) {
      const chunk = this.#ready.shift()
      if (chunk !== undefined) return chunk
      if (this.#left === 0) return undefined
      if (message.destroyed && this.#filled === 0)
        throw message.errored ?? new Error('the connection was closed')
      if (message.destroyed) this.#release()
      else await this.#wait()
    }
  }

  async #wait(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    this.#wake = undefined
  }

  #receive(bytes: Uint8Array): boolean {
    if (this.#direct) {
      this.#fill(bytes)
      this.#paused = this.#free.length === 0 || this.#left === 0
      return !this.#paused
    }
    this.#socket?.emit('data', Buffer.from(bytes))
    return true
  }

  #fill(bytes: Uint8Array): void {
    const wanted = bytes.subarray(0, Math.min(bytes.length, this.#left))
    // Bytes read directly are in the buffer already; earlier ones are copied.
    if (bytes.buffer !== this.#filling.buffer) this.#filling.set(wanted, this.#filled)
    this.#filled += wanted.length
    this.#left -= wanted.length
    const late = this.#wake !== undefined && systemClock.elapsed() - this.#releasedAt > SLOW_MS
    if (this.#filled === SLOT || this.#left === 0 || late) this.#release()
  }

  #release(): void {
    if (this.#filled === 0) return
    this.#ready.push(this.#filling.subarray(0, this.#filled))
    this.#filling = this.#free.pop() ?? this.#head
    this.#filled = 0
    this.#releasedAt = systemClock.elapsed()
    this.#wake?.()
  }

  #resume(): void {
    if (!this.#paused || this.#left === 0 || this.#free.length === 0) return
    this.#paused = false
    this.#socket?.resume()
  }
}
