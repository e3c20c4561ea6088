import { pushTo } from '../kernel/multimap.ts'

/** Which values of its fields an item must have; undefined does not ask. */
export type FieldFilter = Readonly<Record<string, string | undefined>>

/** Bounds of an item's time, both inclusive. */
export interface TimeRange {
  readonly from: number
  readonly to: number
}

interface Shape<T> {
  /** The values an item can be asked for by. */
  readonly fields: Readonly<Record<string, (item: T) => string>>
  readonly time?: (item: T) => number
}

const MAX_REMEMBERED = 64

/** Items in their order, found by the values of their fields without looking at the others. */
export class Collection<T> {
  readonly items: readonly T[]
  readonly #shape: Shape<T>
  readonly #texts: string[] = []
  readonly #indexes = new Map<string, Map<string, number[]>>()
  readonly #all: readonly number[]
  readonly #times: Float64Array | undefined
  readonly #found = new Map<string, readonly number[]>()

  constructor(items: readonly T[], shape: Shape<T>) {
    this.items = items
    this.#shape = shape
    this.#all = items.map((_, at) => at)
    const { time } = shape
    this.#times = time && Float64Array.from(items, time)
  }

  #index(field: string): Map<string, number[]> {
    const known = this.#indexes.get(field)
    if (known !== undefined) return known
    const index = new Map<string, number[]>()
    const value = this.#shape.fields[field]
    this.items.forEach((item, at) => {
      const key = value?.(item) ?? ''
      pushTo(index, key, at)
    })
    this.#indexes.set(field, index)
    return index
  }

  #search(asked: readonly (readonly [string, string | undefined])[], window?: TimeRange): readonly number[] {
    const lists = asked.map(([field, value]) => this.#index(field).get(value ?? '') ?? [])
    const shortest = lists.reduce((a: readonly number[], b) => (b.length < a.length ? b : a), this.#all)
    if (asked.length === 1 && window === undefined) return shortest
    return shortest.filter((at) => {
      const time = this.#times?.[at] ?? 0
      if (window !== undefined && !(time >= window.from && time <= window.to)) return false
      return asked.every(([field, value]) => this.#shape.fields[field]?.(this.at(at)) === value)
    })
  }

  /** Places of the items that have all the wanted values. Who turns pages asks for the same again. */
  select(wanted: FieldFilter, window?: TimeRange): readonly number[] {
    const asked = Object.entries(wanted).filter(([, value]) => value !== undefined)
    if (asked.length === 0 && window === undefined) return this.#all
    const key = JSON.stringify([asked, window])
    const known = this.#found.get(key)
    if (known !== undefined) return known
    const found = this.#search(asked, window)
    if (this.#found.size >= MAX_REMEMBERED) this.#found.clear()
    this.#found.set(key, found)
    return found
  }

  at(place: number): T {
    return this.items[place] as T
  }

  /** The JSON of one item, written once. */
  text(place: number): string {
    this.#texts[place] ??= JSON.stringify(this.items[place])
    return this.#texts[place]
  }
}
