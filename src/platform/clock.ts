import { performance } from 'node:perf_hooks'
import type { Clock } from '../kernel/ports.ts'

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after(ms, then) {
    const timer = setTimeout(then, ms)
    return () => clearTimeout(timer)
  },
}
