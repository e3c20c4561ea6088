import { familyOf } from '../../evidence/consolidate.ts'
import type { CompiledRule } from '../rules/compiled-rule.ts'
import { fingerprintFindings, knownByAlias, type LoadedBaseline } from './baseline.ts'
import type { FindingDraft } from './collect.ts'
import { POLICY_SOURCE } from './policy-findings.ts'

/** Rules of one family report the same problem of a line: what is known of one finding is known of all. */
export const familyKey = ({ file, ruleId, region }: FindingDraft): string =>
  JSON.stringify([file, region?.line ?? 0, familyOf(ruleId)])

interface BaselineInput {
  readonly drafts: readonly FindingDraft[]
  readonly fingerprints: ReturnType<typeof fingerprintFindings>
  readonly baseline: LoadedBaseline | undefined
  /** New path → old path of moved files. */
  readonly moved: ReadonlyMap<string, string>
}

/** The families of findings in the baseline, looked up by the present and by the old path of moved files. */
export const familiesInBaseline = ({ drafts, fingerprints, moved, baseline }: BaselineInput) => {
  if (baseline === undefined) return new Set<string>()
  const oldPath = (file: string) => moved.get(file) ?? file
  const old = moved.size === 0 ? fingerprints : fingerprintFindings(drafts, oldPath)
  const aliased = knownByAlias(drafts, baseline.known, oldPath)
  const isKnown = (draft: FindingDraft) =>
    baseline.known.has(fingerprints.get(draft) ?? '') ||
    baseline.known.has(old.get(draft) ?? '') ||
    aliased.has(draft)
  // Not that the specification blocks a stage, that the policy changed, or that a check gave no result.
  const isAcceptable = ({ source }: FindingDraft) =>
    ![SDD_SOURCE, POLICY_SOURCE, CHECK_SOURCE].includes(source)
  return new Set(drafts.filter((one) => isAcceptable(one) && isKnown(one)).map(familyKey))
}

export const SDD_SOURCE = 'sdd-policy'
/** The source of findings about checks that gave no result. */
export const CHECK_SOURCE = 'gate-checks'

type RuleOfFinding = Pick<CompiledRule, 'id' | 'secret' | 'category'>

const CONFLICT_MARKER = /\bno-conflict-markers?$/

/** Secrets and conflict markers count wherever they are in a changed file. */
const isAboutWholeFile = ({ id, secret, category }: RuleOfFinding): boolean =>
  secret === true || category === 'secrets' || CONFLICT_MARKER.test(id)

/** Whether a finding may be left to the lines it is on. Findings of the gate itself, such as a syntax error, may not. */
const dependsOnLines = (draft: FindingDraft, rules: ReadonlyMap<string, RuleOfFinding>): boolean => {
  const rule = rules.get(draft.ruleId)
  return draft.region !== undefined && rule !== undefined && !isAboutWholeFile(rule)
}

/** Files that have findings which count on changed lines only. */
export const filesJudgedByLine = (
  drafts: readonly FindingDraft[],
  rules: ReadonlyMap<string, RuleOfFinding>,
): readonly string[] => [
  ...new Set(drafts.filter((one) => dependsOnLines(one, rules)).map(({ file }) => file)),
]

/** The families of findings on unchanged lines. One finding on a changed line makes its whole family count. */
export const familiesOnUnchangedLines = (
  drafts: readonly FindingDraft[],
  rules: ReadonlyMap<string, RuleOfFinding>,
  isChanged: (file: string, place: NonNullable<FindingDraft['region']>) => boolean,
): ReadonlySet<string> => {
  const counts = (one: FindingDraft) =>
    !dependsOnLines(one, rules) || one.region === undefined || isChanged(one.file, one.region)
  const unchanged = new Set(drafts.filter((one) => !counts(one)).map(familyKey))
  for (const draft of drafts) if (counts(draft)) unchanged.delete(familyKey(draft))
  return unchanged
}
