import type { Head } from '../../../lineage/store.ts'
import type { Statement } from './database.ts'

/**
 * What a connection last saw of its logs. SQLite says cheaply whether another connection has written since; while
 * none has, what we saw and wrote ourselves still holds, and need not be read again for every batch.
 */
export class HeadCache {
  readonly heads = new Map<number, Head>()
  readonly quarantines = new Map<number, string | null>()
  readonly #version: Statement
  #seen: unknown

  constructor(version: Statement) {
    this.#version = version
  }

  /** Looks whether somebody else has written, and forgets everything if so. */
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

/** What is remembered under `id`, or else what `read` finds, which is then remembered. */
export const readThrough = <T>(known: Map<number, T>, id: number, read: () => T): T => {
  const value = known.get(id)
  if (value !== undefined) return value
  const found = read()
  known.set(id, found)
  return found
}
