import type { Clock } from '../../kernel/ports.ts'
import type { VectorHits, VectorIndex } from '../../packets/ask/retrieve.ts'
import { type ThreadJob, WorkerPool } from '../system/worker-pool.ts'
import {
  type OpenVectors,
  openVectors,
  type SearchOptions,
  type VectorFiles,
  type VectorShape,
} from './vector-file.ts'

/** A first opening reads every float of the index. */
const OPEN_MS = 600_000
const SEARCH_MS = 60_000

/** Every job names its index: a thread that had to be replaced opens it anew and nobody notices. */
interface VectorJob {
  readonly files: VectorFiles
  readonly expected: VectorShape
  readonly options: SearchOptions
}

interface SearchJob extends VectorJob {
  readonly query: Float32Array
  readonly k: number
}

/** What the thread does. It keeps the indexes it was asked about open until it is told otherwise. */
export const vectorJobs = (clock: Clock) => {
  const indexes = new Map<string, Promise<VectorIndex>>()
  const indexOf = async ({ files, expected, options }: VectorJob): Promise<VectorIndex> => {
    const opening = indexes.get(files.index) ?? openVectors(files, expected, clock, options)
    indexes.set(files.index, opening)
    try {
      return await opening
    } catch (cause) {
      indexes.delete(files.index)
      throw cause
    }
  }
  const jobs: Readonly<Record<string, (job: SearchJob) => Promise<unknown>>> = {
    open: async (job) => void (await indexOf(job)),
    search: async (job) => (await indexOf(job)).search(job.query, job.k, AbortSignal.timeout(SEARCH_MS)),
    close: async (job) => {
      const index = await indexes.get(job.files.index)
      indexes.delete(job.files.index)
      index?.close()
    },
  }
  return ({ name, args }: ThreadJob): unknown => jobs[name]?.(args as SearchJob)
}

/** Indexes in one thread of their own: what they take to open and to search nobody else waits for. */
export class VectorThread {
  readonly #threads: WorkerPool<undefined>

  readonly #options: SearchOptions

  constructor(program: URL, clock: Clock, options: SearchOptions = {}) {
    this.#options = options
    this.#threads = new WorkerPool({ program, setup: undefined, clock, maxThreads: 1 })
  }

  readonly open: OpenVectors = async (files, expected) => {
    const run = (name: string, more: object, ms: number, signal = new AbortController().signal) =>
      this.#threads.run(name, { files, expected, options: this.#options, ...more }, { ms, signal })
    await run('open', {}, OPEN_MS)
    return {
      ...expected,
      search: async (query, k, signal) =>
        // The thread is ours and answers with what it was asked for.
        (await run('search', { query, k }, SEARCH_MS, signal)) as VectorHits,
      close: () => void run('close', {}, SEARCH_MS).catch(() => {}),
    }
  }

  close(): Promise<boolean> {
    return this.#threads.close()
  }
}
