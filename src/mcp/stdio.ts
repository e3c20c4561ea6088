import { isAscii, isUtf8 } from 'node:buffer'
import type { Readable, Writable } from 'node:stream'
import { Connection, type ConnectionOptions } from './connection.ts'
import type { LazyServer } from './handshake.ts'

const NEWLINE = 10
const RETURN = 13

interface LineSink {
  line(text: string): void
  /** A line over the limit. Its bytes are discarded; reading continues after the next newline. */
  oversize(): void
  /** A line that is not UTF-8, and so not JSON. */
  garbled(): void
}

/** Splits a byte stream into lines and buffers at most `limit` bytes of an unfinished line. */
export class LineReader {
  readonly #limit: number
  readonly #sink: LineSink
  #parts: Buffer[] = []
  #size = 0
  #skipping = false

  constructor(limit: number, sink: LineSink) {
    this.#limit = limit
    this.#sink = sink
  }

  push(chunk: Buffer): void {
    const from = this.#size === 0 && !this.#skipping ? 0 : chunk.indexOf(NEWLINE) + 1
    if (from > 0) this.#cut(chunk.subarray(0, from))
    const rest = from > 0 ? chunk.subarray(from) : chunk
    if (this.#size === 0 && !this.#skipping && isAscii(rest)) this.#cutAscii(rest)
    else this.#cut(rest)
  }

  /** ASCII lines: decoded as one string and sliced, which is cheaper than decoding each line. */
  #cutAscii(chunk: Buffer): void {
    const text = chunk.toString('latin1')
    let from = 0
    for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', from)) {
      const end = at > from && text.charCodeAt(at - 1) === RETURN ? at - 1 : at
      if (at - from > this.#limit) this.#sink.oversize()
      else this.#sink.line(text.slice(from, end))
      from = at + 1
    }
    if (from < chunk.length) this.#add(chunk.subarray(from))
  }

  #cut(chunk: Buffer): void {
    let from = 0
    for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, from)) {
      this.#add(chunk.subarray(from, at))
      this.#finish()
      from = at + 1
    }
    if (from < chunk.length) this.#add(chunk.subarray(from))
  }

  /** The last line may lack its newline. */
  end(): void {
    if (this.#size > 0) this.#finish()
  }

  #add(part: Buffer): void {
    if (this.#skipping) return
    this.#size += part.length
    if (this.#size > this.#limit) {
      this.#skipping = true
      this.#parts = []
      this.#sink.oversize()
    } else if (part.length > 0) {
      this.#parts.push(part)
    }
  }

  #finish(): void {
    const parts = this.#parts
    const skipped = this.#skipping
    this.#parts = []
    this.#size = 0
    this.#skipping = false
    if (skipped) return
    const [first, second] = parts
    let bytes = first !== undefined && second === undefined ? first : Buffer.concat(parts)
    if (bytes.at(-1) === RETURN) bytes = bytes.subarray(0, -1)
    if (isUtf8(bytes)) this.#sink.line(bytes.toString('utf8'))
    else this.#sink.garbled()
  }
}

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
