import { familyOf } from '../../evidence/consolidate.ts'
import type { GateStage } from '../../evidence/stage.ts'
import { optional } from '../../kernel/optional.ts'
import { readChangedLines } from '../facts/changed-lines.ts'
import type { ChangeSet } from '../ports.ts'
import { comparePlaces, type Excerpt, type GateFinding } from '../reports/report.ts'
import type { RuleSet } from '../rules/assemble-rules.ts'
import type { CompiledRule } from '../rules/compiled-rule.ts'
import { fingerprintFindings, knownByAlias, type LoadedBaseline } from './baseline.ts'
import type { FindingDraft } from './collect.ts'
import { POLICY_SOURCE } from './policy-findings.ts'

interface ClassifyInput extends Omit<BaselineInput, 'fingerprints'> {
  /** Families of findings on unchanged lines. */
  readonly unchanged?: ReadonlySet<string>
}

/** Adds fingerprint and state to every finding, and sorts them. */
export const classifyFindings = (evaluation: ClassifyInput) => {
  const fingerprints = fingerprintFindings(evaluation.drafts)
  const accepted = familiesInBaseline({ ...evaluation, fingerprints })
  const isKnown = (key: string) => accepted.has(key) || (evaluation.unchanged?.has(key) ?? false)
  const excerpts = new Map<GateFinding, Excerpt>()
  const findings = evaluation.drafts.map((draft): GateFinding => {
    const { excerpt, suppressed, text: _, ...rest } = draft
    const state = suppressed !== undefined ? 'suppressed' : isKnown(familyKey(draft)) ? 'known' : 'new'
    const finding: GateFinding = {
      ...rest,
      state,
      ...optional({ reason: suppressed }),
      fingerprint: fingerprints.get(draft) ?? '',
    }
    if (excerpt !== undefined) excerpts.set(finding, excerpt)
    return finding
  })
  return { findings: findings.sort(comparePlaces), excerpts }
}

/** Whether findings count on changed lines only: while one works and before a commit, unless an option says otherwise. */
export const judgesByLine = (
  { stage, changedLines }: { readonly stage: GateStage; readonly changedLines?: boolean | undefined },
  { source }: ChangeSet,
): boolean =>
  source !== 'git:repository' &&
  (changedLines ?? ((stage === 'PRE_WRITE' || stage === 'PRE_COMMIT') && !source.startsWith('git:range')))

export const findUnchanged = async (
  set: ChangeSet,
  drafts: readonly FindingDraft[],
  { byId }: Pick<RuleSet, 'byId'>,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> => {
  const files = filesJudgedByLine(drafts, byId)
  return familiesOnUnchangedLines(drafts, byId, await readChangedLines(set, files, signal))
}

/** Rules of one family report the same problem of a line: what is known of one finding is known of all. */
const familyKey = ({ file, ruleId, region }: FindingDraft): string =>
  JSON.stringify([file, region?.line ?? 0, familyOf(ruleId)])

interface BaselineInput {
  readonly drafts: readonly FindingDraft[]
  readonly fingerprints: ReturnType<typeof fingerprintFindings>
  readonly baseline: LoadedBaseline | undefined
  /** New path → old path of moved files. */
  readonly moved: ReadonlyMap<string, string>
}

/** The families of findings in the baseline, looked up by the present and by the old path of moved files. */
const familiesInBaseline = ({ drafts, fingerprints, moved, baseline }: BaselineInput) => {
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
const filesJudgedByLine = (
  drafts: readonly FindingDraft[],
  rules: ReadonlyMap<string, RuleOfFinding>,
): readonly string[] => [
  ...new Set(drafts.filter((one) => dependsOnLines(one, rules)).map(({ file }) => file)),
]

/** The families of findings on unchanged lines. One finding on a changed line makes its whole family count. */
const familiesOnUnchangedLines = (
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
