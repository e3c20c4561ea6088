import { isRecord, type Json } from '../../kernel/encoding/json.ts'
import { confusableSkeleton } from './confusables.ts'
import { FORBIDDEN_NAMES } from './forbidden-names.ts'

const FORBIDDEN = new RegExp(Object.values(FORBIDDEN_NAMES).flat().map(confusableSkeleton).join('|'))

const looksForbidden = (text: string): boolean => FORBIDDEN.test(confusableSkeleton(text))

const MAX_CACHED = 1_024
/** Longer names are not ours. They are not cached, so that a caller cannot fill the memory. */
const MAX_CACHED_LENGTH = 64
const verdicts = new Map<string, boolean>()

// Cached, because our answers repeat the same few names and a skeleton is expensive to compute.
export const isForbidden = (name: string): boolean => {
  if (name.length > MAX_CACHED_LENGTH) return looksForbidden(name)
  const known = verdicts.get(name)
  if (known !== undefined) return known
  const verdict = looksForbidden(name)
  if (verdicts.size >= MAX_CACHED) verdicts.clear()
  verdicts.set(name, verdict)
  return verdict
}

interface Sanitized {
  readonly value: Json
  /** Paths of the removed members, such as `a.b[0].c`. For the log, not for the caller. */
  readonly removed: readonly string[]
}

/** Deeper than any answer of ours: a limit against stack exhaustion. */
const MAX_DEPTH = 128

/** Path and depth of a value. The depth includes JSON nested in texts. */
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

/** Whether nothing has to be removed. True for our own answers, which then need no copy. */
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
 * Second defence after the output schemas: removes every member with a forbidden name at any depth, also inside texts
 * that are JSON. Values are not checked: the text `energy_allocation` is allowed.
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

/** The parsed text, if it is JSON that mentions a forbidden name. */
const parseNested = (text: string): Json | undefined => {
  if (!maybeJson(text) || !mentionsForbidden(text)) return undefined
  try {
    const inner: Json = JSON.parse(text)
    return typeof inner === 'object' || typeof inner === 'string' ? inner : undefined
  } catch {
    return undefined
  }
}

// Checks the text and not the parsed value: of two members with the same name the parser keeps only the last.
const mentionsForbidden = (text: string): boolean =>
  looksForbidden(
    text.replace(/\\(?:u([0-9a-f]{4})|[^u])/gi, (_, code: string | undefined) =>
      code === undefined ? ' ' : String.fromCharCode(Number.parseInt(code, 16)),
    ),
  )
