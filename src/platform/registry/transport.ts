import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http'
import type { LookupFunction } from 'node:net'
import type { LentChunk } from '../../packets/registry.ts'
import { PooledBody } from './pooled-body.ts'

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
const openTls = async () => {
  const { Agent: TlsAgent, request: open } = await import('./tls.ts')
  return { open, agent: new TlsAgent(OPTIONS), unpooled: new TlsAgent() }
}
type Transport = ReturnType<typeof openHttp> | Awaited<ReturnType<typeof openTls>>
/** Created with the first request of each protocol. */
const transports = new Map<string, Transport | Promise<Transport>>()

const transportFor = ({ protocol }: URL): Transport | Promise<Transport> => {
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
  const { open, agent, unpooled } = await transportFor(url)
  signal.throwIfAborted()
  const length = method === 'GET' || method === 'HEAD' ? {} : { 'content-length': String(bodySize(body)) }
  const usual = { method, headers: { ...headers, ...length }, agent, signal, ...(lookup && { lookup }) }
  const bulk = large === true ? new PooledBody() : undefined
  const request = open(url, bulk === undefined ? usual : { ...usual, agent: unpooled, ...bulk.options })
  bulk?.attach(request)
  const answered = once(request, 'response').then(([message]) =>
    toResponse(url, method, message as IncomingMessage, bulk),
  )
  // The connection may fail after the response, when nothing awaits it any more.
  request.on('error', () => {})
  answered.catch(() => {})
  if (body === undefined || body instanceof Uint8Array) request.end(body)
  else await sendAll(request, body.read(), answered)
  return answered
}
