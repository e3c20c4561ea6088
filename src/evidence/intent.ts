import type { HumanIntent } from './schema.ts'

const CONFIDENCE: readonly string[] = ['high', 'medium', 'low']

const normalizeText = (text: string | null): string | null => text?.trim() || null

const normalizeList = (list: readonly string[]): string[] => [
  ...new Set(list.map((one) => one.trim()).filter((one) => one !== '')),
]

const normalizeDate = (text: string | null): string | null => {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}

/** The canonical form of an intent; null when `preserved_at` is not a date. */
const normalizeIntent = (intent: HumanIntent): HumanIntent | null => {
  const preserved = normalizeDate(intent.preserved_at)
  if (preserved === null) return null
  return {
    primary_goal: normalizeText(intent.primary_goal),
    secondary_goals: normalizeList(intent.secondary_goals),
    non_goals: normalizeList(intent.non_goals),
    constraints: normalizeList(intent.constraints),
    confidence_level: CONFIDENCE.includes(intent.confidence_level) ? intent.confidence_level : 'unset',
    set_by: normalizeText(intent.set_by),
    set_at: normalizeDate(intent.set_at),
    expires_at: normalizeDate(intent.expires_at),
    preserved_at: preserved,
    preservation_count: Math.max(0, Math.trunc(intent.preservation_count) || 0),
    ...(intent._hint !== undefined && { _hint: intent._hint }),
  }
}

/**
 * The human intent for the next evidence: the given one, or else the previous one until it expires. Undefined increments
 * `preservation_count`; null keeps the previous intent without incrementing.
 */
export const carryIntent = (
  given: HumanIntent | null | undefined,
  previous: HumanIntent | null,
  now: number,
): HumanIntent | null => {
  const chosen = given ?? previous
  const intent = chosen === null ? null : normalizeIntent(chosen)
  if (intent === null) return null
  if (intent.expires_at !== null && Date.parse(intent.expires_at) <= now) return null
  return {
    ...intent,
    preserved_at: new Date(now).toISOString(),
    preservation_count: intent.preservation_count + (given === undefined ? 1 : 0),
  }
}
