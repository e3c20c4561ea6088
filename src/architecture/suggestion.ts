import type { TypeLocation } from './source/source-index.ts'

export const SUGGESTION_SEVERITIES = ['critical', 'high', 'medium', 'low', 'info'] as const
export type SuggestionSeverity = (typeof SUGGESTION_SEVERITIES)[number]

export const GROUPS = ['size', 'coupling', 'smells'] as const
export type Group = (typeof GROUPS)[number]

/** A measured fact that suggests a change. */
export interface Suggestion {
  /** The key of its sentences in the report strings. */
  readonly rule: string
  readonly group: Group
  readonly severity: SuggestionSeverity
  /** The class, method, setting or project it is about. */
  readonly subject: string
  readonly file: string
  readonly line: number
  /** The measured value. */
  readonly value: number
}

/** A suggestion before its group is known. */
export type Measured = Omit<Suggestion, 'group'>

type Measure = Pick<Measured, 'rule' | 'severity' | 'value'> & Partial<Pick<Measured, 'line' | 'subject'>>

/** A measure of a type; line and subject are those of the type when not given. */
export const measuredAt = ({ unit, type }: TypeLocation, measure: Measure): Measured => ({
  subject: type.name,
  file: unit.file,
  line: type.line,
  ...measure,
})
