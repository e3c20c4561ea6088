import { type ChildProcessByStdio, spawn } from 'node:child_process'
import type { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { type FileReading, MAX_FILE_BYTES } from '../../gate/ports.ts'
import { waitForDrain } from '../../kernel/async/stream-drain.ts'
import { type GitPlace, gitFaults, gitOptions, SAFE_CONFIG } from './run.ts'

interface Wanted {
  readonly path: string
  readonly oid: string
}

const NEWLINE = 10
/** Longest silence of git before we give up on it. */
const MAX_SILENT_MS = 30_000

/** Takes the bytes of a stream in the portions its reader asks for. */
class Portions {
  readonly #chunks: AsyncIterator<Buffer>
  readonly #giveUp: () => void
  #rest: Buffer = Buffer.alloc(0)

  /** `giveUp` is called when nothing comes for too long. */
  constructor(stream: AsyncIterable<Buffer>, giveUp: () => void) {
    this.#chunks = stream[Symbol.asyncIterator]()
    this.#giveUp = giveUp
  }

  // The time runs only while we wait: a reader that takes its time is no fault of git's.
  async #more(): Promise<Buffer> {
    const watchdog = setTimeout(this.#giveUp, MAX_SILENT_MS)
    try {
      const { done, value } = await this.#chunks.next()
      if (done) throw gitFaults.failed('git cat-file ended early')
      return value
    } finally {
      clearTimeout(watchdog)
    }
  }

  async line(): Promise<string> {
    for (;;) {
      const at = this.#rest.indexOf(NEWLINE)
      if (at >= 0) {
        const line = this.#rest.toString('utf8', 0, at)
        this.#rest = this.#rest.subarray(at + 1)
        return line
      }
      this.#rest = Buffer.concat([this.#rest, await this.#more()])
    }
  }

  /** The next `size` bytes, of which no more than `most` are kept. */
  async bytes(size: number, most: number): Promise<Buffer> {
    const kept = Buffer.allocUnsafe(Math.min(size, most))
    let taken = 0
    while (taken < size) {
      if (this.#rest.length === 0) this.#rest = await this.#more()
      const part = this.#rest.subarray(0, size - taken)
      if (taken < kept.length) part.copy(kept, taken)
      taken += part.length
      this.#rest = this.#rest.subarray(part.length)
    }
    return kept
  }
}

/** A git that gives contents for as long as it is asked. */
interface Giver {
  readonly child: ChildProcessByStdio<Writable, Readable, null>
  readonly portions: Portions
  /** Rejected when it cannot be started. */
  readonly broken: Promise<never>
}

const startGiver = (place: GitPlace): Giver => {
  const stdio: ['pipe', 'pipe', 'ignore'] = ['pipe', 'pipe', 'ignore']
  const child = spawn('git', [...SAFE_CONFIG, 'cat-file', '--batch'], { ...gitOptions(place), stdio })
  const broken = new Promise<never>((_, reject) => {
    child.on('error', (cause) => reject(gitFaults.absent('git cannot be started', { cause })))
  })
  broken.catch(() => {})
  child.stdin.on('error', () => {})
  return { child, portions: new Portions(child.stdout, () => child.kill('SIGKILL')), broken }
}

/** Writes the names as fast as git takes them. */
const ask = async ({ child }: Giver, wanted: readonly Wanted[]): Promise<void> => {
  const { stdin } = child
  const PAGE = 1_000
  for (let at = 0; at < wanted.length && stdin.writable; at += PAGE) {
    const page = wanted.slice(at, at + PAGE).map(({ oid }) => `${oid}\n`)
    if (!stdin.write(page.join(''))) await waitForDrain(stdin)
  }
}

/** The next content; undefined when what it is of is no file. */
const take = async ({ portions }: Giver, path: string): Promise<FileReading | undefined> => {
  const [, kind, size] = /^\S+ (\w+) (\d+)$/.exec(await portions.line()) ?? []
  // "<name> missing": an object that was never fetched, or was lost.
  if (size === undefined) return { path, bytes: undefined }
  const bytes = await portions.bytes(Number(size), MAX_FILE_BYTES)
  await portions.bytes(1, 0)
  return kind === 'blob' ? { path, bytes } : undefined
}

/** Rejects when `signal` says stop, until `done` is called. */
const whenStopped = (signal: AbortSignal) => {
  let stop = () => {}
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
  })
  stopped.catch(() => {})
  signal.addEventListener('abort', stop)
  return { stopped, done: () => signal.removeEventListener('abort', stop) }
}

const isOver = ({ child }: Giver): boolean => child.exitCode !== null || child.signalCode !== null

/** How long a git that has nothing to do waits for the next question. */
const IDLE_MS = 1_000

/** What keeps the process alive: an idle git must not. */
const hold = ({ child }: Giver, held: boolean): void => {
  for (const one of [child, child.stdin as Socket, child.stdout as Socket]) held ? one.ref() : one.unref()
}

/**
 * Contents of blobs, one child after the other asked as long as it answers: starting a program costs more than most
 * answers. They are asked for by their hash: whatever a file is called, nothing in its name can be taken for
 * another request.
 */
export class GitBlobReader {
  #idle: { readonly giver: Giver; readonly timer: NodeJS.Timeout } | undefined

  /** Starts a child before the first question. */
  prepare(place: GitPlace): void {
    if (this.#idle === undefined) this.#rest(startGiver(place))
  }

  async *read(place: GitPlace, wanted: readonly Wanted[], signal: AbortSignal): AsyncGenerator<FileReading> {
    if (wanted.length === 0) return
    signal.throwIfAborted()
    const giver = this.#hire(place)
    const { stopped, done } = whenStopped(signal)
    let whole = false
    ask(giver, wanted).catch(() => {})
    try {
      for (const { path } of wanted) {
        const reading = await Promise.race([take(giver, path), giver.broken, stopped])
        if (reading !== undefined) yield reading
      }
      whole = true
    } finally {
      done()
      if (whole) this.#rest(giver)
      else giver.child.kill()
    }
  }

  #hire(place: GitPlace): Giver {
    if (this.#idle === undefined) return startGiver(place)
    const { giver, timer } = this.#idle
    this.#idle = undefined
    clearTimeout(timer)
    if (isOver(giver)) return startGiver(place)
    hold(giver, true)
    return giver
  }

  #rest(giver: Giver): void {
    if (this.#idle !== undefined || isOver(giver)) {
      giver.child.kill()
      return
    }
    hold(giver, false)
    const end = () => {
      this.#idle = undefined
      giver.child.kill()
    }
    this.#idle = { giver, timer: setTimeout(end, IDLE_MS).unref() }
  }
}
