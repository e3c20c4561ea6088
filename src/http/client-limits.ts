import type { Socket } from 'node:net'

/** The first half of an IPv6 address: one client can use every address below it. */
const networkOf = (address: string): string => {
  const [head = '', tail] = address.split('::')
  const groups = (text = '') => (text === '' ? [] : text.split(':'))
  const [before, after] = [groups(head), groups(tail)]
  const zeros = tail === undefined ? [] : Array<string>(8 - before.length - after.length).fill('0')
  return [...before, ...zeros, ...after].slice(0, 4).join(':')
}

/** What counts as one client: an IPv4 address, an IPv6 network, or this machine. */
export const clientKey = (address: string): string => {
  const plain = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (plain === '::1' || plain.startsWith('127.')) return 'loopback'
  return plain.includes(':') ? networkOf(plain) : plain
}

/** How many connections and how many bytes of unfinished bodies a server keeps. */
export interface ClientLimits {
  readonly connections: number
  readonly bodyBytes: number
}

const DEFAULTS: ClientLimits = { connections: 2_048, bodyBytes: 64 * 1024 * 1024 }

/** The limits of a server whose largest body may have `bodyBytes`: four of these fit at any rate. */
export const clientLimits = (bodyBytes: number): ClientLimits => ({
  ...DEFAULTS,
  bodyBytes: Math.max(DEFAULTS.bodyBytes, 4 * bodyBytes),
})

/** Above this share of a limit, connections that wait are closed at intervals; at the limit, at once. */
const SWEEP_SHARE = { connections: 1 / 2, bytes: 3 / 4 }
const SWEEP_MS = 100

/** One client gets at most this share of each limit; the rest is kept for the others. */
const CLIENT_SHARE = 3 / 4

const BUSY =
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'

interface Client {
  readonly connections: Set<Connection>
  /** Connections on which no request runs, the one that has waited longest first. */
  readonly waiting: Set<Connection>
  /** Connections with an unfinished body, the oldest body first. */
  readonly sending: Set<Connection>
  bytes: number
}

interface Connection {
  readonly socket: Socket
  readonly client: Client
  /** Requests that are complete and not answered. */
  running: number
  /** Bytes kept of the unfinished body. */
  bytes: number
}

/** A body that is not read because there is no room for it. */
export interface PausedBody {
  readonly missingBytes: number
  readonly resume: () => void
}

const firstOf = <T>(set: ReadonlySet<T>): T | undefined => set.values().next().value

/**
 * Limits connections and unfinished bodies, for each client and in all. Above a limit, the connection that has
 * waited longest is closed, of the client with the most: clients that finish their requests are served, however
 * many others do not.
 */
export class ClientTable {
  readonly #limits: ClientLimits
  readonly #onClose: () => void
  readonly #clients = new Map<string, Client>()
  readonly #connections = new Map<Socket, Connection>()
  readonly #paused = new Map<Connection, PausedBody>()
  #bytes = 0
  #sweeping = false

  /** `onClose` is called for each connection that is closed because of a limit. */
  constructor(limits: ClientLimits, onClose: () => void) {
    this.#limits = limits
    this.#onClose = onClose
  }

  open(socket: Socket): void {
    const key = clientKey(socket.remoteAddress ?? '')
    const client = this.#clients.get(key) ?? {
      connections: new Set(),
      waiting: new Set(),
      sending: new Set(),
      bytes: 0,
    }
    const connection: Connection = { socket, client, running: 0, bytes: 0 }
    this.#clients.set(key, client)
    this.#connections.set(socket, connection)
    client.connections.add(connection)
    socket.once('close', () => {
      this.#forget(connection)
      if (client.connections.size === 0) this.#clients.delete(key)
    })
    const crowded = this.#crowded(1)
    if (crowded !== undefined) {
      // None waits: requests that never end, such as streams of events, give way too.
      this.#close(firstOf(crowded.waiting) ?? firstOf(crowded.connections) ?? connection)
    }
    this.#wait(connection)
    if (this.#crowded(SWEEP_SHARE.connections) !== undefined) this.#planSweep()
  }

  /** The headers of a request have arrived: from now on the connection waits for its body. */
  beginRequest(socket: Socket): void {
    const connection = this.#connections.get(socket)
    if (connection !== undefined) this.#wait(connection)
  }

  /** A request is complete: the connection does not wait until the request has ended. */
  beginRun(socket: Socket): void {
    this.#run(socket, 1)
  }

  endRun(socket: Socket): void {
    this.#run(socket, -1)
  }

