import type { Clock } from '../../../kernel/ports.ts'
import type { SearchHit } from '../../../packets/search/exact-search.ts'
import type { VectorIndex } from '../../../packets/search/vector-index.ts'
import type { ThreadJob } from '../../system/thread-state.ts'
import { WorkerPool } from '../../system/worker-pool.ts'
import { type OpenVectors, openVectors, type VectorFiles, type VectorShape } from './vector-file.ts'

/** The first opening quantizes every float of the index. */
const OPEN_MS = 600_000
const SEARCH_MS = 60_000

/** Every job names its index, so that a replaced thread can open it again. */
interface VectorJob {
  readonly files: VectorFiles
  readonly expected: VectorShape
}

interface SearchJob extends VectorJob {
  readonly query: Float32Array
  readonly k: number
}

/** The jobs of the worker thread. It keeps indexes open until `close`. */
export const vectorJobs = (clock: Clock) => {
  const indexes = new Map<string, Promise<VectorIndex>>()
  const indexOf = async ({ files, expected }: VectorJob): Promise<VectorIndex> => {
    const opening = indexes.get(files.index) ?? openVectors(files, expected, clock)
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

/** Searches large indexes in a worker thread, so that other calls do not wait. */
export class VectorThread {
  readonly #threads: WorkerPool<undefined>

  constructor(program: URL, clock: Clock) {
    this.#threads = new WorkerPool({ program, setup: undefined, clock, maxThreads: 1 })
  }

  readonly open: OpenVectors = async (files, expected) => {
    const run = (name: string, more: object, ms: number, signal = new AbortController().signal) =>
      this.#threads.run(name, { files, expected, ...more }, { ms, signal })
    await run('open', {}, OPEN_MS)
    return {
      ...expected,
      search: async (query, k, signal) =>
        // The worker returns what the job is declared to return.
        (await run('search', { query, k }, SEARCH_MS, signal)) as readonly SearchHit[],
      close: () => void run('close', {}, SEARCH_MS).catch(() => {}),
    }
  }

  close(): Promise<boolean> {
    return this.#threads.close()
  }
}
