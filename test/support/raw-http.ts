import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { AUTHORIZED, WAIT_MS } from './binary.ts'

export interface RawAnswer {
  readonly status: number
  /** Lower-case names; the values of a repeated header joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

interface Cut {
  readonly answer: RawAnswer
  readonly end: number
}

const readChunks = (
  bytes: Buffer,
  from: number,
): { readonly body: Buffer; readonly end: number } | undefined => {
  const parts: Buffer[] = []
  for (let at = from; ; ) {
    const line = bytes.indexOf('\r\n', at)
    if (line === -1) return undefined
    const size = Number.parseInt(bytes.toString('latin1', at, line), 16)
    const end = line + 2 + size + 2
    if (bytes.length < end) return undefined
    if (size === 0) return { body: Buffer.concat(parts), end }
    parts.push(bytes.subarray(line + 2, end - 2))
    at = end
  }
}

const cutAnswer = (bytes: Buffer, from: number, closed: boolean): Cut | undefined => {
  const head = bytes.indexOf('\r\n\r\n', from)
  if (head === -1) return undefined
  const [first = '', ...lines] = bytes.toString('latin1', from, head).split('\r\n')
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const name = line.slice(0, line.indexOf(':')).toLowerCase()
    const value = line.slice(line.indexOf(':') + 1).trim()
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  const status = Number(first.split(' ')[1])
  const start = head + 4
  const answer = (body: Buffer): RawAnswer => ({ status, headers, body: body.toString('utf8') })
  if (headers['transfer-encoding'] === 'chunked') {
    const chunks = readChunks(bytes, start)
    return chunks && { answer: answer(chunks.body), end: chunks.end }
  }
  // An interim answer has no body; the final one follows it.
  if (status < 200) return { answer: answer(Buffer.alloc(0)), end: start }
  const length = headers['content-length']
  if (length === undefined && !closed) return undefined
  const end = length === undefined ? bytes.length : start + Number(length)
  return bytes.length < end ? undefined : { answer: answer(bytes.subarray(start, end)), end }
}

/** Every complete answer in what a server sent. */
const cutAnswers = (bytes: Buffer, closed: boolean): readonly RawAnswer[] => {
  const answers: RawAnswer[] = []
  for (let from = 0; from < bytes.length; ) {
    const cut = cutAnswer(bytes, from, closed)
    if (cut === undefined) break
    answers.push(cut.answer)
    from = cut.end
  }
  return answers
}

/** One TCP connection of which every byte is ours. */
export class RawClient {
  readonly socket: Socket
  #received: Buffer[] = []
  #closed = false
  #wake: (() => void)[] = []
  #failure: string | undefined

  constructor(port: number, host = '127.0.0.1') {
    this.socket = connect({ port, host, allowHalfOpen: true })
    const tell = () => {
      for (const wake of this.#wake.splice(0)) wake()
    }
    this.socket.on('data', (part) => {
      this.#received.push(part)
      tell()
    })
    this.socket.on('error', (error: NodeJS.ErrnoException) => {
      this.#failure = error.code
    })
    for (const event of ['end', 'close'] as const) {
      this.socket.on(event, () => {
        this.#closed = true
        tell()
      })
    }
  }

  get closed(): boolean {
    return this.#closed
  }

  send(bytes: string | Uint8Array): void {
    this.socket.write(bytes)
  }

  /** Says that nothing more will come, and goes on reading. */
  hangUp(): void {
    this.socket.end()
  }

  destroy(): void {
    this.socket.destroy()
  }

  /** Resolves with `count` answers, or with fewer when the server closes before. */
  async answers(count = 1, ms = WAIT_MS): Promise<readonly RawAnswer[]> {
    const deadline = performance.now() + ms
    for (;;) {
      const answers = cutAnswers(Buffer.concat(this.#received), this.#closed)
      if (answers.length >= count || this.#closed) return answers
      const left = deadline - performance.now()
      if (left <= 0) throw new Error(`${answers.length} of ${count} answers after ${ms} ms`)
      await Promise.race([new Promise<void>((resolve) => this.#wake.push(resolve)), sleep(left)])
    }
  }

  async answer(ms = WAIT_MS): Promise<RawAnswer> {
    const [first] = await this.answers(1, ms)
    if (first === undefined) throw new Error(`closed without an answer (${this.#failure ?? 'no error'})`)
    return first
  }
}

/** Sends bytes on a connection of their own and returns the answer. */
export const exchange = async (port: number, bytes: string | Uint8Array, ms?: number): Promise<RawAnswer> => {
  const client = new RawClient(port)
  client.send(bytes)
  try {
    return await client.answer(ms)
  } finally {
    client.destroy()
  }
}

type HeaderLines = readonly (readonly [name: string, value: string])[]

/** The bytes of a request. Adds nothing but the length of the body. */
export const rawRequest = (
  method: string,
  path: string,
  headers: HeaderLines,
  body?: string | Uint8Array,
): Buffer => {
  const bytes = Buffer.from(body ?? '')
  const length: HeaderLines = body === undefined ? [] : [['Content-Length', String(bytes.length)]]
  const lines = [...headers, ...length].map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`, 'latin1'), bytes])
}

export const TOKEN_LINE = ['Authorization', AUTHORIZED.authorization] as const
/** From this machine, with the token. */
export const LOCAL: HeaderLines = [['Host', 'localhost'], TOKEN_LINE]
/** The same as text. */
export const LOCAL_TEXT = `Host: localhost\r\n${TOKEN_LINE.join(': ')}\r\n`
export const LEGACY_POST: HeaderLines = [
  ...LOCAL,
  ['Content-Type', 'application/json'],
  ['Accept', 'application/json, text/event-stream'],
]

/** The messages of an answer of the MCP endpoint, whether it came as JSON or as events. */
export const readBody = ({ headers, body }: RawAnswer): readonly unknown[] =>
  headers['content-type']?.startsWith('text/event-stream')
    ? [...body.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data ?? ''))
    : [JSON.parse(body)]
