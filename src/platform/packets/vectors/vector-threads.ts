import type { Clock } from '../../../kernel/ports.ts'
import type { SearchHit } from '../../../packets/search/exact-search.ts'
import { WorkerPool } from '../../system/worker-pool.ts'
import type { OpenVectors } from './vector-file.ts'
import { SEARCH_MS } from './vector-jobs.ts'

/** The first opening quantizes every float of the index. */
const OPEN_MS = 600_000

/** Searches large indexes in a worker thread, so that other calls do not wait. */
export class VectorThread {
  /** Only a search has hits. */
  readonly #threads: WorkerPool<undefined, readonly SearchHit[] | undefined>

  constructor(program: URL, clock: Clock) {
    this.#threads = new WorkerPool({ program, setup: undefined, clock, maxThreads: 1 })
  }

  readonly open: OpenVectors = async (files, expected) => {
    const run = (name: string, more: object, ms: number, signal = new AbortController().signal) =>
      this.#threads.run(name, { files, expected, ...more }, { ms, signal })
    await run('open', {}, OPEN_MS)
    return {
      ...expected,
      search: async (query, k, signal) => (await run('search', { query, k }, SEARCH_MS, signal)) ?? [],
      close: () => void run('close', {}, SEARCH_MS).catch(() => {}),
    }
  }

  close(): Promise<boolean> {
    return this.#threads.close()
  }
}
