import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http'
import type { LookupFunction, OnReadOpts, Socket } from 'node:net'
import { optional } from '../../kernel/optional.ts'
import type { LentChunk } from '../../packets/ports.ts'
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
class PooledBody {
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

/** A request body that is read while it is sent, and again for a retry. */
export interface StreamBody {
  readonly size: number
  read(): AsyncIterable<Uint8Array>
}

export type Body = Uint8Array | StreamBody

export interface WireRequest {
  /** Custom DNS lookup. */
  readonly lookup?: LookupFunction
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Body
  /** A large response is expected, which gets its own connection. */
  readonly bulk?: boolean
}

/** A response. Its body must be read once, or discarded. */
export interface HttpResponse {
  readonly status: number
  readonly url: URL
  header(name: string): string | null
  readonly body: AsyncIterable<LentChunk>
  /** The first bytes of the body, as far as they arrive within half a second; the rest is discarded. */
  head(most: number): Promise<Uint8Array>
  /** Discards the body. */
  discard(): void
}

/** A discarded body up to this size is read to its end, so that the connection can be reused. */
const SMALL = 16 * 1024
const DISCARD_MS = 500

const OPTIONS = { keepAlive: true, maxFreeSockets: 8 }
const openHttp = () => ({ open: plainRequest, agent: new Agent(OPTIONS), unpooled: new Agent() })
/** `node:https` is loaded with the first TLS connection: loading it takes longer than all of HTTP. */
const openTls = () => {
  const { Agent: TlsAgent, request: open } = process.getBuiltinModule('node:https')
  return { open, agent: new TlsAgent(OPTIONS), unpooled: new TlsAgent() }
}
type Transport = ReturnType<typeof openHttp> | ReturnType<typeof openTls>
/** Created with the first request of each protocol. */
const transports = new Map<string, Transport>()

const transportFor = ({ protocol }: URL): Transport => {
  const transport = transports.get(protocol) ?? (protocol === 'https:' ? openTls() : openHttp())
  transports.set(protocol, transport)
  return transport
}

const discardBody = (message: IncomingMessage, method: string): void => {
  // A HEAD response has a length but no body; without a length the end is unknown.
  const length = method === 'HEAD' ? 0 : Number(message.headers['content-length'] ?? Number.NaN)
  if (!(length <= SMALL)) {
    message.destroy()
    return
  }
  const timer = setTimeout(() => message.destroy(), DISCARD_MS)
  message.once('close', () => clearTimeout(timer))
  message.resume()
}

const readHead = async (message: IncomingMessage, most: number): Promise<Uint8Array> => {
  const timer = setTimeout(() => message.destroy(), DISCARD_MS)
  const chunks: Uint8Array[] = []
  let seen = 0
  try {
    for await (const chunk of message) {
      chunks.push(chunk)
      seen += chunk.length
      if (seen >= most) break
    }
  } catch {
    // The bytes before the error are returned.
  } finally {
    clearTimeout(timer)
  }
  return Buffer.concat(chunks).subarray(0, most)
}

/** Only a body with a known length can bypass the parser. */
const readBody = (message: IncomingMessage, bulk: PooledBody | undefined): AsyncIterable<LentChunk> => {
  const length = message.headers['content-length']
  return bulk === undefined || length === undefined ? message : bulk.read(message, Number(length))
}

const toResponse = (
  url: URL,
  method: string,
  message: IncomingMessage,
  bulk: PooledBody | undefined,
): HttpResponse => {
  // A consumer gets the error from the stream; an unread response may fail without one.
  message.on('error', () => {})
  return {
    status: message.statusCode ?? 0,
    url,
    header: (name) => {
      const value = message.headers[name]
      return Array.isArray(value) ? value.join(', ') : (value ?? null)
    },
    body: readBody(message, bulk),
    head: (most) => readHead(message, most),
    discard: () => discardBody(message, method),
  }
}

const bodySize = (body: Body | undefined): number =>
  body === undefined ? 0 : body instanceof Uint8Array ? body.length : body.size

/** Sends a body as it is read, and stops when the registry has already responded. */
const sendAll = async (
  request: ClientRequest,
  chunks: AsyncIterable<Uint8Array>,
  answered: Promise<unknown>,
): Promise<void> => {
  let over = false
  const ended = answered
    .catch(() => {})
    .then(() => {
      over = true
    })
  try {
    for await (const chunk of chunks) {
      if (!over && !request.write(chunk)) await Promise.race([once(request, 'drain').catch(() => {}), ended])
      if (!over) continue
      // A partial body was sent: the connection cannot be reused.
      request.shouldKeepAlive = false
      break
    }
    request.end()
  } catch (cause) {
    request.destroy()
    throw cause
  }
}

/**
 * Sends one request and returns the response head. `fetch` would cost twice the CPU time for every byte of a
 * packet.
 */
export const sendRequest = async (
  url: URL,
  { method, headers, body, lookup, bulk: large }: WireRequest,
  signal: AbortSignal,
): Promise<HttpResponse> => {
  const { open, agent, unpooled } = transportFor(url)
  signal.throwIfAborted()
  const length = method === 'GET' || method === 'HEAD' ? {} : { 'content-length': String(bodySize(body)) }
  const usual = { method, headers: { ...headers, ...length }, agent, signal, ...optional({ lookup }) }
  const bulk = large === true ? new PooledBody() : undefined
  const request = open(url, bulk === undefined ? usual : { ...usual, agent: unpooled, ...bulk.options })
  bulk?.attach(request)
  const answered = once(request, 'response').then(([message]) => toResponse(url, method, message, bulk))
  // The connection may fail after the response, when nothing awaits it any more.
  request.on('error', () => {})
  answered.catch(() => {})
  if (body === undefined || body instanceof Uint8Array) request.end(body)
  else await sendAll(request, body.read(), answered)
  return answered
}
