import { isAscii, isUtf8 } from 'node:buffer'

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
    let bytes = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
    if (bytes.at(-1) === RETURN) bytes = bytes.subarray(0, -1)
    if (isUtf8(bytes)) this.#sink.line(bytes.toString('utf8'))
    else this.#sink.garbled()
  }
}
