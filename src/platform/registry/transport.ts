import { once } from 'node:events'
import { Agent, type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http'
import type { LookupFunction } from 'node:net'
import type { LentChunk } from '../../packets/registry.ts'
import { PooledBody } from './pooled-body.ts'

/** Bytes that are read as they are sent, anew each time. */
export interface StreamBody {
  readonly size: number
  read(): AsyncIterable<Uint8Array>
}

/** Bytes to send: all at once, or as they are read. */
export type Body = Uint8Array | StreamBody

export interface WireRequest {
  /** How names become addresses, when not as usual. */
  readonly lookup?: LookupFunction
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: Body
  /** A large answer is expected, worth a connection of its own. */
  readonly bulk?: boolean
}

/** What came back. Its body is read once, or let go. */
export interface HttpResponse {
  readonly status: number
  readonly url: URL
  header(name: string): string | null
  readonly body: AsyncIterable<LentChunk>
  /** The first bytes of a body of which no more is wanted, as far as they come soon. */
  head(most: number): Promise<Uint8Array>
  /** Lets go of a body that nobody will read. */
  discard(): void
}

/** A body up to this size is read to its end for the sake of the connection, if it comes soon. */
const SMALL = 16 * 1024
const SOON_MS = 500

const OPTIONS = { keepAlive: true, maxFreeSockets: 8 }
const plainDoor = () => ({ open: plainRequest, agent: new Agent(OPTIONS), alone: new Agent() })
const tlsDoor = async () => {
  const { Agent: TlsAgent, request: open } = await import('./tls.ts')
  return { open, agent: new TlsAgent(OPTIONS), alone: new TlsAgent() }
}
type Door = ReturnType<typeof plainDoor> | Awaited<ReturnType<typeof tlsDoor>>
/** By protocol, from the first request on that takes it. */
const doors = new Map<string, Door | Promise<Door>>()

const doorTo = ({ protocol }: URL): Door | Promise<Door> => {
  const door = doors.get(protocol) ?? (protocol === 'https:' ? tlsDoor() : plainDoor())
  doors.set(protocol, door)
  return door
}

const discardBody = (message: IncomingMessage, method: string): void => {
  // A length without a body is the answer to HEAD; without a length there is no telling when it ends.
  const length = method === 'HEAD' ? 0 : Number(message.headers['content-length'] ?? Number.NaN)
  if (!(length <= SMALL)) {
    message.destroy()
    return
  }
  const late = setTimeout(() => message.destroy(), SOON_MS)
  message.once('close', () => clearTimeout(late))
  message.resume()
}

const readHead = async (message: IncomingMessage, most: number): Promise<Uint8Array> => {
  const late = setTimeout(() => message.destroy(), SOON_MS)
  const chunks: Uint8Array[] = []
  let seen = 0
  try {
    for await (const chunk of message) {
      chunks.push(chunk)
      seen += chunk.length
      if (seen >= most) break
    }
  } catch {
    // What came before the end is what there is.
  } finally {
    clearTimeout(late)
  }
  return Buffer.concat(chunks).subarray(0, most)
}

/** Only a body whose end is known by its length can be read past the parser. */
const bodyOf = (message: IncomingMessage, bulk: PooledBody | undefined): AsyncIterable<LentChunk> => {
  const length = message.headers['content-length']
  return bulk === undefined || length === undefined ? message : bulk.read(message, Number(length))
}

const answerOf = (
  url: URL,
  method: string,
  message: IncomingMessage,
  bulk: PooledBody | undefined,
): HttpResponse => {
  // Whoever reads hears of it; an answer that nobody reads may break off in peace.
  message.on('error', () => {})
  return {
    status: message.statusCode ?? 0,
    url,
    header: (name) => {
      const value = message.headers[name]
      return Array.isArray(value) ? value.join(', ') : (value ?? null)
    },
    body: bodyOf(message, bulk),
    head: (most) => readHead(message, most),
    discard: () => discardBody(message, method),
  }
}

const sizeOf = (body: Body | undefined): number =>
  body === undefined ? 0 : body instanceof Uint8Array ? body.length : body.size

/** Sends a body as it is read, and no further than the registry cares to listen. */
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
      // Half a body was sent: nothing else may follow it on this connection.
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
 * One request and the head of its answer. `fetch` would do, at twice the price for every byte of a packet: here
 * they come as the socket has them.
 */
export const sendRequest = async (
  url: URL,
  { method, headers, body, lookup, bulk: large }: WireRequest,
  signal: AbortSignal,
): Promise<HttpResponse> => {
  const { open, agent, alone } = await doorTo(url)
  signal.throwIfAborted()
  const length = method === 'GET' || method === 'HEAD' ? {} : { 'content-length': String(sizeOf(body)) }
  const usual = { method, headers: { ...headers, ...length }, agent, signal, ...(lookup && { lookup }) }
  const bulk = large === true ? new PooledBody() : undefined
  const request = open(url, bulk === undefined ? usual : { ...usual, agent: alone, ...bulk.options })
  bulk?.attach(request)
  const answered = once(request, 'response').then(([message]) =>
    answerOf(url, method, message as IncomingMessage, bulk),
  )
  // A line may break after the answer as well as before it, when nobody waits for it any more.
  request.on('error', () => {})
  answered.catch(() => {})
  if (body === undefined || body instanceof Uint8Array) request.end(body)
  else await sendAll(request, body.read(), answered)
  return answered
}
