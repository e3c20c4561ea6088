import type { Clock } from '../ports.ts'

/**
 * Loads a value at most once in `ms`; callers at the same time share one load. A value in the cache is returned
 * without a promise. Failures are not cached. The time counts from the end of a load.
 */
export function cacheFor<T>(clock: Clock, ms: number, load: () => Promise<T>): () => T | Promise<T>
export function cacheFor<T>(clock: Clock, ms: number, load: () => T): () => T
export function cacheFor<T>(clock: Clock, ms: number, load: () => T | Promise<T>): () => T | Promise<T> {
  let known: { readonly value: T; readonly until: number } | undefined
  let loading: Promise<T> | undefined
  const keep = (value: T): T => {
    known = { value, until: clock.elapsed() + ms }
    return value
  }
  return () => {
    if (known !== undefined && clock.elapsed() < known.until) return known.value
    if (loading !== undefined) return loading
    const loaded = load()
    if (!(loaded instanceof Promise)) return keep(loaded)
    loading = loaded.then(keep).finally(() => {
      loading = undefined
    })
    return loading
  }
}
