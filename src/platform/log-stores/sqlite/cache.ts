import type { Head } from '../../../lineage/store.ts'
import type { Statement } from './database.ts'

/**
 * Cached heads and quarantine states of one connection. `PRAGMA data_version` tells cheaply whether another connection
 * has written since; while none has, nothing needs to be read again for every batch.
 */
export class HeadCache {
  readonly heads = new Map<number, Head>()
  readonly quarantines = new Map<number, string | null>()
  readonly #version: Statement
  #seen: unknown

  constructor(version: Statement) {
    this.#version = version
  }

  /** Clears the cache when another connection has written. */
  refresh(): this {
    const version = this.#version.get()?.data_version
    if (version !== this.#seen) {
      this.heads.clear()
      this.quarantines.clear()
    }
    this.#seen = version
    return this
  }
}

/** The cached value, or the result of `read`, which is then cached. */
export const readThrough = <T>(known: Map<number, T>, id: number, read: () => T): T => {
  const value = known.get(id)
  if (value !== undefined) return value
  const found = read()
  known.set(id, found)
  return found
}
