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
