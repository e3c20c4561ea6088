import type { Severity } from '../../evidence/schema.ts'
import type { LanguageName } from '../../kernel/text/languages.ts'
import type { TextMatcher } from './rule.ts'

interface RuleBasics {
  readonly id: string
  readonly pack: string
  /** Whether the rule applies to this path. */
  readonly covers: (path: string) => boolean
  readonly severity: Severity
  /** The severity comes from an override of the repository, so no stage raises it. */
  readonly pinnedSeverity?: boolean
  /** The files, by what their path says that they are for, in which the severity is WARN at most. */
  readonly lowered?: 'tests' | 'documents' | 'development'
  /** False for user rules, which run in a child process that can be killed. */
  readonly trusted: boolean
  readonly message: string
  readonly code: string
  readonly why?: string
  readonly fix?: string
  /** Matched text is never shown. */
  readonly secret?: boolean
  /** Further names of the rule. */
  readonly aliases?: readonly string[]
  readonly category?: string
  /** The weakness in the Common Weakness Enumeration, such as `CWE-89`. */
  readonly cwe?: string
}

interface CompiledSyntaxRule extends RuleBasics {
  /** A rule for several languages comes once for each of them, with the same id. */
  readonly language: LanguageName
  /** The ast-grep rule object: `rule`, and where present `constraints`, `utils`, `transform`. */
  readonly matcher: Readonly<Record<string, unknown>>
  /** The replacement of a match, as ast-grep writes it. Only edits of shipped rules are safe to apply unseen. */
  readonly repair?: { readonly template: string; readonly safe: boolean }
  /** A file must contain one literal of each list for the rule to match; computed at build time. */
  readonly requiredLiterals?: readonly (readonly string[])[]
  readonly text?: undefined
}

/** A rule about the text of files of any language. */
interface CompiledTextRule extends RuleBasics {
  readonly text: TextMatcher
  /** True without `files`: the rule is about every text, so it says nothing about what kind of file was judged. */
  readonly everyFile: boolean
  /** The rule reads generated and vendored files too. */
  readonly everyKind: boolean
  readonly language?: undefined
  readonly matcher?: undefined
  readonly repair?: undefined
}

/** A rule that is ready to run. */
export type CompiledRule = CompiledSyntaxRule | CompiledTextRule
