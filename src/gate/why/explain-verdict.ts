import type { Evidence } from '../../evidence/schema.ts'
import { optional } from '../../kernel/optional.ts'
import { plural } from '../../kernel/text/plural.ts'
import type { GateInput, GateVerdict } from '../judge-evidence.ts'
import type { GatePolicy, PolicySources } from '../policy.ts'
import { worstFirst } from '../reports/report.ts'
import type { Basis, Reason, VerdictExplanation } from './explanation.ts'
import { compareReasons, isAbout, isBlocking, listReasons, toReason } from './findings.ts'
import { listPolicyLines } from './policy-lines.ts'
import { smallestRepairs } from './repairs.ts'
import { listBases, type ReceiptSummary } from './rests-on.ts'
import { type PolicyVersion, strictestPolicy } from './threshold-lines.ts'

/** Everything that an explanation is made of. */
interface WhySources {
  readonly input: GateInput
  readonly verdict: GateVerdict
  /** The working tree first, then the last commit and the base that the run joined. */
  readonly versions: readonly PolicyVersion[]
  readonly variables: Pick<PolicySources, 'hardMode' | 'hardProfile'>
  readonly protectedBranches: readonly string[]
  readonly log: string
  readonly change: string | undefined
  /** Of the newest run that is recorded. */
  readonly receipt: ReceiptSummary | undefined
  /** Why a run of the gate would fail: a policy file that cannot be used. */
  readonly problem: string | undefined
  /** The finding, rule, check or path that is asked about; undefined for the whole verdict. */
  readonly about: string | undefined
  /** Whether `ai_gate_check` judges the present files itself. */
  readonly judges: boolean
}

/** Findings of the evidence that are not part of the verdict. */
const uncountedNotes = ({ snapshot }: Evidence, policy: GatePolicy): string[] => {
  const below = snapshot.findings.filter((one) => !isBlocking(one, policy))
  const counts = { CRITICAL: 0, ERROR: 0, WARN: 0, INFO: 0 }
  for (const { severity } of below) counts[severity] += 1
  const listed = worstFirst(counts).map(([severity, number]) => `${number} ${severity}`)
  const { suppressed_findings: suppressed } = snapshot
  return [
    ...(below.length === 0
      ? []
      : [
          `${plural(below.length, 'finding')} below ${policy.block_on_or_above} ${below.length === 1 ? 'does' : 'do'} not block: ${listed.join(', ')}.`,
        ]),
    ...(typeof suppressed === 'number' && suppressed > 0
      ? [`${plural(suppressed, 'finding')} suppressed by comments.`]
      : []),
  ]
}

const stageNotes = ({ snapshot }: Evidence, { stage, violations }: GateVerdict): string[] => {
  const { stage: made, findings } = snapshot
  const isOther = violations.some(({ code }) => code === 'EVIDENCE_STAGE_MISMATCH')
  return isOther && findings.length > 0
    ? [`The findings are those of ${made}; only a run at ${stage} shows what that stage finds.`]
    : []
}

/** Findings in files that changed after they were judged may be repaired already. */
const changedNotes = (reasons: readonly Reason[], { violations }: GateVerdict): string[] => {
  const changed = new Set(violations.flatMap(({ paths = [] }) => paths))
  const stale = reasons.filter(({ blocks, file }) => blocks && file !== undefined && changed.has(file))
  return stale.length === 0
    ? []
    : [
        `${plural(stale.length, 'reason')} ${stale.length === 1 ? 'is' : 'are'} in files that changed after the run and may be repaired already: run the gate first.`,
      ]
}

/** Where a finding that is not in the evidence went. */
const absentNotes = (named: string, evidence: Evidence | undefined): string[] => {
  if (evidence === undefined) return ['Without valid evidence no finding is known.']
  const shadowed = (evidence.consolidation?.suppressed ?? [])
    .filter(({ ruleId, file }) => isAbout({ rule: ruleId, file }, named))
    .map(
      ({ ruleId, file, replacedByRuleId }) =>
        `${ruleId} in ${file} is not listed: ${replacedByRuleId} reports the same line.`,
    )
  const entries = evidence.judged_tree?.entries
  const isPath = entries?.some(({ path }) => isAbout({ file: path }, named))
  return [
    ...shadowed,
    ...(shadowed.length > 0
      ? []
      : [
          isPath
            ? `${named} was judged, and no finding about it counts.`
            : `No finding that counts is about ${named}.`,
        ]),
  ]
}

const JUDGES =
  'This explains the evidence. With the setting check: judges, ai_gate_check judges the present files itself.'

/** Explains a verdict: why, what would turn it, what made it count, and what it rests on. */
export const explainVerdict = (sources: WhySources): VerdictExplanation => {
  const { input, verdict, versions, variables, about } = sources
  const evidence = input.reading.kind === 'valid' ? input.reading.evidence : undefined
  const policy = strictestPolicy(verdict, versions, variables)
  const all = listReasons(verdict, evidence, policy)
  const named: readonly Reason[] =
    about === undefined
      ? all
      : (evidence?.snapshot.findings ?? [])
          .map((one) => toReason(one, policy))
          .filter((one) => isAbout(one, about))
          .sort(compareReasons)
  const base = versions.findLast(({ commit }) => commit !== undefined)?.commit
  const { stage, recorded, reading } = input
  const lines = listPolicyLines(named, { ...sources, policy, evidence, base })
  const { problem } = sources
  const unreadable = reading.kind === 'invalid' && reading.reason === 'unreadable'
  const rests: readonly Basis[] = listBases({ ...sources, reading, recorded })
  return {
    status: verdict.status,
    allowed: verdict.allowed,
    stage,
    codes: verdict.violations.map(({ code }) => code),
    ...optional({ about }),
    reasons: named,
    repairs: verdict.allowed ? [] : smallestRepairs(named, { ...input, base, unreadable, problem }),
    counted: lines,
    rests_on: rests,
    notes: [
      ...(evidence === undefined || about !== undefined ? [] : uncountedNotes(evidence, policy)),
      ...(evidence === undefined ? [] : stageNotes(evidence, verdict)),
      ...changedNotes(named, verdict),
      ...(about !== undefined && named.length === 0 ? absentNotes(about, evidence) : []),
      ...(sources.judges ? [JUDGES] : []),
    ],
  }
}
