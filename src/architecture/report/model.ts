import type { Drawing } from '../mermaid.ts'
import type { SuggestionSeverity } from '../suggestion.ts'

export const REPORT_LANGUAGES = ['en', 'es'] as const
export type ReportLanguage = (typeof REPORT_LANGUAGES)[number]

/** The content of a report, independent of Markdown and HTML. */

export type Inline = string | { readonly code: string } | { readonly severity: SuggestionSeverity }

export type Block =
  | { readonly kind: 'heading'; readonly text: string }
  /** A title inside of the first section, whose headings would be taken for those of the report. */
  | { readonly kind: 'label'; readonly text: string }
  | { readonly kind: 'text'; readonly text: readonly Inline[] }
  | { readonly kind: 'bullets'; readonly items: readonly (readonly Inline[])[] }
  | {
      readonly kind: 'table'
      readonly head: readonly string[]
      readonly rows: readonly (readonly string[])[]
    }
  | {
      readonly kind: 'diagram'
      readonly drawing: Drawing
      /** Sections of the page by the nodes that lead to them. */
      readonly links?: Readonly<Record<string, string>>
    }

export interface Section {
  /** The name of its place in a page; never text of the project. */
  readonly id?: string
  /** The title of the first section is the title of the report. */
  readonly title: string
  readonly blocks: readonly Block[]
}

export interface ReportModel {
  readonly lang: ReportLanguage
  readonly sections: readonly Section[]
}
