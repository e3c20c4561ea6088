import { digestBytes } from '../kernel/encoding/hash.ts'
import { toViolation } from './build.ts'
import { compareFindings, compareLedger } from './compare.ts'
import { normalizeFinding, normalizeLines, normalizePath } from './finding.ts'
import type { Evidence, LedgerEntry } from './schema.ts'

/** The order in which a file has its parts. What it does not name comes after, and the chain last. */
const KEYS = [
  'version',
  'timestamp',
  'snapshot',
  'ledger',
  'platforms',
  'rulesets',
  'human_intent',
  'ai_gate',
  'severity_metrics',
  'sdd_metrics',
  'repo_state',
  'consolidation',
] as const

const orderKeys = (evidence: Evidence): Evidence => {
  const { evidence_chain: chain, ...rest } = evidence
  const keys = [...new Set([...KEYS.filter((key) => rest[key] !== undefined), ...Object.keys(rest)])]
  return {
    ...(Object.fromEntries(keys.map((key) => [key, rest[key]])) as typeof rest),
    ...(chain !== undefined && { evidence_chain: chain }),
  }
}

/** What the chain vouches for: everything but the chain, compact, in the order of the file. */
export const payloadHash = ({ evidence_chain: _, ...rest }: Evidence): string =>
  digestBytes(JSON.stringify(rest))

const normalizeEntry = ({ lines, ...entry }: LedgerEntry, root?: string): LedgerEntry => {
  const { ruleId, file, ...rest } = entry
  const normalized = normalizeLines(lines)
  return {
    ruleId,
    file: normalizePath(file, root),
    ...(normalized !== undefined && { lines: normalized }),
    ...rest,
  }
}

/** The evidence as it will stand in the file: every list in its order, no path of this machine inside. */
const normalizeEvidence = (evidence: Evidence, root?: string): Evidence => {
  const { snapshot, ai_gate: gate, repo_state: repo, ledger } = evidence
  const findings = snapshot.findings.map((finding) => normalizeFinding(finding, root)).sort(compareFindings)
  return orderKeys({
    ...evidence,
    snapshot: { ...snapshot, findings },
    ledger: ledger.map((entry) => normalizeEntry(entry, root)).sort(compareLedger),
    ai_gate: { ...gate, violations: findings.map(toViolation) },
    ...(repo !== undefined && { repo_state: { ...repo, repo_root: '.' } }),
  })
}

/** Links the evidence to the one it replaces. */
export const linkEvidence = (evidence: Evidence, previous: Evidence | undefined, root?: string): Evidence => {
  const { evidence_chain: _, ...plain } = evidence
  const arranged = normalizeEvidence(plain, root)
  const before = previous?.evidence_chain
  return {
    ...arranged,
    evidence_chain: {
      algorithm: 'sha256',
      previous_payload_hash: before?.payload_hash ?? null,
      payload_hash: payloadHash(arranged),
      sequence: (before?.sequence ?? 0) + 1,
    },
  }
}

/** The text of the file. */
export const writeDocument = (evidence: Evidence): string =>
  `${JSON.stringify(orderKeys(evidence), null, 2)}\n`
