import type { Clock } from '../../kernel/ports.ts'

// Not `performance`: the first use of that loads a dozen modules, and this is read at every start.
const elapsed = (): number => {
  const [seconds, nanoseconds] = process.hrtime()
  return seconds * 1e3 + nanoseconds / 1e6
}

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed,
  after(ms, then) {
    const timer = setTimeout(then, ms)
    return () => clearTimeout(timer)
  },
}
