import { compareText } from '../../evidence/compare.ts'
import { familyOf } from '../../evidence/consolidate.ts'
import type { Severity } from '../../evidence/schema.ts'
import type { GateStage } from '../../evidence/stage.ts'
import { digestJson } from '../../kernel/encoding/hash.ts'
import type { ReceiptDetails } from '../../receipts/statement.ts'
import { type GatePolicy, isAtLeast, stageSeverity } from '../policy.ts'
import type { ChangeSet, Scanner } from '../ports.ts'
import type { RuleSet } from '../rules/assemble-rules.ts'
import type { PolicyChange } from '../rules/policy-change.ts'
import { areAliases } from '../rules/profile.ts'
import type { FileSuppression, FindingDraft } from './collect.ts'
import { FILE_PROBLEMS } from './file-problems.ts'
import { parseSuppressions, type Suppression } from './suppress.ts'

/** The source of findings about changed policy files. A baseline does not accept them. */
export const POLICY_SOURCE = 'gate-policy'

const REVIEW =
  'If it is intended, land it separately: a reviewer checks it with `warrant gate --policy-from worktree` and merges it.'

export const POLICY_CHANGED_RULE = 'gate.policy-changed'

const POLICY_CHANGED = {
  ruleId: POLICY_CHANGED_RULE,
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

interface PolicyContext extends Trial {
  readonly set: Pick<ChangeSet, 'changes'>
  readonly policy: GatePolicy
}

/**
 * A finding for each file that alters how changes are judged. A stricter policy that is not part of the change, such
 * as an untracked one, gives no finding. A stricter policy is not blocked by its own thresholds.
 */
export const policyDrafts = (
  changes: readonly PolicyChange[],
  { set, policy, trial }: PolicyContext,
): FindingDraft[] => {
  const changed = new Set(set.changes.map(({ path }) => path))
  const severityIfStricter: Severity = isAtLeast('WARN', policy.block_on_or_above) ? 'INFO' : 'WARN'
  return changes
    .filter(({ file, weaker, fromEnvironment }) => weaker || fromEnvironment || changed.has(file))
    .map(({ file, effect, weaker }) => ({
      ...POLICY_CHANGED,
      severity: trial ? 'INFO' : weaker ? 'ERROR' : severityIfStricter,
      message: `${weaker ? 'The change weakens the policy' : 'The policy changes'}: ${effect}.`,
      file,
      fix: weaker ? `Take it out of this change. ${REVIEW}` : 'Check that it is intended.',
    }))
}

/** The findings with those about broken manifests, each in the place of the syntax error of its file. */
export const withBrokenManifests = (
  drafts: readonly FindingDraft[],
  paths: readonly string[],
  source: string,
): FindingDraft[] => [
  ...drafts.filter(({ ruleId, file }) => ruleId !== FILE_PROBLEMS.broken.ruleId || !paths.includes(file)),
  ...paths.map((file) => ({ ...MANIFEST_INVALID, file, source })),
]

/** Comments with equal keys are interchangeable: one that moves within its file is not new. Without a line, a comment is about the whole file. */
const keyOf = ({ line, ids }: Suppression): string => JSON.stringify([line === undefined, [...ids].sort()])

interface SuppressionContext extends Trial {
  readonly stage: GateStage
  readonly set: ChangeSet
  readonly rules: RuleSet
  readonly scanner: () => Promise<Scanner>
}

type SuppressionVersions = NonNullable<ReceiptDetails['suppressions']>

interface ComparedSuppressions {
  readonly drafts: readonly FindingDraft[]
  /** What the receipt says of the comments of both versions. */
  readonly versions: SuppressionVersions
}

/** Which rules are suppressed where; neither lines nor reasons, as both change without changing a verdict. */
const digestKeys = (keys: readonly string[]): SuppressionVersions['head'] => ({
  count: keys.length,
  digest: digestJson(keys.toSorted(compareText)),
})

const NONE_BEFORE: ReadonlyMap<string, Map<string, number>> = new Map()

/** How often each suppression occurs in the files before the change. */
const countBefore = async (
  { set, rules, scanner }: SuppressionContext,
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

/** Rules that a suppression names, by their own id or by that of a rule of the same family. */
const namedRules = ({ ids }: Suppression, { rules, stage }: SuppressionContext): [string, Severity][] => {
  const families = new Set(ids.map(familyOf))
  return [...rules.byId.values()]
    .filter(({ id }) => families.has(familyOf(id)) || ids.some((named) => areAliases(rules.byId, named, id)))
    .map((rule): [string, Severity] => [rule.id, stageSeverity(rule, stage)])
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

const suppressionDraft = (
  { file, suppression }: FileSuppression,
  ports: SuppressionContext,
): FindingDraft => {
  const { comment, ids, reason } = suppression
  const { line, column, endLine } = comment
  const named = namedRules(suppression, ports)
  const critical = named.some(([, severity]) => severity === 'CRITICAL')
  const rules = named.length === 0 ? ids : named.map(([id, severity]) => `${id} (${severity})`)
  return {
    ...SUPPRESSION_ADDED,
    severity: ports.trial ? 'INFO' : critical ? 'ERROR' : 'WARN',
    message: `The change adds a comment that suppresses ${rules.join(', ')}: ${reason}`,
    file,
    region: { line, column, endLine, endColumn: column + 1 },
    source: ports.set.source,
    text: comment.text,
  }
}

/**
 * A finding for each suppression comment that was not in the file before. One that suppresses nothing yet counts too:
 * a later change could put code below it.
 */
export const compareSuppressions = async (
  suppressions: readonly FileSuppression[],
  ports: SuppressionContext,
  signal: AbortSignal,
): Promise<ComparedSuppressions> => {
  const head = digestKeys(suppressions.map(({ file, suppression }) => file + keyOf(suppression)))
  const { base, source } = ports.set
  if (source === 'git:repository') return { drafts: [], versions: { head } }
  const files = [...new Set(suppressions.map(({ file }) => file))]
  const before = files.length === 0 ? NONE_BEFORE : await countBefore(ports, files, signal)
  const old = [...before].flatMap(([file, counts]) =>
    [...counts].flatMap(([key, count]) => Array<string>(count).fill(file + key)),
  )
  const versions = { ...(base !== undefined && { base: digestKeys(old) }), head }
  const drafts = suppressions.flatMap((one) => {
    const ofFile = before.get(one.file)
    const key = keyOf(one.suppression)
    const left = ofFile?.get(key) ?? 0
    ofFile?.set(key, left - 1)
    return left > 0 ? [] : [suppressionDraft(one, ports)]
  })
  return { drafts, versions }
}
