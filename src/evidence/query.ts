import type { FieldFilter, TimeRange } from './collection.ts'
import { parseBound } from './parse-time.ts'
import { CONFIDENCES, SEVERITIES } from './severities.ts'

export const MAX_LIMIT = 100

/** The parameters of each collection, in the order clients are told of them. */
export const FILTERS = {
  findings: ['severity', 'ruleId', 'platform'],
  rulesets: ['platform', 'bundle'],
  platforms: ['detectedOnly', 'confidence'],
  ledger: ['lastSeenAfter', 'lastSeenBefore'],
} as const
export type CollectionName = keyof typeof FILTERS
export const COLLECTIONS = Object.keys(FILTERS) as readonly CollectionName[]

/** What one request asks of a collection. */
export interface EvidenceQuery {
  /** The filters as they are repeated in the answer. */
  readonly echo: Readonly<Record<string, string | boolean | null>>
  readonly wanted: FieldFilter
  readonly window?: TimeRange
  readonly requested: number | null
  readonly offset: number
}

/** Why a query cannot be answered. */
export interface QueryProblem {
  readonly error: string
  readonly parameter: string
  readonly expected: string
}

export type Parameters = (name: string) => string | null | undefined

const ONE_OF = (words: readonly string[]): string => `one of ${words.join(', ')}`
const SWITCH: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(['1', 'true', 'yes', 'on'].map((word) => [word, true])),
  ...Object.fromEntries(['0', 'false', 'no', 'off'].map((word) => [word, false])),
}

class Unanswerable {
  readonly problem: QueryProblem
  constructor(parameter: string, expected: string) {
    this.problem = { error: `Invalid value for ${parameter}`, parameter, expected }
  }
}

/** Trimmed and in lower case; null when there is nothing in it. */
const token = (get: Parameters, name: string): string | null => get(name)?.trim().toLowerCase() || null

export const readSwitch = (get: Parameters, name: string): boolean | undefined => {
  const word = token(get, name)
  return word === null || !Object.hasOwn(SWITCH, word) ? undefined : SWITCH[word]
}

const wordOf = (get: Parameters, name: string, words: readonly string[]): string | null => {
  const word = token(get, name)
  if (word !== null && !words.some((one) => one.toLowerCase() === word)) {
    throw new Unanswerable(name, ONE_OF(words))
  }
  return word
}

const numberOf = (get: Parameters, name: string): number | null => {
  const text = token(get, name)
  const value = text === null || /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isFinite(value)) throw new Unanswerable(name, 'a whole number, 0 or more')
  return text === null ? null : value
}

const boundOf = (
  get: Parameters,
  name: string,
  edge: 'after' | 'before',
  open: number,
): [string | null, number] => {
  const text = token(get, name)
  if (text === null) return [null, open]
  const time = parseBound(text, edge)
  if (time === undefined) throw new Unanswerable(name, 'an ISO 8601 date or time')
  return [text, time]
}

type Filtered = Pick<EvidenceQuery, 'echo' | 'wanted' | 'window'>

const FILTER_READERS: Readonly<Record<CollectionName, (get: Parameters) => Filtered>> = {
  findings: (get) => {
    const severity = wordOf(get, 'severity', SEVERITIES)
    const [ruleId, platform] = [token(get, 'ruleId'), token(get, 'platform')]
    return { echo: { severity, ruleId, platform }, wanted: asked({ severity, ruleId, platform }) }
  },
  rulesets: (get) => {
    const [platform, bundle] = [token(get, 'platform'), token(get, 'bundle')]
    return { echo: { platform, bundle }, wanted: asked({ platform, bundle }) }
  },
  platforms: (get) => {
    const detectedOnly = readSwitch(get, 'detectedOnly')
    if (detectedOnly === undefined && token(get, 'detectedOnly') !== null) {
      throw new Unanswerable('detectedOnly', 'true or false')
    }
    const confidence = wordOf(get, 'confidence', CONFIDENCES)
    const detected = detectedOnly === false ? null : 'true'
    return {
      echo: { detectedOnly: detectedOnly ?? true, confidence },
      wanted: asked({ detected, confidence }),
    }
  },
  ledger: (get) => {
    const [lastSeenAfter, from] = boundOf(get, 'lastSeenAfter', 'after', Number.NEGATIVE_INFINITY)
    const [lastSeenBefore, to] = boundOf(get, 'lastSeenBefore', 'before', Number.POSITIVE_INFINITY)
    const open = lastSeenAfter === null && lastSeenBefore === null
    return { echo: { lastSeenAfter, lastSeenBefore }, wanted: {}, ...(!open && { window: { from, to } }) }
  },
}

const asked = (values: Readonly<Record<string, string | null>>): FieldFilter =>
  Object.fromEntries(Object.entries(values).filter((one): one is [string, string] => one[1] !== null))

/** Reads the parameters of a request. What cannot be understood is refused: it must not give everything. */
export const readQuery = (name: CollectionName, get: Parameters): EvidenceQuery | QueryProblem => {
  try {
    return {
      ...FILTER_READERS[name](get),
      requested: numberOf(get, 'limit'),
      offset: numberOf(get, 'offset') ?? 0,
    }
  } catch (thrown) {
    if (thrown instanceof Unanswerable) return thrown.problem
    throw thrown
  }
}
