import type { ChildProcessByStdio } from 'node:child_process'
import { createHash } from 'node:crypto'
import { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { type FileReading, MAX_FILE_BYTES } from '../../gate/ports.ts'
import { waitForDrain } from '../../kernel/async/stream-drain.ts'
import { unlessFailed } from '../../kernel/async/unless-failed.ts'
import { childProcess } from '../programs/process-groups.ts'
import { type GitPlace, gitFaults, gitOptions, requirePipes, SAFE_CONFIG } from './run.ts'

interface BlobRequest {
  readonly path: string
  readonly oid: string
}

const NEWLINE = 10
/** How long git may send nothing before it is killed. */
const STALL_MS = 30_000

/** Reads lines and byte counts from a stream of chunks. */
class OutputReader {
  readonly #chunks: AsyncIterator<Buffer>
  readonly #onStall: () => void
  #buffered: Buffer = Buffer.alloc(0)

  /** `onStall` is called when no chunk arrives for STALL_MS. */
  constructor(stream: AsyncIterable<Buffer>, onStall: () => void) {
    this.#chunks = stream[Symbol.asyncIterator]()
    this.#onStall = onStall
  }

  // The timer runs only while we wait for git: a slow consumer must not count as a stall.
  async #nextChunk(): Promise<Buffer> {
    const watchdog = setTimeout(this.#onStall, STALL_MS)
    try {
      const { done, value } = await this.#chunks.next()
      if (done) throw gitFaults.failed('git cat-file exited before it had sent all objects')
      return value
    } finally {
      clearTimeout(watchdog)
    }
  }

  async line(): Promise<string> {
    for (;;) {
      const at = this.#buffered.indexOf(NEWLINE)
      if (at >= 0) {
        const line = this.#buffered.toString('utf8', 0, at)
        this.#buffered = this.#buffered.subarray(at + 1)
        return line
      }
      this.#buffered = Buffer.concat([this.#buffered, await this.#nextChunk()])
    }
  }

  /** Consumes `size` bytes and returns the first `most` of them. */
  async bytes(size: number, most: number): Promise<Buffer> {
    const kept = Buffer.allocUnsafe(Math.min(size, most))
    let taken = 0
    while (taken < size) {
      if (this.#buffered.length === 0) this.#buffered = await this.#nextChunk()
      const part = this.#buffered.subarray(0, size - taken)
      if (taken < kept.length) part.copy(kept, taken)
      taken += part.length
      this.#buffered = this.#buffered.subarray(part.length)
    }
    return kept
  }
}

/** A running `git cat-file --batch`. */
interface CatFile {
  readonly child: ChildProcessByStdio<Writable, Readable, null>
  readonly output: OutputReader
  /** Rejects when the process cannot be started. */
  readonly startFailure: Promise<never>
}

const startCatFile = (place: GitPlace): CatFile => {
  const stdio: ['pipe', 'pipe', 'ignore'] = ['pipe', 'pipe', 'ignore']
  const options = { ...gitOptions(place), stdio }
  const child = requirePipes(childProcess().spawn('git', [...SAFE_CONFIG, 'cat-file', '--batch'], options))
  const startFailure = new Promise<never>((_, reject) => {
    child.on('error', (cause) => reject(gitFaults.absent('git cannot be started', { cause })))
  })
  startFailure.catch(() => {})
  child.stdin.on('error', () => {})
  return { child, output: new OutputReader(child.stdout, () => child.kill('SIGKILL')), startFailure }
}

/** Writes the names of objects with back-pressure. */
const sendRequests = async ({ child }: CatFile, names: readonly string[]): Promise<void> => {
  const { stdin } = child
  const PAGE = 1_000
  for (let at = 0; at < names.length && stdin.writable; at += PAGE) {
    const page = names.slice(at, at + PAGE).map((name) => `${name}\n`)
    if (!stdin.write(page.join(''))) await waitForDrain(stdin)
  }
}

export interface GitObject {
  readonly oid: string
  readonly kind: string
  readonly bytes: Buffer
}

/** The id that git gives an object with this content; 40 or 64 digits long. */
export const objectId = (kind: string, bytes: Uint8Array, length: number): string =>
  createHash(length === 64 ? 'sha256' : 'sha1')
    .update(`${kind} ${bytes.length}\0`)
    .update(bytes)
    .digest('hex')

/**
 * The next object; undefined when it does not exist, was never fetched, or was lost. Git does not compare content and
 * id when it reads: a file in `.git/objects` can hold other content than its name says, until the change has passed.
 */
const readObject = async ({ output }: CatFile, most: number): Promise<GitObject | undefined> => {
  const [, oid, kind, size] = /^([0-9a-f]+) (\w+) (\d+)$/.exec(await output.line()) ?? []
  if (oid === undefined || kind === undefined || size === undefined) return undefined
  const bytes = await output.bytes(Number(size), most)
  await output.bytes(1, 0)
  const isForged = bytes.length === Number(size) && objectId(kind, bytes, oid.length) !== oid
  return isForged ? undefined : { oid, kind, bytes }
}

/** A promise that rejects when the signal aborts; `done` removes the listener. */
const rejectOnAbort = (signal: AbortSignal) => {
  let stop = () => {}
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(signal.reason)
  })
  aborted.catch(() => {})
  signal.addEventListener('abort', stop)
  return { aborted, done: () => signal.removeEventListener('abort', stop) }
}

