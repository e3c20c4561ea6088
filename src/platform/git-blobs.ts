import { type ChildProcess, spawn } from 'node:child_process'
import { type FileReading, MAX_FILE_BYTES } from '../gate/ports.ts'
import { type GitPlace, gitFaults, gitOptions, SAFE } from './git-run.ts'

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

/** Writes the names as fast as git takes them. */
const ask = async (child: ChildProcess, wanted: readonly Wanted[]): Promise<void> => {
  const { stdin } = child
  if (stdin === null) return
  stdin.on('error', () => {})
  const PAGE = 1_000
  for (let at = 0; at < wanted.length && stdin.writable; at += PAGE) {
    const page = wanted.slice(at, at + PAGE).map(({ oid }) => `${oid}\n`)
    if (stdin.write(page.join(''))) continue
    await new Promise<void>((resolve) => {
      stdin.once('drain', resolve)
      child.once('close', () => resolve())
    })
  }
  stdin.end()
}

/**
 * Contents of blobs, all through one child. They are asked for by their hash: whatever a file is called,
 * nothing in its name can be taken for another request.
 */
export async function* readBlobs(
  place: GitPlace,
  wanted: readonly Wanted[],
  signal: AbortSignal,
): AsyncGenerator<FileReading> {
  if (wanted.length === 0) return
  const child = spawn('git', [...SAFE, 'cat-file', '--batch'], {
    ...gitOptions(place),
    stdio: ['pipe', 'pipe', 'ignore'],
    signal,
  })
  const broken = new Promise<never>((_, reject) => {
    child.on('error', (cause) =>
      reject(signal.aborted ? signal.reason : gitFaults.absent('git cannot be started', { cause })),
    )
  })
  broken.catch(() => {})
  const asking = ask(child, wanted)
  asking.catch(() => {})
  try {
    const portions = new Portions(child.stdout, () => child.kill('SIGKILL'))
    for (const { path } of wanted) {
      const head = await Promise.race([portions.line(), broken])
      const [, kind, size] = /^\S+ (\w+) (\d+)$/.exec(head) ?? []
      // "<name> missing": an object that was never fetched, or was lost.
      if (size === undefined) {
        yield { path, bytes: undefined }
        continue
      }
      const bytes = await portions.bytes(Number(size), MAX_FILE_BYTES)
      await portions.bytes(1, 0)
      if (kind === 'blob') yield { path, bytes }
    }
  } finally {
    child.kill()
  }
}
