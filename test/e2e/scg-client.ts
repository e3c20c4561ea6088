import { type ChildProcess, spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { expect } from 'vitest'
import { cleanEnvironment, type Ending, makeFolder, WAIT_MS, within } from '../support/binary.ts'
import { type Message, readMessage, request } from '../support/messages.ts'

export const SCG_BINARY = fileURLToPath(new URL('../../dist/bin/scg-mcp-server.js', import.meta.url))

/** Most tests need one process and no file. */
export const IN_MEMORY = ['--store', 'memory']

interface ServerOptions {
  readonly args?: readonly string[]
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Command that runs it, instead of the Node.js of the tests. */
  readonly launch?: readonly string[]
}

const running = new Set<ChildProcess>()

/** For `afterAll`, before the folders go. */
export const stopServers = (): void => {
  for (const child of running) child.kill('SIGKILL')
}

/** A client of one belief server over stdio. */
export class ScgServer {
  readonly child: ChildProcess & {
    readonly stdin: Writable
    readonly stdout: Readable
    readonly stderr: Readable
  }
  /** Every line it wrote, in order, each checked to be JSON-RPC. */
  readonly messages: Message[] = []
  readonly lines: string[] = []
  readonly #ended: Promise<Ending>
  readonly #waiting: { readonly count: number; readonly wake: () => void }[] = []
  readonly #answers = new Map<string | number, (message: Message) => void>()
  #stderr = ''
  #flaw: unknown
  #nextId = 1

  constructor({
    args = IN_MEMORY,
    cwd = tmpdir(),
    env = {},
    launch = [process.execPath],
  }: ServerOptions = {}) {
    const plain = Object.entries(cleanEnvironment()).filter(([name]) => !name.startsWith('SCG_'))
    const [command = '', ...words] = launch
    this.child = spawn(command, [...words, SCG_BINARY, ...args], {
      cwd,
      env: { ...Object.fromEntries(plain), ...env },
    })
    const { child } = this
    running.add(child)
    child.stdin.on('error', () => {})
    let rest = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.#onLine(line)
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text
    })
    this.#ended = new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code, signal) => {
        running.delete(child)
        const stdout = this.lines.map((line) => `${line}\n`).join('') + rest
        resolve({ code, signal, stdout, stderr: this.#stderr })
      })
    })
  }

  get stderr(): string {
    return this.#stderr
  }

  #onLine(line: string): void {
    this.lines.push(line)
    try {
      const message = readMessage(line)
      this.messages.push(message)
      if (message.id != null) this.#answers.get(message.id)?.(message)
    } catch (flaw) {
      this.#flaw ??= flaw
    }
    for (const { count, wake } of this.#waiting) if (this.lines.length >= count) wake()
  }

  send(...lines: readonly string[]): void {
    this.child.stdin.write(lines.map((line) => `${line}\n`).join(''))
  }

  /** Resolves with the first `count` messages. */
  async received(count: number): Promise<readonly Message[]> {
    const enough = new Promise<void>((wake) => {
      if (this.lines.length >= count) wake()
      else this.#waiting.push({ count, wake })
    })
    const early = this.#ended.then(({ stderr }) => {
      if (this.lines.length < count) throw new Error(`ended after ${this.lines.length} lines: ${stderr}`)
    })
    await within(Promise.race([enough, early]), WAIT_MS, `line ${count} of stdout`)
    if (this.#flaw !== undefined) throw this.#flaw
    return this.messages.slice(0, count)
  }

  /** Sends a request and waits for the answer with the same id. */
  ask(method: string, params?: object): Promise<Message> {
    const id = this.#nextId++
    return this.answerTo(id, request(id, method, params))
  }

  answerTo(id: string | number, line: string): Promise<Message> {
    const answer = new Promise<Message>((resolve) => this.#answers.set(id, resolve))
    this.send(line)
    const early = this.#ended.then(({ stderr }) => {
      throw new Error(`ended before it answered ${id}: ${stderr}`)
    })
    return within(Promise.race([answer, early]), WAIT_MS, `the answer to ${line.slice(0, 200)}`)
  }

  /** Sends the same request many times without waiting, and returns the last answer. */
  async flood(count: number, method: string, params?: object): Promise<Message> {
    const before = this.lines.length
    this.send(...Array.from({ length: count }, () => request(this.#nextId++, method, params)))
    return (await this.received(before + count)).at(-1) as Message
  }

  /** Calls a tool with `tools/call`. */
  call(name: string, args: object = {}): Promise<Message> {
    return this.ask('tools/call', { name, arguments: args })
  }

  /** The result of a tool call, which must not be an error. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
  async must(name: string, args: object = {}): Promise<any> {
    return stateOf(await this.call(name, args))
  }

  async finish(): Promise<Ending> {
    this.child.stdin.end()
    const ending = await within(this.#ended, WAIT_MS, 'the end of the server')
    if (this.#flaw !== undefined) throw this.#flaw
    return ending
  }
}

/** The structured result. It must agree with the text; the text of a replay is the list alone. */
// biome-ignore lint/suspicious/noExplicitAny: tests look into results of every shape
export const stateOf = ({ result, error }: Message): any => {
  expect(error).toBeUndefined()
  const { content, structuredContent, ...more } = result
  expect(more).toEqual({})
  // A graph in quarantine says so beside every answer.
  expect(content.slice(1)).toEqual(
    content.slice(1, 2).map(() => ({ type: 'text', text: expect.stringMatching(/^Quarantined: /) })),
  )
  const shown = structuredContent.entries ?? structuredContent
  expect(content[0]).toEqual({ type: 'text', text: JSON.stringify(shown, null, 2) })
  return structuredContent
}

/** The four error codes that a caller can cause, with their names. */
export const CODES = {
  1000: 'INTERNAL_ERROR',
  2000: 'BAD_REQUEST',
  3000: 'INVALID_TOOL',
  4000: 'NOT_FOUND',
  4004: 'NODE_NOT_FOUND',
  5000: 'INVARIANT_VIOLATION',
} as const

export const expectError = (message: Message, code: keyof typeof CODES): void => {
  expect(message.error).toEqual({
    code,
    message: expect.stringMatching(/\S/),
    data: { code_string: CODES[code] },
  })
}

/** The three forms of a call. Their answers may differ in the envelope only. */
export const WAYS: Readonly<
  Record<string, (server: ScgServer, name: string, args?: object) => Promise<Message>>
> = {
  'through tools/call': (server, name, args = {}) => server.call(name, args),
  'as a method of its own': (server, name, args = {}) => server.ask(name, args),
  'with underscores': (server, name, args = {}) => server.call(name.replaceAll('.', '_'), args),
  'as a method with underscores': (server, name, args = {}) => server.ask(name.replaceAll('.', '_'), args),
}

/** A server with a folder of its own and its log in a file there. */
export const serverWithFile = async (
  options: ServerOptions = {},
): Promise<{ server: ScgServer; folder: string }> => {
  const folder = options.cwd ?? (await makeFolder())
  return { server: new ScgServer({ args: [], ...options, cwd: folder }), folder }
}

export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

/** The largest well-formed id, which no node has. */
export const NEVER = '18446744073709551615'

/** Texts that are no valid id. */
export const NO_IDS = [
  '',
  'invalid',
  '-1',
  '+5',
  '1.5',
  ' 1',
  '1 ',
  '1_0',
  '0x1',
  '1e1',
  '١',
  '1\n',
  '1\0',
  '18446744073709551616',
  '9'.repeat(65),
  '../../../etc/passwd',
  "1'; DROP TABLE nodes; --",
  '{"node_id":"0"}',
  'esv\u200b_raw',
  'dаg_tоpоlоgy',
]
/** Values that are not strings. */
export const NO_TEXTS = [0, 1.5, null, true, [], ['0'], {}]
