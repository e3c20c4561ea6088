/**
 * Semaphore: at most `places` tasks run at a time, the others wait. Requests may start programs, and a client that
 * sends a thousand requests must not start a thousand programs.
 */
export const createLimiter = (places: number) => {
  const waiting: (() => void)[] = []
  let free = places
  const enter = async () => {
    if (free === 0) return new Promise<void>((go) => waiting.push(go))
    free -= 1
  }
  const leave = () => {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }
  return async <T>(work: () => Promise<T>): Promise<T> => {
    await enter()
    try {
      return await work()
    } finally {
      leave()
    }
  }
}

export const CONCURRENCY = 4

/** Runs `work` for each item, at most `CONCURRENCY` at a time. The first failure aborts the others. */
export const forEachConcurrent = async <T>(
  items: readonly T[],
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> => {
  const queue = [...items]
  const stop = new AbortController()
  const worker = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined && !stop.signal.aborted; item = queue.shift()) {
      await work(item, stop.signal).catch((cause: unknown) => stop.abort(cause))
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, worker))
  if (stop.signal.aborted) throw stop.signal.reason
}
