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