  /**
   * Sets how many bytes are kept of an unfinished body; none once it is complete. False when there is no room for
   * more: stop reading and call `pauseBody`.
   */
  keepBytes(socket: Socket, bytes: number): boolean {
    const connection = this.#connections.get(socket)
    if (connection === undefined) return true
    const { client } = connection
    this.#bytes += bytes - connection.bytes
    client.bytes += bytes - connection.bytes
    connection.bytes = bytes
    if (bytes === 0) client.sending.delete(connection)
    else client.sending.add(connection)
    for (let full = this.#full(1); full !== undefined; full = this.#full(1)) this.#closeBody(full)
    const full = this.#full(SWEEP_SHARE.bytes)
    if (full !== undefined) this.#planSweep()
    // The oldest body goes on, so that bodies of clients that only share an address arrive one after the other.
    return full !== client || firstOf(client.sending) === connection
  }

  pauseBody(socket: Socket, body: PausedBody): void {
    const connection = this.#connections.get(socket)
    if (connection === undefined) return
    this.#paused.set(connection, body)
    this.#planSweep()
  }

  #run(socket: Socket, change: number): void {
    const connection = this.#connections.get(socket)
    if (connection === undefined) return
    connection.running += change
    this.#wait(connection)
  }

  /** Moves a connection to the end of those that wait, or away from them while a request runs on it. */
  #wait(connection: Connection): void {
    const { client, running, socket } = connection
    client.waiting.delete(connection)
    if (running === 0 && this.#connections.has(socket)) client.waiting.add(connection)
  }

  /** The client that has too many connections, for this share of the limit. */
  #crowded(share: number): Client | undefined {
    const most = this.#limits.connections * share
    return this.#connections.size <= most * CLIENT_SHARE
      ? undefined
      : this.#largest(({ connections }) => connections.size, this.#connections.size, most)
  }

  /** The client whose unfinished bodies are too long, for this share of the limit. */
  #full(share: number): Client | undefined {
    const most = this.#limits.bodyBytes * share
    return this.#bytes <= most * CLIENT_SHARE
      ? undefined
      : this.#largest(({ bytes }) => bytes, this.#bytes, most)
  }

  /** The client with the most, when it has more than its share or all together have more than `most`. */
  #largest(size: (client: Client) => number, total: number, most: number): Client | undefined {
    let largest: Client | undefined
    for (const client of this.#clients.values()) {
      if (largest === undefined || size(client) > size(largest)) largest = client
    }
    if (largest === undefined) return undefined
    return total > most || size(largest) > most * CLIENT_SHARE ? largest : undefined
  }

  /** After some time, so that a client that has just connected is read before it is judged. */
  #planSweep(): void {
    if (this.#sweeping) return
    this.#sweeping = true
    const sweep = () => {
      this.#sweeping = false
      this.#sweep()
    }
    setTimeout(() => setImmediate(sweep), SWEEP_MS).unref()
  }

  #sweep(): void {
    for (;;) {
      const waiting = this.#crowded(SWEEP_SHARE.connections)?.waiting
      const oldest = waiting === undefined ? undefined : firstOf(waiting)
      if (oldest === undefined) break
      this.#close(oldest)
    }
    for (;;) {
      const full = this.#full(SWEEP_SHARE.bytes)
      if (full === undefined) break
      this.#closeBody(full)
    }
    this.#resumeBodies()
  }

  /** Resumes as many bodies as there is room for, and at least one; those that miss least first. */
  #resumeBodies(): void {
    let room = this.#limits.bodyBytes * SWEEP_SHARE.bytes * CLIENT_SHARE - this.#bytes
    const waiting = [...this.#paused].sort(([, a], [, b]) => a.missingBytes - b.missingBytes)
    for (const [connection, { missingBytes, resume }] of waiting) {
      this.#paused.delete(connection)
      resume()
      room -= missingBytes
      if (room <= 0) break
    }
    if (this.#paused.size > 0) this.#planSweep()
  }

  #forget(connection: Connection): void {
    const { socket, client } = connection
    if (!this.#connections.delete(socket)) return
    client.connections.delete(connection)
    client.waiting.delete(connection)
    client.sending.delete(connection)
    this.#paused.delete(connection)
    client.bytes -= connection.bytes
    this.#bytes -= connection.bytes
  }

  #closeBody({ sending }: Client): void {
    const oldest = firstOf(sending)
    if (oldest !== undefined) this.#close(oldest)
  }

  #close(connection: Connection): void {
    this.#forget(connection)
    this.#onClose()
    connection.socket.write(BUSY)
    connection.socket.destroySoon()
  }
}
