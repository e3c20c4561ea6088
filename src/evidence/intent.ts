import type { HumanIntent } from './schema.ts'

const CONFIDENCE: readonly string[] = ['high', 'medium', 'low']

const tidyText = (text: string | null): string | null => text?.trim() || null

const tidyList = (list: readonly string[]): string[] => [
  ...new Set(list.map((one) => one.trim()).filter((one) => one !== '')),
]

const tidyDate = (text: string | null): string | null => {
  const time = Date.parse(text ?? '')
  return Number.isNaN(time) ? null : new Date(time).toISOString()
}

/** The intent in its one spelling, or null when it does not say when it was kept. */
const tidyIntent = (intent: HumanIntent): HumanIntent | null => {
  const preserved = tidyDate(intent.preserved_at)
  if (preserved === null) return null
  return {
    primary_goal: tidyText(intent.primary_goal),
    secondary_goals: tidyList(intent.secondary_goals),
    non_goals: tidyList(intent.non_goals),
    constraints: tidyList(intent.constraints),
    confidence_level: CONFIDENCE.includes(intent.confidence_level) ? intent.confidence_level : 'unset',
    set_by: tidyText(intent.set_by),
    set_at: tidyDate(intent.set_at),
    expires_at: tidyDate(intent.expires_at),
    preserved_at: preserved,
    preservation_count: Math.max(0, Math.trunc(intent.preservation_count) || 0),
    ...(intent._hint !== undefined && { _hint: intent._hint }),
  }
}

/**
 * What people want, carried from one evidence to the next until it expires. Saying nothing counts as one more
 * time carried over; saying null keeps the old one, and does not count.
 */
export const carryIntent = (
  given: HumanIntent | null | undefined,
  previous: HumanIntent | null,
  now: number,
): HumanIntent | null => {
  const chosen = given ?? previous
  const intent = chosen === null ? null : tidyIntent(chosen)
  if (intent === null) return null
  if (intent.expires_at !== null && Date.parse(intent.expires_at) <= now) return null
  return {
    ...intent,
    preserved_at: new Date(now).toISOString(),
    preservation_count: intent.preservation_count + (given === undefined ? 1 : 0),
  }
}
