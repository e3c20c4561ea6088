export const AT_ONCE = 4

/** Runs `work` over items, a few at a time. The first failure ends the others too. */
export const inLanes = async <T>(
  items: readonly T[],
  work: (item: T, signal: AbortSignal) => Promise<void>,
): Promise<void> => {
  const queue = [...items]
  const stop = new AbortController()
  const lane = async (): Promise<void> => {
    for (let item = queue.shift(); item !== undefined && !stop.signal.aborted; item = queue.shift()) {
      await work(item, stop.signal).catch((cause: unknown) => stop.abort(cause))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, lane))
  if (stop.signal.aborted) throw stop.signal.reason
}
