import { extensionOf, type LanguageName } from '../../kernel/text/languages.ts'
import type { Edit, Region } from '../reports/report.ts'
import type { CompiledRule } from '../rules/compiled-rule.ts'
import { grammarFor } from '../rules/languages.ts'
import type { FindingDraft } from './drafts.ts'

/** The text that replaces a match: the template of the rule with the values of its meta-variables. */
export type RewriteMatch = (request: {
  readonly grammar: string
  /** The matched text alone. */
  readonly text: string
  readonly matcher: Readonly<Record<string, unknown>>
  readonly template: string
}) => Promise<string | undefined>

const VARIABLE = /\$[A-Z_$]/

const overlaps = (a: Region, b: Region): boolean => a.line <= b.endLine && b.line <= a.endLine

/** The rule in the language of the file: a rule for several languages comes once for each of them. */
const ruleFor = (rules: readonly CompiledRule[], { ruleId, file }: FindingDraft) => {
  const extension = extensionOf(file)
  return rules.find(
    ({ id, language }) =>
      id === ruleId && language !== undefined && grammarFor(language, extension) !== undefined,
  )
}

const grammarOf = (language: LanguageName, file: string): string =>
  grammarFor(language, extensionOf(file)) ?? ''

/** A statement may begin here: `if (a)` before it would take the next statement for its body. */
const STATEMENT_END = /[;{}]\s*$/
const COMMENT = /\/\/|\/\*|\*\//

/**
 * The range of code that is removed, with its line when nothing else is on the line. Undefined when the code before it
 * does not show that it can be left out.
 */
const removedRange = (region: Region, { excerpt }: FindingDraft): Region | undefined => {
  const lineAt = (line: number) => excerpt?.lines[line - excerpt.first]
  const [first, last] = [lineAt(region.line), lineAt(region.endLine)]
  if (first === undefined || last === undefined) return undefined
  const [before, after] = [first.slice(0, region.column - 1), last.slice(region.endColumn - 1)]
  const previous = before.trim() === '' && region.line > 1 ? lineAt(region.line - 1) : before
  const isFirst = region.line === 1 && before.trim() === ''
  if (!isFirst && (previous === undefined || !STATEMENT_END.test(previous) || COMMENT.test(previous)))
    return undefined
  return `${before}${after}`.trim() === ''
    ? { line: region.line, column: 1, endLine: region.endLine + 1, endColumn: 1 }
    : region
}

const editOf = async (
  draft: FindingDraft,
  { language, matcher, repair, trusted }: CompiledRule,
  rewrite: RewriteMatch,
): Promise<Edit | undefined> => {
  const { region, text, file } = draft
  if (region === undefined || repair === undefined) return undefined
  const { template, safe } = repair
  // A rule of the repository runs in child processes only, so the values of its variables are not known here.
  if (VARIABLE.test(template) && !trusted) return undefined
  const replacement = VARIABLE.test(template)
    ? await rewrite({ grammar: grammarOf(language, file), text, matcher, template })
    : template
  const range = replacement === '' ? removedRange(region, draft) : region
  return replacement === undefined || range === undefined ? undefined : { range, text: replacement, safe }
}

/** Adds the edit that repairs a finding, where its rule has one. Lines with a secret get none: an edit quotes code. */
export const addEdits = async (
  drafts: readonly FindingDraft[],
  rules: readonly CompiledRule[],
  rewrite: RewriteMatch,
): Promise<readonly FindingDraft[]> => {
  const secrets = new Set(rules.filter(({ secret }) => secret).map(({ id }) => id))
  const repairing = new Set(rules.filter(({ repair }) => repair !== undefined).map(({ id }) => id))
  const hasSecret = ({ file, region }: FindingDraft) =>
    drafts.some(
      (other) =>
        secrets.has(other.ruleId) &&
        other.file === file &&
        other.region !== undefined &&
        region !== undefined &&
        overlaps(other.region, region),
    )
  const added: FindingDraft[] = []
  for (const draft of drafts) {
    const rule = repairing.has(draft.ruleId) ? ruleFor(rules, draft) : undefined
    const edit = rule === undefined || hasSecret(draft) ? undefined : await editOf(draft, rule, rewrite)
    added.push(edit === undefined ? draft : { ...draft, edit })
  }
  return added
}
