import type { Evidence } from '../../evidence/schema.ts'
import type { GateStage } from '../../evidence/stage.ts'
import { optional } from '../../kernel/optional.ts'
import { plural } from '../../kernel/text/plural.ts'
import type { AgentVerdict, PresentVerdict } from '../judge-present.ts'
import { countSeverities, listSeverities } from '../reports/report.ts'
import type { PolicyLine, Reason, VerdictExplanation } from './explanation.ts'
import { isAbout, listReasons } from './findings.ts'
import { smallestRepairs } from './repairs.ts'
import { listBases, type RestsOnInput } from './rests-on.ts'

/** Everything that an explanation is made of. */
interface WhySources extends Omit<RestsOnInput, 'evidence' | 'isStored'> {
  readonly stage: GateStage
  readonly present: PresentVerdict
  readonly agents: AgentVerdict
  /** The finding, rule, check or path that is asked about; undefined for the whole verdict. */
  readonly about: string | undefined
}

/** Findings of the evidence that are not part of the verdict. */
const uncountedNotes = ({ snapshot }: Evidence, all: readonly Reason[]): string[] => {
  const { known_findings: known, suppressed_findings: suppressed } = snapshot
  const below = all.filter(({ blocks }) => !blocks)
  const listed = listSeverities(countSeverities(below))
  const counted = (count: unknown, what: string) =>
    typeof count === 'number' && count > 0 ? [`${plural(count, 'finding')} ${what}.`] : []
  return [
    ...(below.length === 0
      ? []
      : [
          `${plural(below.length, 'finding')} ${below.length === 1 ? 'does' : 'do'} not block: ${listed.join(', ')}.`,
        ]),
    ...counted(known, 'known: the base has them'),
    ...counted(suppressed, 'accepted with a reason'),
  ]
}

/** Where a finding that is not in the evidence went. */
const absentNotes = (named: string, evidence: Evidence): string[] => {
  const shadowed = (evidence.consolidation?.suppressed ?? [])
    .filter(({ ruleId, file }) => isAbout({ rule: ruleId, file }, named))
    .map(
      ({ ruleId, file, replacedByRuleId }) =>
        `${ruleId} in ${file} is not listed: ${replacedByRuleId} reports the same line.`,
    )
  if (shadowed.length > 0) return shadowed
  const isPath = evidence.judged_tree?.entries?.some(({ path }) => isAbout({ file: path }, named))
  return [
    isPath
      ? `${named} was judged, and no finding about it counts.`
      : `No finding that counts is about ${named}.`,
  ]
}

const storedLines = ({ snapshot }: Evidence): readonly PolicyLine[] =>
  Array.isArray(snapshot.decided_by) ? snapshot.decided_by : []

/** Explains a verdict: why, what would allow the change, what made it count, and what it rests on. */
export const explainVerdict = (sources: WhySources): VerdictExplanation => {
  const { present, stage, agents, about } = sources
  const { status, evidence } = present
  const all = listReasons(evidence)
  const reasons = all.filter((one) => (about === undefined ? one.blocks : isAbout(one, about)))
  const { policy_base: base, source } = evidence.snapshot
  return {
    status,
    stage,
    ...optional({ about }),
    reasons,
    repairs: smallestRepairs(reasons, {
      stage,
      worktree: source === 'git:worktree',
      base: typeof base === 'string' ? base : undefined,
    }),
    counted: storedLines(evidence),
    agents,
    rests_on: listBases({ ...sources, ...present }),
    notes: [
      ...(about === undefined ? uncountedNotes(evidence, all) : []),
      ...(about !== undefined && reasons.length === 0 ? absentNotes(about, evidence) : []),
    ],
  }
}
