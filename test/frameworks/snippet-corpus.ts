import type { Snippet } from '../support/project-rows.ts'

/** What a detector finds: the columns of the table of frameworks in the documentation. */
export const FINDINGS = ['endpoints', 'calls', 'messages', 'stores'] as const

/** A framework or library with the code that shows what the analysis finds in it, and what it does not mistake for it. */
export interface FrameworkSnippets {
  /** The name in the documentation. */
  readonly framework: string
  readonly language: string
  readonly finds: readonly (typeof FINDINGS)[number][]
  /** At least three. Rows are those of `connectionRows`. */
  readonly found: readonly Snippet[]
  /** Code that looks alike and is none: no rows. At least one. */
  readonly notFound: readonly Omit<Snippet, 'rows'>[]
}
