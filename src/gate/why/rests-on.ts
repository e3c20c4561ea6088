import type { Evidence } from '../../evidence/schema.ts'
import { EVIDENCE_FILE } from '../../evidence/store.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { optional } from '../../kernel/optional.ts'
import { plural } from '../../kernel/text/plural.ts'
import type { RecordedRun } from '../check-binding.ts'
import type { GateVerdict } from '../judge-evidence.ts'
import { citedPackets } from '../reports/citations.ts'
import type { Basis } from './explanation.ts'

/** What the receipt of the newest run says about itself. */
export interface ReceiptSummary {
  readonly digest: string
  /** Who signed it, or why it is not trusted. */
  readonly detail: string
}

export interface RestsOnInput {
  readonly evidence: Evidence
  /** Whether the evidence is the stored one; otherwise it was made for this answer. */
  readonly isStored: boolean
  /** Of the stored evidence. */
  readonly age: GateVerdict['evidence']
  readonly recorded: RecordedRun | undefined
  /** The name of the log that records decisions. */
  readonly log: string
  /** The OpenSpec change of the open session. */
  readonly change: string | undefined
  readonly receipt: ReceiptSummary | undefined
  /** About passages that the evidence cites. */
  readonly notes: readonly string[]
}

const describeAge = (seconds: number | null): string => {
  if (seconds === null) return 'of an unknown age'
  if (seconds < 120) return `${seconds} s old`
  if (seconds < 7_200) return `${Math.floor(seconds / 60)} min old`
  return seconds < 172_800 ? `${Math.floor(seconds / 3_600)} h old` : `${Math.floor(seconds / 86_400)} d old`
}

const evidenceBasis = ({ evidence, isStored, age }: RestsOnInput): Basis => {
  const { evidence_chain: chain, snapshot, timestamp, ai_gate: gate } = evidence
  const common = { kind: 'evidence', ...optional({ digest: chain?.payload_hash }) } as const
  const verdict = `${gate.status} at ${snapshot.stage}`
  if (!isStored) return { ...common, name: 'judged now', detail: `${verdict} · nothing was written` }
  const parts = [
    verdict,
    `${describeAge(age.age_seconds)} of ${describeAge(age.max_age_seconds).replace(' old', '')}`,
    `written ${timestamp}`,
    ...(chain === undefined ? [] : [`no. ${chain.sequence}`]),
  ]
  return { ...common, name: EVIDENCE_FILE, detail: parts.join(' · ') }
}

const treeBasis = ({ judged_tree: tree }: Evidence): Basis[] => {
  if (tree === undefined) return []
  const parts = [plural(tree.files, 'file'), ...(tree.head === null ? [] : [`on ${tree.head.slice(0, 12)}`])]
  return [{ kind: 'tree', name: tree.scope, digest: tree.digest, detail: parts.join(' · ') }]
}

const policyBasis = ({ rulesets, snapshot }: Evidence): Basis[] =>
  rulesets
    .filter(({ platform }) => platform === 'policy')
    .map(({ bundle, hash }) => ({
      kind: 'policy',
      name: bundle,
      digest: `sha256:${hash}`,
      detail: [
        plural(rulesets.length - 1, 'rule set'),
        ...(typeof snapshot.policy_base === 'string'
          ? [`joined with ${snapshot.policy_base.slice(0, 12)}`]
          : []),
      ].join(' · '),
    }))

const checkBases = ({ snapshot: { checks } }: Evidence): Basis[] =>
  (Array.isArray(checks) ? (checks as unknown[]) : []).filter(isRecord).map((row) => {
    const { name, outcome, results, digest, tool, version, origin, file } = row
    const parts = [
      String(outcome),
      ...(outcome === 'results' ? [plural(Number(results), 'result')] : []),
      ...[[tool, version].filter((one) => typeof one === 'string').join(' ')].filter((one) => one !== ''),
      ...(origin === 'imported' ? [`imported from ${String(file)}`] : []),
    ]
    return {
      kind: 'check',
      name: String(name),
      ...(typeof digest === 'string' && { digest }),
      detail: parts.join(' · '),
    }
  })

const specificationBasis = ({ sdd_metrics: sdd }: Evidence, change: string | undefined): Basis[] =>
  sdd === undefined
    ? []
    : [
        {
          kind: 'specification',
          name: change === undefined ? 'OpenSpec' : `OpenSpec change ${change}`,
          detail: `${sdd.decision.code}: ${sdd.decision.message}`,
        },
      ]

/** Passages of packets that the run cited. */
const packetBases = ({ evidence, notes }: RestsOnInput): Basis[] =>
  citedPackets(evidence).map(({ uri, digest }) => ({
    kind: 'packet',
    name: uri,
    digest,
    detail: notes.find((note) => note.includes(uri)) ?? 'cited by the run',
  }))

const lineageBasis = (own: string | undefined, { recorded, log }: RestsOnInput): Basis[] => {
  if (recorded === undefined) return []
  const { seq, evidence } = recorded
  const detail =
    own !== undefined && (own === evidence || recorded.earlier.includes(own))
      ? 'records the run that wrote this evidence'
      : 'records a run that wrote other evidence'
  return [
    {
      kind: 'lineage',
      name: seq === undefined ? log : `${log} entry ${seq}`,
      ...optional({ digest: evidence }),
      detail,
    },
  ]
}

/** The receipt of the run that wrote the evidence. */
const receiptBasis = (own: string | undefined, { recorded, receipt }: RestsOnInput): Basis[] =>
  receipt === undefined || own === undefined || own !== recorded?.evidence
    ? []
    : [
        {
          kind: 'receipt',
          name: recorded.tree === undefined ? 'of no tree' : `of tree ${recorded.tree.slice(0, 12)}`,
          ...receipt,
        },
      ]

/** What a verdict rests on, from the file that was read to the log that records it and the receipt. */
export const listBases = (input: RestsOnInput): Basis[] => {
  const { evidence, isStored, change } = input
  const own = evidence.evidence_chain?.payload_hash
  return [
    evidenceBasis(input),
    ...treeBasis(evidence),
    ...policyBasis(evidence),
    ...checkBases(evidence),
    ...specificationBasis(evidence, change),
    ...packetBases(input),
    ...(isStored ? [...lineageBasis(own, input), ...receiptBasis(own, input)] : []),
  ]
}
