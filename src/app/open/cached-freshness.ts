import { cacheFor } from '../../kernel/async/cached.ts'
import type { Clock, Freshness, Repository } from '../../kernel/ports.ts'

const KEEP_MS = 1_000
/** How long a caller waits for git: the first one has no older answer to fall back on. */
const FIRST_WAIT_MS = 2_000
const WAIT_MS = 250

/**
 * The state of the repository, read from git at most once a second. When git takes longer than a caller waits, the
 * caller gets the previous answer, whose `at` says how old it is, or undefined before the first.
 */
export const cachedFreshness = (
  repository: Repository,
  clock: Clock,
): (() => Promise<Freshness | undefined>) => {
  let known: Freshness | undefined
  const refresh = cacheFor(clock, KEEP_MS, async () => {
    // A failure leaves the previous answer in place.
    known = await repository.freshness(new AbortController().signal).catch(() => known)
  })
  return async () => {
    const refreshing = refresh()
    if (refreshing === undefined) return known
    let stop = () => {}
    const timeout = new Promise<void>((resolve) => {
      stop = clock.after(known === undefined ? FIRST_WAIT_MS : WAIT_MS, resolve)
    })
    await Promise.race([refreshing, timeout])
    stop()
    return known
  }
}
