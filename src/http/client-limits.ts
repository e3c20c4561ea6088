import type { Socket } from 'node:net'

/** How many connections and how many bytes of unfinished bodies a server keeps. */
export interface ClientLimits {
  readonly connections: number
  readonly bodyBytes: number
}

const DEFAULTS: ClientLimits = { connections: 2_048, bodyBytes: 48 * 1024 * 1024 }

/** The limits of a server whose largest body may have `bodyBytes`: four of these fit at any rate. */
export const clientLimits = (bodyBytes: number): ClientLimits => ({
  ...DEFAULTS,
  bodyBytes: Math.max(DEFAULTS.bodyBytes, 4 * bodyBytes),
})

/** Above this share of a limit, connections that wait are closed at intervals; at the limit, at once. */
const SWEEP_SHARE = { connections: 1 / 2, bytes: 3 / 4 }
const SWEEP_MS = 100

const BUSY =
  'HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'

interface Connection {
  readonly socket: Socket
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

const firstOf = <T>(items: Iterable<T>): T | undefined => items[Symbol.iterator]().next().value

/**
 * Limits connections and unfinished bodies. Above a limit, the connection that has waited longest is closed: clients
 * that finish their requests are served, however many others do not.
 */
export class ClientTable {
  readonly #limits: ClientLimits
  readonly #onClose: () => void
  readonly #connections = new Map<Socket, Connection>()
  /** Connections on which no request runs, the one that has waited longest first. */
  readonly #waiting = new Set<Connection>()
  /** Connections with an unfinished body, the oldest body first. */
  readonly #sending = new Set<Connection>()
  readonly #paused = new Map<Connection, PausedBody>()
  #bytes = 0
  #sweeping = false

  /** `onClose` is called for each connection that is closed because of a limit. */
  constructor(limits: ClientLimits, onClose: () => void) {
    this.#limits = limits
    this.#onClose = onClose
  }

  open(socket: Socket): void {
    const connection: Connection = { socket, running: 0, bytes: 0 }
    // None waits: requests that never end, such as streams of events, give way too.
    const oldest = firstOf(this.#waiting) ?? firstOf(this.#connections.values())
    this.#connections.set(socket, connection)
    socket.once('close', () => this.#forget(connection))
    if (this.#crowded(1)) this.#close(oldest ?? connection)
    this.#wait(connection)
    if (this.#crowded(SWEEP_SHARE.connections)) this.#planSweep()
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
    this.#bytes += bytes - connection.bytes
    connection.bytes = bytes
    if (bytes === 0) this.#sending.delete(connection)
    else this.#sending.add(connection)
    this.#closeBodies(1)
    const full = this.#full(SWEEP_SHARE.bytes)
    if (full) this.#planSweep()
    // The oldest body goes on, so that bodies arrive one after the other.
    return !full || firstOf(this.#sending) === connection
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
    const { running, socket } = connection
    this.#waiting.delete(connection)
    if (running === 0 && this.#connections.has(socket)) this.#waiting.add(connection)
  }

  /** Whether there are too many connections, for this share of the limit. */
  #crowded(share: number): boolean {
    return this.#connections.size > this.#limits.connections * share
  }

  /** Whether the unfinished bodies are too long, for this share of the limit. */
  #full(share: number): boolean {
    return this.#bytes > this.#limits.bodyBytes * share
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
    for (const oldest of this.#waiting) {
      if (!this.#crowded(SWEEP_SHARE.connections)) break
      this.#close(oldest)
    }
    this.#closeBodies(SWEEP_SHARE.bytes)
    this.#resumeBodies()
  }

  #closeBodies(share: number): void {
    for (const oldest of this.#sending) {
      if (!this.#full(share)) break
      this.#close(oldest)
    }
  }

  /** Resumes as many bodies as there is room for, and at least one; those that miss least first. */
  #resumeBodies(): void {
    let room = this.#limits.bodyBytes * SWEEP_SHARE.bytes - this.#bytes
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
    if (!this.#connections.delete(connection.socket)) return
    this.#waiting.delete(connection)
    this.#sending.delete(connection)
    this.#paused.delete(connection)
    this.#bytes -= connection.bytes
  }

  #close(connection: Connection): void {
    this.#forget(connection)
    this.#onClose()
    connection.socket.write(BUSY)
    connection.socket.destroySoon()
  }
}
