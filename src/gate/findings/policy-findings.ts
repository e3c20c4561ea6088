import type { Severity } from '../../evidence/schema.ts'
import { pushTo } from '../../kernel/multimap.ts'
import type { ChangeSet, Scanner } from '../ports.ts'
import type { RuleSet } from '../rules/assemble-rules.ts'
import type { PolicyChange } from '../rules/policy-change.ts'
import type { FindingDraft } from './collect.ts'
import { parseSuppressions, type Suppression } from './suppress.ts'

/** Findings about how the change is judged. A baseline does not accept them. */
export const POLICY_SOURCE = 'gate-policy'

const REVIEW =
  'If it is intended, land it separately: a reviewer checks it with `warrant gate --policy-from worktree` and merges it.'

const POLICY_CHANGED = {
  ruleId: 'gate.policy-changed',
  code: 'POLICY_CHANGED',
  why: 'A change must not choose the rules that it is judged by: the stricter version counts for this run.',
  matchedBy: 'Policy',
  source: POLICY_SOURCE,
  text: '',
}

const MANIFEST_INVALID = {
  ruleId: 'gate.manifest-invalid',
  severity: 'ERROR',
  code: 'MANIFEST_INVALID',
  message: 'The manifest cannot be parsed, so the platforms of its folder cannot be detected.',
  fix: 'Correct the JSON of the file.',
  matchedBy: 'FileContent',
  text: '',
} as const

const SUPPRESSION_ADDED = {
  ruleId: 'gate.suppression-added',
  code: 'SUPPRESSION_ADDED',
  fix: `Repair what the rule reports and remove the comment. ${REVIEW}`,
  matchedBy: 'FileContent',
}

/** The base does not count (`--policy-from worktree`): the findings are shown and block nothing. */
interface Trial {
  readonly trial: boolean
}

/** A finding for each file that alters how changes are judged. */
export const policyDrafts = (changes: readonly PolicyChange[], { trial }: Trial): FindingDraft[] =>
  changes.map(({ file, effect, weaker }) => ({
    ...POLICY_CHANGED,
    severity: trial ? 'INFO' : weaker ? 'ERROR' : 'WARN',
    message: `${weaker ? 'The change weakens the policy' : 'The policy changes'}: ${effect}.`,
    file,
    fix: weaker ? `Take it out of this change. ${REVIEW}` : 'Check that it is intended.',
  }))

export const manifestDrafts = (paths: readonly string[], source: string): FindingDraft[] =>
  paths.map((file) => ({ ...MANIFEST_INVALID, file, source }))

type SuppressedDraft = FindingDraft & { readonly suppressedBy: Suppression }

const isSuppressed = (draft: FindingDraft): draft is SuppressedDraft => draft.suppressedBy !== undefined

/** Comments with equal keys are interchangeable: one that moves within its file is not new. */
const keyOf = ({ line, ids }: Suppression): string => JSON.stringify([line === undefined, [...ids].sort()])

interface SuppressionPorts extends Trial {
  readonly set: ChangeSet
  readonly rules: RuleSet
  readonly scanner: () => Promise<Scanner>
}

/** How often each suppression occurs in the files before the change. */
const countBefore = async (
  { set, rules, scanner }: SuppressionPorts,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Map<string, number>>> => {
  const counts = new Map<string, Map<string, number>>()
  const contents = async function* () {
    for await (const reading of set.readBefore(paths, signal)) if (reading.bytes !== undefined) yield reading
  }
  for await (const report of (await scanner()).scan(contents(), rules.rules, signal)) {
    if (report.outcome === 'skipped') continue
    const ofFile = new Map<string, number>()
    for (const key of parseSuppressions(report.comments).map(keyOf))
      ofFile.set(key, (ofFile.get(key) ?? 0) + 1)
    counts.set(report.path, ofFile)
  }
  return counts
}

const silencedRules = (drafts: readonly SuppressedDraft[]): string =>
  [...new Set(drafts.map(({ ruleId, severity }) => `${ruleId} (${severity})`))].sort().join(', ')

const suppressionDraft = (drafts: readonly SuppressedDraft[], trial: boolean): FindingDraft[] => {
  const [first] = drafts
  if (first === undefined) return []
  const { comment, reason } = first.suppressedBy
  const { line, column, endLine } = comment
  const critical = drafts.some(({ severity }) => severity === 'CRITICAL')
  const severity: Severity = trial ? 'INFO' : critical ? 'ERROR' : 'WARN'
  return [
    {
      ...SUPPRESSION_ADDED,
      severity,
      message: `The change adds a comment that suppresses ${silencedRules(drafts)}: ${reason}`,
      file: first.file,
      region: { line, column, endLine, endColumn: column + 1 },
      source: first.source,
      text: comment.text,
    },
  ]
}

/** A finding for each comment of the change that suppresses something and was not in the file before. */
export const addedSuppressions = async (
  drafts: readonly FindingDraft[],
  ports: SuppressionPorts,
  signal: AbortSignal,
): Promise<FindingDraft[]> => {
  const byComment = new Map<Suppression, SuppressedDraft[]>()
  for (const draft of drafts.filter(isSuppressed)) pushTo(byComment, draft.suppressedBy, draft)
  if (byComment.size === 0 || ports.set.source === 'git:repository') return []
  const groups = [...byComment.values()]
  const before = await countBefore(ports, [...new Set(groups.map(([draft]) => draft?.file ?? ''))], signal)
  return groups.flatMap((group) => {
    const [first] = group
    const ofFile = first && before.get(first.file)
    const key = first === undefined ? '' : keyOf(first.suppressedBy)
    const left = ofFile?.get(key) ?? 0
    ofFile?.set(key, left - 1)
    return left > 0 ? [] : suppressionDraft(group, ports.trial)
  })
}