const hasExited = ({ child }: CatFile): boolean => child.exitCode !== null || child.signalCode !== null

/** How long an idle process is kept for the next call. */
const IDLE_MS = 1_000

/** Whether the child keeps our process alive; an idle one must not. */
const keepProcessAlive = ({ child }: CatFile, alive: boolean): void => {
  const pipes = [child.stdin, child.stdout].filter((pipe) => pipe instanceof Socket)
  for (const handle of [child, ...pipes]) alive ? handle.ref() : handle.unref()
}

/**
 * Reads blobs from a `git cat-file --batch` that is kept for the next call, because starting a process costs more than
 * most reads.
 */
export class GitBlobReader {
  #idle: { readonly catFile: CatFile; readonly timer: NodeJS.Timeout } | undefined

  /** Starts the process before the first read. */
  prepare(place: GitPlace): void {
    if (this.#idle === undefined) this.#release(startCatFile(place))
  }

  /** Blobs by hash. Other objects are left out. */
  async *read(
    place: GitPlace,
    requests: readonly BlobRequest[],
    signal: AbortSignal,
  ): AsyncGenerator<FileReading> {
    let at = 0
    const oids = requests.map(({ oid }) => oid)
    for await (const object of this.objects(place, oids, signal)) {
      const path = requests[at++]?.path ?? ''
      if (object === undefined) yield { path, bytes: undefined }
      else if (object.kind === 'blob') yield { path, bytes: object.bytes }
    }
  }

  /** Objects by name, in this order, each at most its first `most` bytes. A name must not contain a line break. */
  async *objects(
    place: GitPlace,
    names: readonly string[],
    signal: AbortSignal,
    most = MAX_FILE_BYTES,
  ): AsyncGenerator<GitObject | undefined> {
    if (names.length === 0) return
    signal.throwIfAborted()
    const catFile = this.#acquire(place)
    const { aborted, done } = rejectOnAbort(signal)
    let complete = false
    sendRequests(catFile, names).catch(() => {})
    const wait = unlessFailed(Promise.race([catFile.startFailure, aborted]))
    try {
      for (const _ of names) yield await wait(readObject(catFile, most))
      complete = true
    } finally {
      done()
      if (complete) this.#release(catFile)
      else catFile.child.kill()
    }
  }

  #acquire(place: GitPlace): CatFile {
    if (this.#idle === undefined) return startCatFile(place)
    const { catFile, timer } = this.#idle
    this.#idle = undefined
    clearTimeout(timer)
    if (hasExited(catFile)) return startCatFile(place)
    keepProcessAlive(catFile, true)
    return catFile
  }

  #release(catFile: CatFile): void {
    if (this.#idle !== undefined || hasExited(catFile)) {
      catFile.child.kill()
      return
    }
    keepProcessAlive(catFile, false)
    const stop = () => {
      this.#idle = undefined
      catFile.child.kill()
    }
    this.#idle = { catFile, timer: setTimeout(stop, IDLE_MS).unref() }
  }
}
