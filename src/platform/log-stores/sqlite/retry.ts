import type { MaybePromise } from '../../../lineage/store.ts'
import { systemClock } from '../../system/clock.ts'
import { isBusy, sqliteFault } from './faults.ts'

const RETRY_MS = 10_000
/** SQLite itself would sleep ever longer between looks, and lose to everybody who looks more often. */
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

/** Does it now, or later when another process is in the way; this one goes on with its work meanwhile. */
export const retryWhenBusy = <T>(attempt: () => T): MaybePromise<T> => {
  try {
    return attempt()
  } catch (error) {
    if (!isBusy(error)) throw sqliteFault(error)
    return retryUntilDeadline(attempt)
  }
}
