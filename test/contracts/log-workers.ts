import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { WAIT_MS, within } from '../support/binary.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

export interface Acknowledged {
  readonly seq: number
  readonly text: string
}

/** One appending process and its output so far. */
export class LogWorker {
  readonly child: ChildProcess
  #stdout = ''
  #stderr = ''
  readonly #closed: Promise<unknown>

  constructor([command = '', ...args]: readonly string[]) {
    this.child = spawn(command, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    this.child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      this.#stdout += text
    })
    this.child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      this.#stderr += text
    })
    this.#closed = once(this.child, 'close')
  }

  get stderr(): string {
    return this.#stderr
  }

  /** Complete lines only: a kill may truncate the last one. */
  get lines(): readonly string[] {
    return this.#stdout.split('\n').slice(0, -1)
  }

  get acknowledged(): readonly Acknowledged[] {
    return this.lines.flatMap((line) => {
      const [, seq, text] = /^(\d+) (.+)$/.exec(line) ?? []
      return seq === undefined || text === undefined ? [] : [{ seq: Number(seq), text }]
    })
  }

  /** Resolves once the process has ended and all its output was read. */
  async ended(ms = WAIT_MS): Promise<void> {
    await within(this.#closed, ms, 'the end of a worker')
  }

  async kill(): Promise<void> {
    this.child.kill('SIGKILL')
    await this.ended()
  }
}

/** Builds the worker, so that plain Node can run it. */
export class LogWorkers {
  #folder: string | undefined
  readonly #started: LogWorker[] = []

  async build(): Promise<void> {
    this.#folder = await mkdtemp(join(ROOT, 'node_modules', '.log-worker-'))
    await build({
      entryPoints: [fileURLToPath(new URL('log-worker.ts', import.meta.url))],
      outfile: this.#script,
      bundle: true,
      platform: 'node',
      format: 'esm',
      packages: 'external',
      logLevel: 'warning',
    })
  }

  get #script(): string {
    if (this.#folder === undefined) throw new Error('the worker is not built')
    return join(this.#folder, 'worker.mjs')
  }

  start(file: string, label: string, count = Number.POSITIVE_INFINITY, pauseMs = 0): LogWorker {
    return this.startIn([], file, label, count, pauseMs)
  }

  /** Starts it through another program, which runs the words it is given last. */
  startIn(through: readonly string[], file: string, label: string, count: number, pauseMs = 0): LogWorker {
    const words = [...through, process.execPath, this.#script, file, label, String(count), String(pauseMs)]
    const worker = new LogWorker(words)
    this.#started.push(worker)
    return worker
  }

  async remove(): Promise<void> {
    for (const { child } of this.#started) child.kill('SIGKILL')
    if (this.#folder !== undefined) await rm(this.#folder, { recursive: true })
  }
}
