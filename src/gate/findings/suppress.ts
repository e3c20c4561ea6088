import type { Comment, Match } from '../ports.ts'
import type { FileProblem } from './file-problems.ts'

/**
 * Comments that accept a finding, in any language: `warrant-ignore RULE[, RULE]: REASON` for its line, or for the next
 * when the comment has a line of its own. One without a rule or a reason accepts nothing and is reported.
 */

/** Findings about the comments themselves. */
export const SUPPRESSION_RULES = {
  'warrant.suppression-without-reason': {
    severity: 'WARN',
    message: 'The suppression comment has no reason, so it suppresses nothing.',
    fix: 'Write the reason after a colon: warrant-ignore RULE: REASON',
  },
  'warrant.suppression-without-rule': {
    severity: 'WARN',
    message: 'The suppression comment names no rule, so it suppresses nothing.',
    fix: 'Name the rules before the colon: warrant-ignore RULE: REASON',
  },
  'warrant.suppression-refused': {
    severity: 'WARN',
    message: 'A comment cannot accept what this rule finds.',
    fix: 'Repair it, or record the exception with its reason: warrant accept FINDING --reason TEXT',
  },
  'warrant.suppression-unused': {
    severity: 'INFO',
    message: 'The suppression comment matches no finding.',
    fix: 'Remove the comment.',
  },
} as const satisfies Record<string, Omit<FileProblem, 'ruleId'>>

export interface Suppression {
  readonly ids: readonly string[]
  readonly reason: string
  readonly comment: Comment
  /** The line that it applies to. */
  readonly line: number
}

const DIRECTIVE = /(?<![\w-])warrant-ignore(?![\w-])[ \t]*([^:\r\n]*)(?::([^\r\n]*))?/g

const stripCommentEnd = (text: string): string => text.replace(/(?:\*+\/|--+>)[ \t]*$/, '').trim()

const parseComment = (comment: Comment): Suppression[] =>
  [...comment.text.matchAll(DIRECTIVE)].map(([, ids = '', reason = '']) => ({
    ids: stripCommentEnd(ids)
      .split(/[\s,]+/)
      .filter((id) => id !== ''),
    reason: stripCommentEnd(reason),
    comment,
    line: comment.alone ? comment.endLine + 1 : comment.line,
  }))

const isValid = ({ ids, reason }: Suppression): boolean => ids.length > 0 && reason !== ''

/** The valid suppressions of a file. */
export const parseSuppressions = (comments: readonly Comment[]): Suppression[] =>
  comments.flatMap(parseComment).filter(isValid)

interface SuppressOptions {
  /** Rules that ran on the file. A comment about any other rule is not reported as unused. */
  readonly active: ReadonlySet<string>
  /** Whether a comment can accept what the rule finds. */
  readonly accepts: (ruleId: string) => boolean
  /** Whether two rules report the same problem. */
  readonly isSame?: (one: string, other: string) => boolean
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
  { active, accepts, isSame = () => false }: SuppressOptions,
): Suppressions => {
  const all = found.comments.flatMap(parseComment)
  const valid = all.filter(isValid)
  const covers = (one: Suppression, { line, ruleId }: Match): boolean =>
    one.line === line && one.ids.some((id) => id === ruleId || isSame(id, ruleId))
  const split = found.matches.map((match) => ({ match, by: valid.find((one) => covers(one, match)) }))
  const refused = new Set(split.flatMap(({ match, by }) => (by && !accepts(match.ruleId) ? [by] : [])))
  const accepted = split.flatMap(({ match, by }) => (by && accepts(match.ruleId) ? [{ match, by }] : []))
  const isUnused = (one: Suppression): boolean =>
    one.ids.some((id) => active.has(id)) && !split.some(({ by }) => by === one)
  const noticesAbout = (one: Suppression): Match[] => {
    if (one.ids.length === 0) return [notice('warrant.suppression-without-rule', one)]
    if (one.reason === '') return [notice('warrant.suppression-without-reason', one)]
    if (refused.has(one)) return [notice('warrant.suppression-refused', one)]
    return isUnused(one) ? [notice('warrant.suppression-unused', one)] : []
  }
  const hidden = new Set(accepted.map(({ match }) => match))
  return {
    kept: found.matches.filter((match) => !hidden.has(match)),
    suppressed: accepted,
    notices: all.flatMap(noticesAbout),
  }
}
