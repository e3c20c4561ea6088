import { type ChildProcess, execFile, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { BINARY, cleanEnvironment, WAIT_MS, within } from '../support/binary.ts'
import { type Message, readMessage, request } from '../support/messages.ts'

const fileIn = (path: string): string => fileURLToPath(new URL(`../../dist/bin/${path}`, import.meta.url))

/** Outcome of a call, and when it was known. */
export type Outcome = { readonly at: number } & (
  | {
      readonly kind: 'answered'
      readonly value: Readonly<Record<string, unknown>>
      readonly content: readonly { readonly text: string }[]
    }
  | { readonly kind: 'refused'; readonly code: number; readonly word: unknown; readonly message: string }
  /** The server ended before it answered. */
  | { readonly kind: 'unknown' }
)

/** A write that may or may not have been done. Every other refusal means that it was not. */
export const isUnsettled = (outcome: Outcome): boolean =>
  outcome.kind === 'unknown' ||
  (outcome.kind === 'refused' && outcome.message === 'the connection was lost while the entries were added')

const outcomeOf = ({ result, error }: Message, at: number): Outcome => {
  if (error === undefined)
    return { kind: 'answered', value: result.structuredContent, content: result.content, at }
  const { code_string: word } = (error.data ?? {}) as { readonly code_string?: unknown }
  return { kind: 'refused', code: error.code, word, message: error.message, at }
}

export interface ServerPlan {
  /** Where its log is: a file, or an address. */
  readonly store: string
  readonly folder: string
  readonly args?: readonly string[]
}

const running = new Set<BeliefServer>()

/** For `afterAll`, before the folders go. */
export const endServers = async (): Promise<void> => {
  await Promise.all([...running].map((server) => server.kill()))
}

/** A belief server that tests kill, suspend and restart. */
export class BeliefServer {
  readonly child: ChildProcess & {
    readonly stdin: Writable
    readonly stdout: Readable
    readonly stderr: Readable
  }
  readonly #ended: Promise<number | null>
  readonly #waiting = new Map<number, (outcome: Outcome) => void>()
  #stderr = ''
  #nextId = 1

  constructor({ store, folder, args = [] }: ServerPlan) {
    const plain = Object.entries(cleanEnvironment()).filter(([name]) => !name.startsWith('SCG_'))
    const words = [fileIn('scg-mcp-server.js'), '--store', store, ...args]
    this.child = spawn(process.execPath, words, { cwd: folder, env: Object.fromEntries(plain) })
    running.add(this)
    this.child.stdin.on('error', () => {})
    let rest = ''
    this.child.stdout.setEncoding('utf8').on('data', (text: string) => {
      const at = performance.now()
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) this.#onMessage(readMessage(line), at)
    })
    this.child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text
    })
    this.#ended = new Promise((resolve) => {
      this.child.on('close', (code) => {
        running.delete(this)
        for (const tell of this.#waiting.values()) tell({ kind: 'unknown', at: performance.now() })
        this.#waiting.clear()
        resolve(code)
      })
    })
  }

  get stderr(): string {
    return this.#stderr
  }

  get hasEnded(): boolean {
    return !running.has(this)
  }

  #onMessage(message: Message, at: number): void {
    const id = Number(message.id)
    this.#waiting.get(id)?.(outcomeOf(message, at))
    this.#waiting.delete(id)
  }

  /** Calls a tool. Never throws: a missing answer is an outcome too. */
  call(name: string, args: object = {}, ms = WAIT_MS): Promise<Outcome> {
    const id = this.#nextId++
    const outcome = new Promise<Outcome>((resolve) => {
      if (this.hasEnded) resolve({ kind: 'unknown', at: performance.now() })
      else this.#waiting.set(id, resolve)
    })
    this.child.stdin.write(`${request(id, name, args)}\n`)
    return within(outcome, ms, `an answer to ${name} (${this.#stderr.slice(-500)})`)
  }

  /** The result of a tool call, which must succeed. */
  async must(name: string, args: object = {}): Promise<Readonly<Record<string, unknown>>> {
    const outcome = await this.call(name, args)
    if (outcome.kind === 'answered') return outcome.value
    throw new Error(`${name} was not answered: ${JSON.stringify(outcome)} ${this.#stderr.slice(-2_000)}`)
  }

  /** The content blocks of an answer. */
  async content(name: string, args: object = {}): Promise<readonly { readonly text: string }[]> {
    const outcome = await this.call(name, args)
    if (outcome.kind === 'answered') return outcome.content
    throw new Error(`${name} was not answered: ${JSON.stringify(outcome)}`)
  }

  /** Kills the process. Resolves once all its output was read. */
  async kill(): Promise<void> {
    this.child.kill('SIGKILL')
    await this.#ended
  }

  pause(): void {
    this.child.kill('SIGSTOP')
  }

  resume(): void {
    this.child.kill('SIGCONT')
  }

  /** Closes stdin and waits for a regular exit. */
  async finish(): Promise<number | null> {
    this.child.stdin.end()
    return await within(this.#ended, WAIT_MS, 'the end of the server')
  }
}

export interface Report {
  readonly code: number
  // biome-ignore lint/suspicious/noExplicitAny: tests look into reports of every shape
  readonly value: any
  readonly stderr: string
}

const runProgram = (file: string, args: readonly string[], folder: string): Promise<Report> =>
  new Promise((resolve, reject) => {
    const options = { cwd: folder, env: cleanEnvironment(), timeout: WAIT_MS, maxBuffer: 2 ** 30 }
    execFile(process.execPath, [file, ...args], options, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code
      if (typeof code !== 'number') return reject(new Error(`${args.join(' ')} was ended: ${stderr}`))
      resolve({ code, stderr, value: stdout === '' ? undefined : JSON.parse(stdout) })
    })
  })

/** Runs an operator's command on a store. */
/** The log of a graph is meant, not that of decisions. */
const namedGraph = (words: readonly string[]): readonly string[] =>
  words[0] === 'log' && words[1] !== 'graph' && !words.includes('--graph') ? ['--graph', 'default'] : []

export const runWarrant = ({ store, folder }: ServerPlan, words: readonly string[]): Promise<Report> =>
  runProgram(BINARY, [...words, '--store', store, '--json', ...namedGraph(words)], folder)

/** Runs the verifier that stands alone. */
export const runVerifier = (folder: string, words: readonly string[]): Promise<Report> =>
  runProgram(fileIn('lineage-verify.js'), words, folder)
