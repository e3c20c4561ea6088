import type { Clock, Freshness, Repository } from '../../kernel/ports.ts'

/** How long an answer of git is good enough, and how long a reader of files waits for a new one, or the first. */
const STEADY_MS = 1_000
const PATIENCE_MS = 250
const FIRST_MS = 2_000

/**
 * What the repository is at, asked of git at most once a second. In a repository so large that git takes its
 * time, the last answer is given meanwhile, and says when it was found; before the first there is none.
 */
export const cachedFreshness = (
  repository: Repository,
  clock: Clock,
): (() => Promise<Freshness | undefined>) => {
  let known: Freshness | undefined
  let until = Number.NEGATIVE_INFINITY
  let asking: Promise<void> | undefined

  const ask = async () => {
    try {
      known = await repository.freshness(new AbortController().signal)
    } finally {
      until = clock.elapsed() + STEADY_MS
      asking = undefined
    }
  }

  return async () => {
    if (clock.elapsed() < until) return known
    asking ??= ask().catch(() => {})
    let stop = () => {}
    const patience = new Promise<void>((resolve) => {
      stop = clock.after(known === undefined ? FIRST_MS : PATIENCE_MS, resolve)
    })
    await Promise.race([asking, patience])
    stop()
    return known
  }
}
