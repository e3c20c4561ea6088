import * as z from 'zod'
import { Severity } from '../../evidence/schema.ts'
import { GATE_STAGES } from '../../evidence/stage.ts'
import { exceedsAlternatives, MAX_ALTERNATIVES } from '../../kernel/text/glob.ts'

/**
 * A rule about syntax is an ast-grep rule. `transform`, `rewriters` and `labels` are accepted, so that the same file
 * works in the ast-grep tools, but they are never executed here. A `fix` that is a text is offered as an edit.
 */

const Text = z.string().min(1).max(4_000)
const Word = z
  .string()
  .regex(/^[A-Za-z][\w.-]*$/, 'letters, digits, dots, dashes and underscores')
  .max(100)

/** A matcher of the ast-grep rule language. */
export type Matcher = Readonly<Record<string, unknown>>

const Position = z.strictObject({ line: z.int().nonnegative(), column: z.int().nonnegative() })
const Strictness = z.enum(['cst', 'smart', 'ast', 'relaxed', 'signature'])
const Pattern = z.union([
  Text,
  z.strictObject({ context: Text, selector: Text.optional(), strictness: Strictness.optional() }),
])

const matcher: z.ZodType<Matcher> = z.lazy(() => z.strictObject(parts))
const relation: z.ZodType<Matcher> = z.lazy(() =>
  z.strictObject({
    ...parts,
    stopBy: z.union([z.enum(['neighbor', 'end']), matcher]).optional(),
    field: Text.optional(),
  }),
)
const place = z.union([z.int().positive(), Text])
const parts = {
  pattern: Pattern.optional(),
  kind: Text.optional(),
  regex: Text.optional(),
  matches: Text.optional(),
  range: z.strictObject({ start: Position, end: Position }).optional(),
  nthChild: z
    .union([
      place,
      z.strictObject({ position: place, ofRule: matcher.optional(), reverse: z.boolean().optional() }),
    ])
    .optional(),
  inside: relation.optional(),
  has: relation.optional(),
  precedes: relation.optional(),
  follows: relation.optional(),
  all: z.array(matcher).min(1).max(100).optional(),
  any: z.array(matcher).min(1).max(100).optional(),
  not: matcher.optional(),
}

const GlobText = z
  .string()
  .min(1)
  .max(200)
  .refine((glob) => !/[!?+*@]\(|\\/.test(glob), 'only *, **, ?, [...] and {...} have a meaning in a glob')
  .refine(
    (glob) => !exceedsAlternatives(glob),
    `the {...} of a glob may stand for at most ${MAX_ALTERNATIVES} alternatives`,
  )
const Glob = z.union([GlobText, z.strictObject({ glob: GlobText, caseInsensitive: z.boolean().optional() })])

/** Members of our own in the place ast-grep reserves for tools. Unknown members are ignored. */
const Metadata = z.object({
  severity: Severity.optional(),
  code: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]*$/, 'capitals, digits and underscores')
    .max(120)
    .optional(),
  /** The platforms whose folders the rule applies to; `generic` is the whole repository. */
  platform: z.union([Word, z.array(Word).min(1).max(20)]).optional(),
  category: Word.optional(),
  why: Text.optional(),
  fix: Text.optional(),
  /**
   * Why findings of a shipped rule may block in the profile `default`: `certain`, or the group of rules whose findings
   * were read in public code. Without it the rule warns at most.
   */
  blocks: Word.optional(),
  /** The weakness in the Common Weakness Enumeration. */
  cwe: z
    .string()
    .regex(/^CWE-\d{1,5}$/)
    .optional()
    .catch(undefined),
  /** Matched text is a secret and never shown. */
  secret: z.boolean().optional(),
  /**
   * The rule is about the program itself: it skips tests, examples, documents, benchmarks and maintenance scripts.
   * With `scripts` it reads maintenance scripts too. With `settings` it reads whatever is deployed, of any kind.
   */
  production: z.union([z.boolean(), z.enum(['scripts', 'settings'])]).optional(),
  /**
   * Where an ERROR or more is a WARN, by the path alone: in tests and samples (`tests`, usual for secrets), in
   * documents too (`documents`, usual for others), in files for development too (`development`), or nowhere.
   */
  lowered: z.enum(['never', 'tests', 'documents', 'development']).optional(),
  /** Whether `fix` keeps the meaning of the program, so that `warrant gate --fix` applies it. */
  safeFix: z.boolean().optional(),
  /** A rule about text reads generated and vendored files too; rules about secrets always do. */
  everyKind: z.boolean().optional(),
  /** Further languages; comment and string node kinds are translated to theirs. */
  languages: z.array(Word).min(1).max(20).optional(),
  /** Further names of the rule, which overrides and suppressions may use. */
  aliases: z.array(Word).min(1).max(20).optional(),
  /** The rule runs only in this profile. For shipped rules, as is `seedSeverity`. */
  profile: z.literal('seed').optional(),
  /** The severity in the profile `seed`. */
  seedSeverity: Severity.optional(),
})

