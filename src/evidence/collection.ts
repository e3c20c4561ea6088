import { pushTo } from '../kernel/multimap.ts'

/** Required values by field; undefined accepts any value. */
export type FieldFilter = Readonly<Record<string, string | undefined>>

/** Bounds in milliseconds, both inclusive. */
export interface TimeRange {
  readonly from: number
  readonly to: number
}

interface CollectionSpec<T> {
  /** The fields that can be filtered by. */
  readonly fields: Readonly<Record<string, (item: T) => string>>
  readonly time?: (item: T) => number
}

const MAX_CACHED_SELECTIONS = 64

/** Sorted items with an index for each field. */
export class Collection<T> {
  readonly items: readonly T[]
  readonly #spec: CollectionSpec<T>
  readonly #texts: string[] = []
  readonly #indexes = new Map<string, Map<string, number[]>>()
  readonly #all: readonly number[]
  readonly #times: Float64Array | undefined
  readonly #selections = new Map<string, readonly number[]>()

  constructor(items: readonly T[], spec: CollectionSpec<T>) {
    this.items = items
    this.#spec = spec
    this.#all = items.map((_, at) => at)
    const { time } = spec
    this.#times = time && Float64Array.from(items, time)
  }

  #index(field: string): Map<string, number[]> {
    const known = this.#indexes.get(field)
    if (known !== undefined) return known
    const index = new Map<string, number[]>()
    const value = this.#spec.fields[field]
    this.items.forEach((item, at) => {
      const key = value?.(item) ?? ''
      pushTo(index, key, at)
    })
    this.#indexes.set(field, index)
    return index
  }

  #search(wanted: readonly (readonly [string, string | undefined])[], range?: TimeRange): readonly number[] {
    const lists = wanted.map(([field, value]) => this.#index(field).get(value ?? '') ?? [])
    const shortest = lists.reduce((a: readonly number[], b) => (b.length < a.length ? b : a), this.#all)
    if (wanted.length === 1 && range === undefined) return shortest
    return shortest.filter((at) => {
      const time = this.#times?.[at] ?? 0
      if (range !== undefined && !(time >= range.from && time <= range.to)) return false
      return wanted.every(([field, value]) => this.#spec.fields[field]?.(this.at(at)) === value)
    })
  }

  /** Indices of the items that match the filter. Cached, because paging repeats the same filter. */
  select(fields: FieldFilter, range?: TimeRange): readonly number[] {
    const asked = Object.entries(fields).filter(([, value]) => value !== undefined)
    if (asked.length === 0 && range === undefined) return this.#all
    const key = JSON.stringify([asked, range])
    const known = this.#selections.get(key)
    if (known !== undefined) return known
    const found = this.#search(asked, range)
    if (this.#selections.size >= MAX_CACHED_SELECTIONS) this.#selections.clear()
    this.#selections.set(key, found)
    return found
  }

  at(place: number): T {
    return this.items[place] as T
  }

  /** The JSON of one item, cached. */
  text(place: number): string {
    this.#texts[place] ??= JSON.stringify(this.items[place])
    return this.#texts[place]
  }
}
