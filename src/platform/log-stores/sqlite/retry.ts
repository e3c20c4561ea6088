import type { MaybePromise } from '../../../lineage/store.ts'
import { systemClock } from '../../system/clock.ts'
import { isBusy, sqliteFault } from './faults.ts'

const RETRY_MS = 10_000
/** Short and constant: SQLite's own busy handler sleeps longer each time and starves against frequent writers. */
const RETRY_INTERVAL_MS = 4

const retryUntilDeadline = async <T>(attempt: () => T): Promise<T> => {
  const deadline = systemClock.elapsed() + RETRY_MS
  for (;;) {
    await new Promise<void>((resolve) => systemClock.after(1 + Math.random() * RETRY_INTERVAL_MS, resolve))
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error) || systemClock.elapsed() > deadline) throw sqliteFault(error)
    }
  }
}

/** Tries synchronously, then retries asynchronously while another process holds the lock. */
export const retryWhenBusy = <T>(attempt: () => T): MaybePromise<T> => {
  try {
    return attempt()
  } catch (error) {
    if (!isBusy(error)) throw sqliteFault(error)
    return retryUntilDeadline(attempt)
  }
}