const head = {
  id: Word,
  severity: z.enum(['error', 'warning', 'info', 'hint', 'off']),
  message: Text,
  files: z.array(Glob).max(20).optional(),
  ignores: z.array(Glob).max(20).optional(),
  metadata: Metadata.optional(),
  note: z.string().max(4_000).optional(),
  url: z.string().max(1_000).optional(),
  fix: z.unknown().optional(),
}

export const SyntaxRuleFile = z.strictObject({
  ...head,
  language: Word,
  rule: matcher,
  constraints: z.record(z.string().regex(/^[A-Z][A-Z0-9_]*$/), matcher).optional(),
  utils: z.record(Word, matcher).optional(),
  transform: z.unknown().optional(),
  rewriters: z.unknown().optional(),
  labels: z.unknown().optional(),
})
export type SyntaxRuleFile = z.infer<typeof SyntaxRuleFile>

const isRegex = (source: string): boolean => {
  try {
    new RegExp(source, 'gm')
    return true
  } catch {
    return false
  }
}
const Regex = Text.refine(isRegex, 'not a regular expression of JavaScript')

/** What a rule looks for in the text of a file, whatever its language. */
export const TextMatcher = z.strictObject({
  /** Flags `g` and `m`. */
  regex: Regex,
  ignoreCase: z.boolean().optional(),
  /** The capture group that is the place of the finding; the whole match when absent. */
  group: z.union([z.int().positive(), Word]).optional(),
  /** The lines of the place must not match it. */
  not: Regex.optional(),
  /** Nothing is reported in a file that matches it anywhere. */
  unless: Regex.optional(),
  /** In indented files: the line of the place, or a line that encloses it, must match. */
  under: Regex.optional(),
  /** Literals in lower case; the file must contain one of them, in any case. */
  keywords: z
    .array(
      z
        .string()
        .min(1)
        .max(100)
        .refine((word) => word === word.toLowerCase(), 'write it in lower case'),
    )
    .min(1)
    .max(100)
    .optional(),
  /** The least Shannon entropy of the place, in bits per character. */
  entropy: z.number().positive().max(16).optional(),
})
export type TextMatcher = z.infer<typeof TextMatcher>

/** A rule about the text of files. */
export const TextRuleFile = z.strictObject({ ...head, text: TextMatcher })
export type TextRuleFile = z.infer<typeof TextRuleFile>

export type RuleFile = SyntaxRuleFile | TextRuleFile

/** A rule about files that must change together. It has no matcher. */
export const ChangeFile = z.strictObject({
  id: Word,
  message: Text,
  metadata: Metadata.required({ severity: true }),
  changes: z.strictObject({
    /** A change of one of these files ... */
    when: z.array(GlobText).min(1).max(20),
    /** ... requires a change of one of these. */
    require: z.array(GlobText).min(1).max(20),
    ignores: z.array(GlobText).max(20).optional(),
  }),
})
export type ChangeFile = z.infer<typeof ChangeFile>

/** A second id and severity for the matches of a rule, in one platform and from a stage on. */
export const RuleAlias = z.strictObject({
  id: Word,
  of: Word,
  severity: Severity,
  platform: Word,
  from: z.enum(GATE_STAGES),
})
export type RuleAlias = z.infer<typeof RuleAlias>
