import type { Clock } from '../../kernel/ports.ts'

// Not `performance.now`: its first use loads a dozen modules, and start-up uses this clock.
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
