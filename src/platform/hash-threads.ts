import { Worker } from 'node:worker_threads'
import { type Hasher, type HashRoom, hashHere } from '../packets/verify.ts'

/** Bytes of one of several files, or none when there are no more. */
export interface HashJob {
  readonly file: number
  readonly chunk?: Uint8Array
}

interface Waiting {
  readonly answer: (said: string) => void
  readonly fail: (cause: Error) => void
}

/** A piece of memory of which only a part is meant would travel whole. */
const toSend = (chunk: Uint8Array): Uint8Array =>
  chunk.buffer instanceof SharedArrayBuffer ? chunk : Uint8Array.from(chunk)

/**
 * One thread that hashes what comes while this one fetches and writes. It answers in the order it is asked. Where
 * it does not start, hashing is done here.
 */
export class HashThread implements HashRoom {
  readonly #worker: Worker
  readonly #waiting: Waiting[] = []
  readonly #up: Promise<boolean>
  #files = 0
  #ended: Error | undefined

  constructor(program: URL) {
    this.#worker = new Worker(program, { stdout: true, stderr: true })
    this.#worker.on('message', (said: string) => this.#waiting.shift()?.answer(said))
    this.#worker.on('error', (cause) => this.#end(cause))
    this.#worker.on('exit', () => this.#end(new Error('the thread that hashes ended')))
    // Its first word comes without being asked for.
    this.#up = this.#hear().then(
      () => true,
      () => false,
    )
  }

  start(): Hasher {
    this.#files += 1
    const file = this.#files
    const ask = (job: HashJob): Promise<string> => {
      const heard = this.#hear()
      heard.catch(() => {})
      this.#worker.postMessage(job)
      return heard
    }
    const there: Hasher = {
      update: (chunk) => ask({ file, chunk: toSend(chunk) }),
      digest: () => ask({ file }),
    }
    const where = this.#up.then((up) => (up ? there : hashHere()))
    return {
      update: async (chunk) => (await where).update(chunk),
      digest: async () => (await where).digest(),
    }
  }

  close(): void {
    void this.#worker.terminate()
  }

  #hear(): Promise<string> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended)
    return new Promise((answer, fail) => this.#waiting.push({ answer, fail }))
  }

  #end(cause: Error): void {
    this.#ended ??= cause
    for (const { fail } of this.#waiting.splice(0)) fail(this.#ended)
  }
}
