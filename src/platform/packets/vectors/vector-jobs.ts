import type { Clock } from '../../../kernel/ports.ts'
import type { VectorIndex } from '../../../packets/search/vector-index.ts'
import type { ThreadJob } from '../../system/thread-state.ts'
import { openVectors, type VectorFiles, type VectorShape } from './vector-file.ts'

/** Time limit of a search. */
export const SEARCH_MS = 60_000

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
  return ({ name, args }: ThreadJob<SearchJob>): unknown => jobs[name]?.(args)
}
