import type { SuggestionSeverity } from '../suggestion.ts'
import type { Inline, ReportLanguage } from './model.ts'
import { REPORT_STRINGS } from './strings.ts'

/** How one output format writes the parts of a line. Each function escapes its text. */
export interface InlineFormat {
  readonly text: (text: string) => string
  readonly code: (text: string) => string
  readonly severity: (severity: SuggestionSeverity, label: string) => string
}

export const renderInline = (
  parts: readonly Inline[],
  lang: ReportLanguage,
  { text, code, severity }: InlineFormat,
): string =>
  parts
    .map((part) => {
      if (typeof part === 'string') return text(part)
      if ('code' in part) return code(part.code)
      return severity(part.severity, REPORT_STRINGS[lang].severities[part.severity])
    })
    .join('')
