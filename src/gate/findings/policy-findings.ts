import { compareText } from '../../evidence/compare.ts'
import type { Severity } from '../../evidence/schema.ts'
import { digestJson } from '../../kernel/encoding/hash.ts'
import { KEYS_FILE } from '../../receipts/keys-path.ts'
import type { ReceiptDetails } from '../../receipts/statement.ts'
import { type GatePolicy, isAtLeast } from '../policy.ts'
import type { ChangeSet } from '../ports.ts'
import type { PolicyChange } from '../rules/policy-change.ts'
import type { FileSuppression } from './collect.ts'
import type { FindingDraft } from './drafts.ts'
import { FILE_PROBLEMS } from './file-problems.ts'

/** The source of findings about changed policy files. */
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

export const SUPPRESSION_ADDED_RULE = 'gate.suppression-added'

/** It is listed for the reviewer and blocks nothing: the comment accepts what its rule finds. */
const SUPPRESSION_ADDED = {
  ruleId: SUPPRESSION_ADDED_RULE,
  severity: 'INFO',
  code: 'SUPPRESSION_ADDED',
  fix: 'Check the reason, or repair what the rule reports and remove the comment.',
  matchedBy: 'FileContent',
} as const

export interface KeyPorts {
  /** Whether the keys that the change adds are added by a listed developer, in commits that do nothing else. */
  readonly mayAddKeys?: (
    set: Pick<ChangeSet, 'base' | 'target' | 'head' | 'changes'>,
    signal: AbortSignal,
  ) => Promise<boolean>
}

/** The changes of the policy; a key that a listed developer adds weakens nothing. */
const settleKeys = async (
  { mayAddKeys }: KeyPorts,
  set: ChangeSet,
  changes: readonly PolicyChange[],
  signal: AbortSignal,
): Promise<readonly PolicyChange[]> => {
  const keys = changes.filter(({ file, weaker }) => file === KEYS_FILE && weaker)
  if (keys.length === 0 || !keys.every(({ addsKey }) => addsKey)) return changes
  if (!(await mayAddKeys?.(set, signal))) return changes
  return changes.map((one) => (one.addsKey ? { ...one, weaker: false } : one))
}

/** The base does not count (`--policy-from worktree`): the findings are shown and block nothing. */
interface Trial {
  readonly trial: boolean
}

interface PolicyContext extends Trial {
  readonly ports: KeyPorts
  readonly set: ChangeSet
  readonly policy: GatePolicy
}

/**
 * A finding for each file that alters how changes are judged. A stricter policy that is not part of the change, such
 * as an untracked one, gives no finding. A stricter policy is not blocked by its own thresholds.
 */
export const policyDrafts = async (
  changes: readonly PolicyChange[],
  { ports, set, policy, trial }: PolicyContext,
  signal: AbortSignal,
): Promise<FindingDraft[]> => {
  const changed = new Set(set.changes.map(({ path }) => path))
  const severityIfStricter: Severity = isAtLeast('WARN', policy.block_on_or_above) ? 'INFO' : 'WARN'
  const settled = await settleKeys(ports, set, changes, signal)
  return settled
    .filter(({ file, weaker, fromEnvironment }) => weaker || fromEnvironment || changed.has(file))
    .map(({ file, effect, weaker, addsKey }) => ({
      ...POLICY_CHANGED,
      severity: trial || (addsKey && !weaker) ? 'INFO' : weaker ? 'ERROR' : severityIfStricter,
      message: `${weaker ? 'The change weakens the policy' : 'The policy changes'}: ${effect}.`,
      file,
      text: effect,
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

/** Comments with equal keys are interchangeable: one that moves within its file is not new. */
const keyOf = ({ file, suppression }: FileSuppression): string =>
  JSON.stringify([file, [...suppression.ids].sort()])

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

const suppressionDraft = ({ file, suppression }: FileSuppression, source: string): FindingDraft => {
  const { comment, ids, reason } = suppression
  const { line, column, endLine } = comment
  return {
    ...SUPPRESSION_ADDED,
    message: `A comment accepts ${ids.join(', ')} here: ${reason}`,
    file,
    region: { line, column, endLine, endColumn: column + 1 },
    source,
    text: comment.text,
  }
}

/** A finding for each suppression comment that was not in the file before, also for one that suppresses nothing yet. */
export const compareSuppressions = (
  suppressions: readonly FileSuppression[],
  before: readonly FileSuppression[],
  { base, source }: Pick<ChangeSet, 'base' | 'source'>,
): ComparedSuppressions => {
  const head = digestKeys(suppressions.map(keyOf))
  if (source === 'git:repository') return { drafts: [], versions: { head } }
  const old = before.map(keyOf)
  const versions = { ...(base !== undefined && { base: digestKeys(old) }), head }
  const left = [...old]
  const drafts = suppressions.flatMap((one) => {
    const at = left.indexOf(keyOf(one))
    if (at >= 0) left.splice(at, 1)
    return at < 0 ? [suppressionDraft(one, source)] : []
  })
  return { drafts, versions }
}
