import type { Readable, Writable } from 'node:stream'
import { Connection, type ConnectionOptions } from './connection.ts'
import type { LazyServer } from './handshake.ts'
import { LineReader } from './lines.ts'

interface StdioServer {
  /** Why it ended: `end` when the client closed stdin, `broken` when stdout cannot be written. */
  readonly ended: Promise<'end' | 'broken'>
  /** Cancels running calls, ends the subscriptions and flushes the output. */
  stop(): Promise<void>
}

/** Collects responses and writes them once per event-loop turn: one system call instead of hundreds. */
class LineWriter {
  readonly #output: Writable
  #text = ''
  #scheduled = false
  #broken = false

  constructor(output: Writable) {
    this.#output = output
  }

  readonly write = (line: string): void => {
    this.#text += `${line}\n`
    if (this.#scheduled) return
    this.#scheduled = true
    setImmediate(() => this.flush())
  }

  /** False when the output stream is full (back-pressure). */
  flush(): boolean {
    this.#scheduled = false
    const text = this.#text
    if (text === '' || this.#broken) return true
    this.#text = ''
    return this.#output.write(text)
  }

  fail(): void {
    this.#broken = true
  }

  finished(): Promise<void> {
    this.flush()
    if (this.#broken || this.#output.writableLength === 0) return Promise.resolve()
    return new Promise((resolve) => this.#output.write('', () => resolve()))
  }
}

/** Serves one client over a pair of byte streams, one JSON-RPC message a line. */
export const serveLines = (
  host: LazyServer,
  input: Readable,
  output: Writable,
  options: ConnectionOptions = {},
): StdioServer => {
  const { limits, clock, log } = host.handshake
  const writer = new LineWriter(output)
  let hangUp = () => {}
  const connection = new Connection(host, writer.write, { ...options, hangUp: () => setImmediate(hangUp) })
  const reader = new LineReader(limits.lineBytes, {
    line: (text) => connection.receive(text),
    oversize: () => connection.reject('oversize'),
    garbled: () => connection.reject('parse'),
  })

  const waitForCalls = async (): Promise<void> => {
    let cancel = () => {}
    const timeout = new Promise<void>((resolve) => {
      cancel = clock.after(limits.drainMs, resolve)
    })
    await Promise.race([connection.settled(), timeout])
    cancel()
  }

  const stop = async (): Promise<void> => {
    input.pause()
    await connection.close()
    await writer.finished()
  }

  const ended = new Promise<'end' | 'broken'>((resolve) => {
    let over = false
    const finish = (how: 'end' | 'broken') => {
      if (over) return
      over = true
      if (how === 'broken') writer.fail()
      else reader.end()
      // A broken output needs no responses, so running calls are not waited for.
      void (how === 'broken' ? stop() : waitForCalls().then(stop)).then(() => resolve(how))
    }
    hangUp = () => {
      input.pause()
      finish('end')
    }
    input.on('data', (chunk: Buffer) => {
      reader.push(chunk)
      // Writes the responses of this chunk at once, and stops reading while the client does not read.
      if (!writer.flush()) {
        input.pause()
        output.once('drain', () => input.resume())
      }
    })
    input.on('end', () => finish('end'))
    input.on('close', () => finish('end'))
    input.on('error', (error) => {
      log.write('debug', 'input failed', { error: error.message })
      finish('end')
    })
    output.on('error', () => finish('broken'))
    output.on('close', () => finish('broken'))
  })

  return { ended, stop }
}
