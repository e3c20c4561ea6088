import { isRecord, type Json } from '../../kernel/encoding/json.ts'
import { confusableSkeleton } from './confusables.ts'
import { FORBIDDEN_NAMES } from './forbidden-names.ts'

const FORBIDDEN = new RegExp(Object.values(FORBIDDEN_NAMES).flat().map(confusableSkeleton).join('|'))

const looksForbidden = (text: string): boolean => FORBIDDEN.test(confusableSkeleton(text))

const MAX_CACHED = 1_024
/** Longer names are not ours, and remembering them would let a caller fill the memory. */
const MAX_CACHED_LENGTH = 64
const verdicts = new Map<string, boolean>()

// Our own answers use the same few names over and over; folding one is dear.
export const isForbidden = (name: string): boolean => {
  if (name.length > MAX_CACHED_LENGTH) return looksForbidden(name)
  const known = verdicts.get(name)
  if (known !== undefined) return known
  const verdict = looksForbidden(name)
  if (verdicts.size >= MAX_CACHED) verdicts.clear()
  verdicts.set(name, verdict)
  return verdict
}

export interface Sanitized {
  readonly value: Json
  /** Where something was taken out: `a.b[0].c`. For the log, not for the caller. */
  readonly removed: readonly string[]
}

/** Deeper than any answer of ours: what is nested further could only be meant to exhaust the stack. */
const MAX_DEPTH = 128

/** Where we are in the answer, and how deep, counting through texts. */
interface JsonLocation {
  readonly path: string
  readonly depth: number
}

const memberOf = ({ path, depth }: JsonLocation, key: string): JsonLocation => ({
  path: path === '' ? key : `${path}.${key}`,
  depth: depth + 1,
})

const itemOf = ({ path, depth }: JsonLocation, index: number): JsonLocation => ({
  path: `${path}[${index}]`,
  depth: depth + 1,
})

/** Whether there is nothing to take out. Our own answers are like that, and looking makes no copy. */
const isClean = (value: Json, depth: number): boolean => {
  if (depth > MAX_DEPTH) return false
  if (typeof value === 'string') return !maybeJson(value)
  if (Array.isArray(value)) return value.every((one) => isClean(one, depth + 1))
  if (!isRecord(value)) return true
  for (const key of Object.keys(value)) {
    if (isForbidden(key) || !isClean(value[key] as Json, depth + 1)) return false
  }
  return true
}

/**
 * The second line behind the output schemas: takes out every member whose name is forbidden, however deep, and
 * also inside texts that are JSON. Values are never judged: `energy_allocation` is fine as a word.
 */
export const sanitize = (value: Json): Sanitized =>
  isClean(value, 0) ? { value, removed: [] } : removeForbidden(value)

const removeForbidden = (value: Json): Sanitized => {
  const removed: string[] = []

  const cleanObject = (object: Record<string, unknown>, location: JsonLocation): Json =>
    Object.fromEntries(
      Object.entries(object).flatMap(([key, inner]) => {
        const here = memberOf(location, key)
        if (!isForbidden(key)) return [[key, clean(inner as Json, here)]]
        removed.push(here.path)
        return []
      }),
    )

  const cleanText = (text: string, location: JsonLocation): string => {
    const inner = parseNested(text)
    if (inner === undefined) return text
    return JSON.stringify(
      clean(inner, { ...location, depth: location.depth + 1 }),
      null,
      text.includes('\n') ? 2 : 0,
    )
  }

  const clean = (inner: Json, location: JsonLocation): Json => {
    if (location.depth > MAX_DEPTH) {
      removed.push(location.path)
      return null
    }
    if (typeof inner === 'string') return cleanText(inner, location)
    if (Array.isArray(inner)) return inner.map((one, index) => clean(one, itemOf(location, index)))
    return isRecord(inner) ? cleanObject(inner, location) : inner
  }

  return { value: clean(value, { path: '', depth: 0 }), removed }
}

const maybeJson = (text: string): boolean => /^\s*["[{]/.test(text)

/** What a text says, if it is JSON that has to be looked into. */
const parseNested = (text: string): Json | undefined => {
  if (!maybeJson(text) || !mentionsForbidden(text)) return undefined
  try {
    const inner: Json = JSON.parse(text)
    return typeof inner === 'object' || typeof inner === 'string' ? inner : undefined
  } catch {
    return undefined
  }
}

// Judged on the text itself, not on what it parses to: of two members with one name the parser drops the first.
const mentionsForbidden = (text: string): boolean =>
  looksForbidden(
    text.replace(/\\(?:u([0-9a-f]{4})|[^u])/gi, (_, code: string | undefined) =>
      code === undefined ? ' ' : String.fromCharCode(Number.parseInt(code, 16)),
    ),
  )
