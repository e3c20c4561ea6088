import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Message, readMessage } from './messages.ts'

export const BINARY = fileURLToPath(new URL('../../dist/bin/warrant.js', import.meta.url))

// Node is slow to start when every core is busy; a test that waits this long has found a hang.
export const WAIT_MS = 20_000

export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly stdout: string
  readonly stderr: string
}

interface StartOptions {
  /** Words for node itself, before the program. */
  readonly node?: readonly string[]
  readonly cwd?: string
  /** Which of our programs; `warrant` when not said. */
  readonly binary?: string
  readonly env?: Readonly<Record<string, string>>
  /** Whom to run it as; only the superuser may choose. */
  readonly uid?: number
}

/** The settings of whoever runs the tests must not reach the program under test, nor that a build server runs them. */
export const cleanEnvironment = (extra: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => !/^(CI$|GITHUB_|(WARRANT|PUMUKI|SENTINEL|VITEST|NODE)_)/.test(name),
    ),
  ),
  ...extra,
})

const started = new Set<ChildProcess>()
const folders: string[] = []

/** A folder of its own, gone after the tests of the file. */
export const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'warrant-test-'))
  folders.push(folder)
  return folder
}

/** For `afterAll`: ends what a failed test left running. */
export const sweep = async (): Promise<void> => {
  for (const child of started) child.kill('SIGKILL')
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true })
}

/** Fails when `promise` takes longer than `ms`, and says what did not happen. */
export const within = async <T>(promise: Promise<T>, ms: number, what: string): Promise<T> => {
  const late = Symbol('late')
  const controller = new AbortController()
  const timer = sleep(ms, late, { signal: controller.signal }).catch(() => late)
  const first = await Promise.race([promise, timer])
  controller.abort()
  if (first === late) throw new Error(`${what} did not happen within ${ms} ms`)
  return first as T
}

/** One running program, its pipes and what it said so far. */
export class Program {
  readonly child: ChildProcess & {
    readonly stdin: Writable
    readonly stdout: Readable
    readonly stderr: Readable
  }
  readonly lines: string[] = []
  readonly #ended: Promise<Ending>
  #stderr = ''
  #heard: (() => void)[] = []

  constructor(args: readonly string[], options: StartOptions = {}) {
    const { node = [], cwd = tmpdir(), env = {}, binary = 'warrant', uid } = options
    const program = join(dirname(BINARY), `${binary}.js`)
    this.child = spawn(process.execPath, [...node, program, ...args], {
      cwd,
      env: cleanEnvironment(env),
      ...(uid !== undefined && { uid }),
    })
    const { child } = this
    started.add(child)
    // A program that has ended cannot be written to; what it said before is what the test looks at.
    child.stdin.on('error', () => {})
    let stdout = ''
    let rest = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      stdout += text
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      this.lines.push(...lines)
      for (const wake of this.#heard.splice(0)) wake()
    })
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text
    })
    this.#ended = new Promise((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code, signal) => {
        started.delete(child)
        for (const wake of this.#heard.splice(0)) wake()
        resolve({ code, signal, stdout, stderr: this.#stderr })
      })
    })
  }

  get pid(): number {
    if (this.child.pid === undefined) throw new Error('the program did not start')
    return this.child.pid
  }

  get stderr(): string {
    return this.#stderr
  }

  /** Sends each line with its newline. */
  send(...lines: readonly string[]): void {
    this.child.stdin.write(lines.map((line) => `${line}\n`).join(''))
  }

  /** Sends bytes, and resolves once the pipe has taken them. */
  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => this.child.stdin.write(bytes, () => resolve()))
  }

  /** Resolves with the first `count` lines of stdout. */
  async heard(count: number, ms = WAIT_MS): Promise<readonly string[]> {
    const enough = async () => {
      while (this.lines.length < count) {
        if (this.child.exitCode !== null || this.child.signalCode !== null) {
          throw new Error(`ended after ${this.lines.length} of ${count} lines: ${this.#stderr}`)
        }
        await new Promise<void>((resolve) => this.#heard.push(resolve))
      }
    }
    await within(enough(), ms, `line ${count} of stdout`)
    return this.lines.slice(0, count)
  }

  /** Resolves with the first `count` messages on stdout, each checked. */
  async answers(count: number, ms = WAIT_MS): Promise<readonly Message[]> {
    return (await this.heard(count, ms)).map(readMessage)
  }

  /** Hangs up, unless told not to, and waits for the end. */
  finish(ms = WAIT_MS): Promise<Ending> {
    this.child.stdin.end()
    return this.ended(ms)
  }

  ended(ms = WAIT_MS): Promise<Ending> {
    return within(this.#ended, ms, 'the end of the program')
  }
}

/** Sends lines to `warrant mcp`, hangs up, and returns every message it answered. */
export const converse = async (
  lines: readonly string[],
  args: readonly string[] = [],
): Promise<Ending & { readonly messages: readonly Message[] }> => {
  const program = new Program(['mcp', ...args])
  program.send(...lines)
  const ending = await program.finish()
  return { ...ending, messages: program.lines.map(readMessage) }
}

/** The token of every `warrant serve` that a test starts without naming another. */
export const SERVE_TOKEN = 'the-token-of-the-tests-0123456789'
export const AUTHORIZED = { authorization: `Bearer ${SERVE_TOKEN}` }

export interface HttpProgram extends Program {
  readonly url: string
  readonly port: number
  /** Asks with the token. */
  readonly fetch: (path: string, init?: RequestInit) => Promise<Response>
}

/** Starts `warrant serve`, or another server, on a free port and waits until it listens. */
export const startHttp = async (
  args: readonly string[] = [],
  options: StartOptions = {},
): Promise<HttpProgram> => {
  const isServe = options.binary === undefined
  const env = { ...(isServe && { WARRANT_TOKEN: SERVE_TOKEN }), ...options.env }
  const program = new Program([...(isServe ? ['serve'] : []), '--port', '0', '--json', ...args], {
    ...options,
    env,
  })
  const [banner = ''] = await program.heard(1)
  const { url } = JSON.parse(banner) as { url: string }
  const ask: HttpProgram['fetch'] = (path, init) =>
    fetch(url + path, { ...init, headers: { ...AUTHORIZED, ...init?.headers } })
  return Object.assign(program, { url, port: Number(new URL(url).port), fetch: ask })
}

/** Waits until `happened` says yes. */
export const eventually = async (
  what: string,
  happened: () => boolean | Promise<boolean>,
  ms = WAIT_MS,
): Promise<void> => {
  const deadline = performance.now() + ms
  while (!(await happened())) {
    if (performance.now() > deadline) throw new Error(`${what} did not happen within ${ms} ms`)
    await sleep(20)
  }
}
