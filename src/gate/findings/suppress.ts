import type { Severity } from '../../evidence/schema.ts'
import type { Comment, Match } from '../ports.ts'

/**
 * Suppression comments, in any language:
 *   warrant-ignore RULE[, RULE]: REASON            this line, or the next when the comment has a line of its own
 *   warrant-ignore-next-line RULE[, RULE]: REASON
 *   warrant-ignore-file RULE[, RULE]: REASON
 * A comment without a rule or a reason suppresses nothing and is reported.
 */

interface NoticeRule {
  readonly severity: Severity
  readonly code: string
  readonly message: string
  readonly fix: string
}

/** Findings about the comments themselves. */
export const SUPPRESSION_RULES = {
  'warrant.suppression-without-reason': {
    severity: 'WARN',
    code: 'SUPPRESSION_WITHOUT_REASON',
    message: 'The suppression comment has no reason, so it suppresses nothing.',
    fix: 'Write the reason after a colon: warrant-ignore RULE: REASON',
  },
  'warrant.suppression-without-rule': {
    severity: 'WARN',
    code: 'SUPPRESSION_WITHOUT_RULE',
    message: 'The suppression comment names no rule, so it suppresses nothing.',
    fix: 'Name the rules before the colon: warrant-ignore RULE: REASON',
  },
  'warrant.suppression-unused': {
    severity: 'INFO',
    code: 'SUPPRESSION_UNUSED',
    message: 'The suppression comment matches no finding.',
    fix: 'Remove the comment.',
  },
} as const satisfies Record<string, NoticeRule>

export interface Suppression {
  readonly ids: readonly string[]
  readonly reason: string
  readonly comment: Comment
  /** The line that it applies to; undefined for the whole file. */
  readonly line: number | undefined
}

const DIRECTIVE = /(?<![\w-])warrant-ignore(-next-line|-file)?(?![\w-])[ \t]*([^:\r\n]*)(?::([^\r\n]*))?/g

const stripCommentEnd = (text: string): string => text.replace(/(?:\*+\/|--+>)[ \t]*$/, '').trim()

const parseComment = (comment: Comment): Suppression[] =>
  [...comment.text.matchAll(DIRECTIVE)].map(([, where, ids = '', reason = '']) => {
    const next = where === '-next-line' || comment.alone
    return {
      ids: stripCommentEnd(ids)
        .split(/[\s,]+/)
        .filter((id) => id !== ''),
      reason: stripCommentEnd(reason),
      comment,
      line: where === '-file' ? undefined : next ? comment.endLine + 1 : comment.line,
    }
  })

const isValid = ({ ids, reason }: Suppression): boolean => ids.length > 0 && reason !== ''

/** The valid suppressions of a file. */
export const parseSuppressions = (comments: readonly Comment[]): Suppression[] =>
  comments.flatMap(parseComment).filter(isValid)

interface SuppressOptions {
  /** Rules that ran on the file. A suppression of any other rule is not reported as unused. */
  readonly active: ReadonlySet<string>
  /** Whether suppressing one rule suppresses the other. */
  readonly equivalent?: (one: string, other: string) => boolean
}

export interface Suppressions {
  readonly kept: readonly Match[]
  readonly suppressed: readonly { readonly match: Match; readonly by: Suppression }[]
  /** Findings about the comments, under the ids of `SUPPRESSION_RULES`. */
  readonly notices: readonly Match[]
}

const notice = (id: keyof typeof SUPPRESSION_RULES, { comment }: Suppression): Match => ({
  ruleId: id,
  message: SUPPRESSION_RULES[id].message,
  line: comment.line,
  column: comment.column,
  endLine: comment.endLine,
  endColumn: comment.column + 1,
})

/** Splits the matches of one file by its suppression comments. */
export const suppress = (
  found: { readonly matches: readonly Match[]; readonly comments: readonly Comment[] },
  { active, equivalent = () => false }: SuppressOptions,
): Suppressions => {
  const all = found.comments.flatMap(parseComment)
  const valid = all.filter(isValid)
  const names = (id: string, { ruleId }: Match): boolean => id === ruleId || equivalent(id, ruleId)
  const covers = ({ line }: Suppression, match: Match): boolean => line === undefined || line === match.line
  const findSuppression = (match: Match) =>
    valid.find((one) => covers(one, match) && one.ids.some((id) => names(id, match)))
  const isUnused = (one: Suppression): boolean =>
    one.ids.some(
      (id) => active.has(id) && !found.matches.some((match) => covers(one, match) && names(id, match)),
    )
  const split = found.matches.map((match) => ({ match, by: findSuppression(match) }))
  return {
    kept: split.filter(({ by }) => by === undefined).map(({ match }) => match),
    suppressed: split.flatMap(({ match, by }) => (by === undefined ? [] : [{ match, by }])),
    notices: [
      ...all
        .filter(({ ids }) => ids.length === 0)
        .map((one) => notice('warrant.suppression-without-rule', one)),
      ...all
        .filter(({ ids, reason }) => ids.length > 0 && reason === '')
        .map((one) => notice('warrant.suppression-without-reason', one)),
      ...valid.filter(isUnused).map((one) => notice('warrant.suppression-unused', one)),
    ],
  }
}
