import { keysOf } from '../kernel/keys-of.ts'
import { pushTo } from '../kernel/multimap.ts'
import { CONFIDENCES, SEVERITIES } from './compare.ts'

/** Required values by field; undefined accepts any value. */
type FieldFilter = Readonly<Record<string, string | undefined>>

/** Bounds in milliseconds, both inclusive. */
interface TimeRange {
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
      const item = this.items[at]
      if (item === undefined) return false
      return wanted.every(([field, value]) => this.#spec.fields[field]?.(item) === value)
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

  /** The JSON of one item, cached. */
  text(index: number): string {
    this.#texts[index] ??= JSON.stringify(this.items[index])
    return this.#texts[index]
  }
}

const PATTERN =
  /^(\d{4})-(\d\d)-(\d\d)(?:t(\d\d:\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?(z|[ +-]\d\d(?::?\d\d)?)?)?$/

const isDay = (year: number, month: number, day: number): boolean => {
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

// An unescaped plus in a query string arrives as a space.
const normalizeOffset = (offset: string): string => {
  if (offset === 'z') return 'Z'
  const digits = offset.replace(':', '').slice(1).padEnd(4, '0')
  return `${offset[0] === '-' ? '-' : '+'}${digits.slice(0, 2)}:${digits.slice(2)}`
}

/**
 * Parses an ISO 8601 bound to milliseconds; undefined when it is invalid. A date without time means the first
 * millisecond of the day (`after`) or the last (`before`). A time without offset is UTC.
 */
const parseBound = (text: string, edge: 'after' | 'before'): number | undefined => {
  const [, year, month, day, minutes, seconds = '00', fraction = '000', offset = 'z'] =
    PATTERN.exec(text.trim().toLowerCase()) ?? []
  if (year === undefined || !isDay(Number(year), Number(month), Number(day))) return undefined
  const date = `${year}-${month}-${day}`
  if (minutes === undefined) {
    return Date.parse(edge === 'after' ? `${date}T00:00:00.000Z` : `${date}T23:59:59.999Z`)
  }
  const milliseconds = fraction.slice(0, 3).padEnd(3, '0')
  const time = Date.parse(`${date}T${minutes}:${seconds}.${milliseconds}${normalizeOffset(offset)}`)
  return Number.isNaN(time) ? undefined : time
}

export const MAX_LIMIT = 100

/** The filter parameters of each collection, in the order in which the status lists them. */
export const FILTERS = {
  findings: ['severity', 'ruleId', 'platform'],
  rulesets: ['platform', 'bundle'],
  platforms: ['detectedOnly', 'confidence'],
  ledger: ['lastSeenAfter', 'lastSeenBefore'],
} as const
export type CollectionName = keyof typeof FILTERS
export const COLLECTIONS = keysOf(FILTERS)

/** A parsed request for one page of a collection. */
export interface EvidenceQuery {
  /** The filters as the answer repeats them. */
  readonly echo: Readonly<Record<string, string | boolean | null>>
  readonly fields: FieldFilter
  readonly timeRange?: TimeRange
  readonly requested: number | null
  readonly offset: number
}

/** A parameter that could not be parsed. */
export interface QueryProblem {
  readonly error: string
  readonly parameter: string
  readonly expected: string
}

type Parameters = (name: string) => string | null | undefined

const oneOf = (words: readonly string[]): string => `one of ${words.join(', ')}`
const BOOLEANS: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(['1', 'true', 'yes', 'on'].map((word) => [word, true])),
  ...Object.fromEntries(['0', 'false', 'no', 'off'].map((word) => [word, false])),
}

class InvalidParameter {
  readonly problem: QueryProblem
  constructor(parameter: string, expected: string) {
    this.problem = { error: `Invalid value for ${parameter}`, parameter, expected }
  }
}

/** Trimmed and in lower case; null when empty. */
const readText = (get: Parameters, name: string): string | null => get(name)?.trim().toLowerCase() || null

export const readBoolean = (get: Parameters, name: string): boolean | undefined => {
  const word = readText(get, name)
  return word === null || !Object.hasOwn(BOOLEANS, word) ? undefined : BOOLEANS[word]
}

const readEnum = (get: Parameters, name: string, words: readonly string[]): string | null => {
  const word = readText(get, name)
  if (word !== null && !words.some((one) => one.toLowerCase() === word)) {
    throw new InvalidParameter(name, oneOf(words))
  }
  return word
}

const readCount = (get: Parameters, name: string): number | null => {
  const text = readText(get, name)
  const value = text === null || /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isFinite(value)) throw new InvalidParameter(name, 'a whole number, 0 or more')
  return text === null ? null : value
}

/** The text of a bound and its time; an absent bound is infinite. */
const readTimeBound = (get: Parameters, name: string, edge: 'after' | 'before'): [string | null, number] => {
  const text = readText(get, name)
  if (text === null) return [null, edge === 'after' ? -Infinity : Infinity]
  const time = parseBound(text, edge)
  if (time === undefined) throw new InvalidParameter(name, 'an ISO 8601 date or time')
  return [text, time]
}

type Filtered = Pick<EvidenceQuery, 'echo' | 'fields' | 'timeRange'>

const FILTER_READERS: Readonly<Record<CollectionName, (get: Parameters) => Filtered>> = {
  findings: (get) => {
    const severity = readEnum(get, 'severity', SEVERITIES)
    const [ruleId, platform] = [readText(get, 'ruleId'), readText(get, 'platform')]
    return { echo: { severity, ruleId, platform }, fields: withoutNulls({ severity, ruleId, platform }) }
  },
  rulesets: (get) => {
    const [platform, bundle] = [readText(get, 'platform'), readText(get, 'bundle')]
    return { echo: { platform, bundle }, fields: withoutNulls({ platform, bundle }) }
  },
  platforms: (get) => {
    const detectedOnly = readBoolean(get, 'detectedOnly')
    if (detectedOnly === undefined && readText(get, 'detectedOnly') !== null) {
      throw new InvalidParameter('detectedOnly', 'true or false')
    }
    const confidence = readEnum(get, 'confidence', CONFIDENCES)
    const detected = detectedOnly === false ? null : 'true'
    return {
      echo: { detectedOnly: detectedOnly ?? true, confidence },
      fields: withoutNulls({ detected, confidence }),
    }
  },
  ledger: (get) => {
    const [lastSeenAfter, from] = readTimeBound(get, 'lastSeenAfter', 'after')
    const [lastSeenBefore, to] = readTimeBound(get, 'lastSeenBefore', 'before')
    const open = lastSeenAfter === null && lastSeenBefore === null
    return { echo: { lastSeenAfter, lastSeenBefore }, fields: {}, ...(!open && { timeRange: { from, to } }) }
  },
}

const withoutNulls = (values: Readonly<Record<string, string | null>>): FieldFilter =>
  Object.fromEntries(Object.entries(values).filter((one): one is [string, string] => one[1] !== null))

/** Parses the parameters of a request. An invalid value is rejected: ignoring it would return unfiltered data. */
export const readQuery = (name: CollectionName, get: Parameters): EvidenceQuery | QueryProblem => {
  try {
    return {
      ...FILTER_READERS[name](get),
      requested: readCount(get, 'limit'),
      offset: readCount(get, 'offset') ?? 0,
    }
  } catch (thrown) {
    if (thrown instanceof InvalidParameter) return thrown.problem
    throw thrown
  }
}
