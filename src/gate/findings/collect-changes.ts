import type { ChangeSet } from '../ports.ts'
import type { RuleSet } from '../rules/assemble-rules.ts'
import type { FindingDraft } from './collect.ts'

/** Findings of the rules about changed files. */
export const collectChanges = ({ changes }: RuleSet, set: ChangeSet): FindingDraft[] => {
  const paths = set.changes.map(({ path }) => path)
  const seen = new Set<string>()
  // Two versions of a rule, of the base and of the change, report a file once.
  const isFirst = (id: string, file: string) => seen.size < seen.add(JSON.stringify([id, file])).size
  return changes.flatMap((rule) =>
    rule
      .missing(paths)
      .filter((file) => isFirst(rule.id, file))
      .map((file) => ({
        ruleId: rule.id,
        severity: rule.severity,
        code: rule.code,
        message: rule.message,
        file,
        ...(rule.why !== undefined && { why: rule.why }),
        ...(rule.fix !== undefined && { fix: rule.fix }),
        matchedBy: 'FileChange',
        source: set.source,
        text: '',
      })),
  )
}
