import type { Severity } from '../../evidence/schema.ts'
import type { Comment, Match } from '../ports.ts'

/**
 * Comments that silence rules, in any language:
 *   warrant-ignore RULE[, RULE]: REASON            this line, or the next when the comment stands alone
 *   warrant-ignore-next-line RULE[, RULE]: REASON
 *   warrant-ignore-file RULE[, RULE]: REASON
 * Without a reason or a rule it silences nothing, and says so.
 */

interface NoticeRule {
  readonly severity: Severity
  readonly code: string
  readonly message: string
  readonly fix: string
}

/** What is reported about the comments themselves. */
export const SUPPRESSION_RULES = {
  'warrant.suppression-without-reason': {
    severity: 'WARN',
    code: 'SUPPRESSION_WITHOUT_REASON',
    message: 'This comment wants to silence a rule and does not say why.',
    fix: 'Write the reason after a colon: warrant-ignore RULE: REASON',
  },
  'warrant.suppression-without-rule': {
    severity: 'WARN',
    code: 'SUPPRESSION_WITHOUT_RULE',
    message: 'This comment does not say which rule it silences.',
    fix: 'Name the rules before the colon: warrant-ignore RULE: REASON',
  },
  'warrant.suppression-unused': {
    severity: 'INFO',
    code: 'SUPPRESSION_UNUSED',
    message: 'This comment silences nothing.',
    fix: 'Remove it.',
  },
} as const satisfies Record<string, NoticeRule>

export interface Suppression {
  readonly ids: readonly string[]
  readonly reason: string
  readonly comment: Comment
  /** The line it speaks of; undefined is the whole file. */
  readonly line: number | undefined
}

const DIRECTIVE = /(?<![\w-])warrant-ignore(-next-line|-file)?(?![\w-])[ \t]*([^:\r\n]*)(?::([^\r\n]*))?/g

const stripCommentEnd = (text: string): string => text.replace(/\*+\/[ \t]*$/, '').trim()

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

export interface SuppressOptions {
  /** Rules that looked at the file. Of others nobody can say whether they would have matched. */
  readonly active: ReadonlySet<string>
  /** Whether two rules say the same, so that silencing one silences the other. */
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

/** Splits the matches of one file by what its comments silence. */
export const suppress = (
  found: { readonly matches: readonly Match[]; readonly comments: readonly Comment[] },
  { active, equivalent = () => false }: SuppressOptions,
): Suppressions => {
  const all = found.comments.flatMap(parseComment)
  const sound = all.filter(({ ids, reason }) => ids.length > 0 && reason !== '')
  const speaks = (id: string, { ruleId }: Match): boolean => id === ruleId || equivalent(id, ruleId)
  const about = ({ line }: Suppression, match: Match): boolean => line === undefined || line === match.line
  const silencer = (match: Match) =>
    sound.find((one) => about(one, match) && one.ids.some((id) => speaks(id, match)))
  const isIdle = (one: Suppression): boolean =>
    one.ids.some(
      (id) => active.has(id) && !found.matches.some((match) => about(one, match) && speaks(id, match)),
    )
  const judged = found.matches.map((match) => ({ match, by: silencer(match) }))
  return {
    kept: judged.filter(({ by }) => by === undefined).map(({ match }) => match),
    suppressed: judged.flatMap(({ match, by }) => (by === undefined ? [] : [{ match, by }])),
    notices: [
      ...all
        .filter(({ ids }) => ids.length === 0)
        .map((one) => notice('warrant.suppression-without-rule', one)),
      ...all
        .filter(({ ids, reason }) => ids.length > 0 && reason === '')
        .map((one) => notice('warrant.suppression-without-reason', one)),
      ...sound.filter(isIdle).map((one) => notice('warrant.suppression-unused', one)),
    ],
  }
}
