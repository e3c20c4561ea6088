import type { ClientRequest, IncomingMessage } from 'node:http'
import type { OnReadOpts, Socket } from 'node:net'
import type { LentChunk } from '../../packets/registry.ts'
import { systemClock } from '../system/clock.ts'

/**
 * Not quite a megabyte. Whoever writes a whole one at once makes Linux cache the file in pages of that size, and those
 * are the first that a virtual machine has given back to its host: the same copy took four times as long.
 */
const SLOT = 1008 * 1024
/** Two with the reader, one about to be filled, and two between them. */
const SLOTS = 5
/** The head of an answer and the first of its body. */
const HEAD = 64 * 1024
/** Whoever waits for bytes that come slowly gets what there is, so that its progress is seen. */
const SLOW_MS = 50

/**
 * The body of one large answer, read from the socket into a few buffers that are used again and again. A fresh
 * buffer for each read, and the copy `node:http` makes of it, would cost more than everything else that is done
 * with the bytes.
 */
export class PooledBody {
  /** What a connection of its own must be opened with. */
  readonly options: { readonly onread: OnReadOpts }
  readonly #head: Uint8Array = new Uint8Array(HEAD)
  readonly #free: Uint8Array[] = []
  readonly #ready: Uint8Array[] = []
  #filling = this.#head
  #filled = 0
  #left = 0
  #direct = false
  #paused = false
  #given = 0
  #socket: Socket | undefined
  #wake: (() => void) | undefined

  constructor() {
    const buffer = () => (this.#direct ? this.#filling.subarray(this.#filled) : this.#head)
    this.options = { onread: { buffer, callback: (count, from) => this.#take(from.subarray(0, count)) } }
  }

  /** Until the body is asked for, everything goes the usual way. */
  attach(request: ClientRequest): void {
    request.once('socket', (socket) => {
      this.#socket = socket
    })
  }

  /** The body, exactly `length` bytes. */
  async *read(message: IncomingMessage, length: number): AsyncGenerator<LentChunk> {
    message.once('close', () => this.#wake?.())
    this.#begin(message, length)
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

  /** From here on nothing passes the parser any more; what it has of the body comes first. */
  #begin(message: IncomingMessage, length: number): void {
    for (let i = 0; i < SLOTS; i++) this.#free.push(new Uint8Array(SLOT))
    this.#filling = this.#free.pop() ?? this.#head
    this.#left = length
    this.#given = systemClock.elapsed()
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
      if (message.destroyed && this.#filled === 0) throw message.errored ?? new Error('the line broke')
      if (message.destroyed) this.#give()
      else await this.#wait()
    }
  }

  async #wait(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#wake = resolve
    })
    this.#wake = undefined
  }

  #take(bytes: Uint8Array): boolean {
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
    // They are there already, unless they came before the body was asked for.
    if (bytes.buffer !== this.#filling.buffer) this.#filling.set(wanted, this.#filled)
    this.#filled += wanted.length
    this.#left -= wanted.length
    const late = this.#wake !== undefined && systemClock.elapsed() - this.#given > SLOW_MS
    if (this.#filled === SLOT || this.#left === 0 || late) this.#give()
  }

  #give(): void {
    if (this.#filled === 0) return
    this.#ready.push(this.#filling.subarray(0, this.#filled))
    this.#filling = this.#free.pop() ?? this.#head
    this.#filled = 0
    this.#given = systemClock.elapsed()
    this.#wake?.()
  }

  #resume(): void {
    if (!this.#paused || this.#left === 0 || this.#free.length === 0) return
    this.#paused = false
    this.#socket?.resume()
  }
}
