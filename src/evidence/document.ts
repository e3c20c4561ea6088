import { isUtf8 } from 'node:buffer'
import { digestBytes } from '../kernel/encoding/hash.ts'
import { jsonOf } from '../kernel/encoding/json.ts'
import { optional } from '../kernel/optional.ts'
import { toViolation } from './build.ts'
import { compareFindings, compareLedger } from './compare.ts'
import { normalizeFinding, normalizeLines, normalizePath } from './finding.ts'
import type { Evidence, LedgerEntry } from './schema.ts'

/** Order of the keys in the file. Other keys follow, and `evidence_chain` is last. */
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
  'judged_tree',
  'consolidation',
] as const

const orderKeys = (evidence: Evidence): Evidence => {
  const { evidence_chain: chain, ...rest } = evidence
  const first = KEYS.filter((key) => rest[key] !== undefined)
  return {
    ...Object.fromEntries(first.map((key) => [key, rest[key]])),
    ...rest,
    ...optional({ evidence_chain: chain }),
  }
}

/** The hash in the chain: over everything but the chain, as compact JSON in the order of the file. */
export const payloadHash = ({ evidence_chain: _, ...rest }: Evidence): string =>
  digestBytes(JSON.stringify(rest))

const normalizeEntry = ({ lines, ...entry }: LedgerEntry, root?: string): LedgerEntry => {
  const { ruleId, file, ...rest } = entry
  const normalized = normalizeLines(lines)
  return {
    ruleId,
    file: normalizePath(file, root),
    ...optional({ lines: normalized }),
    ...rest,
  }
}

/** The evidence as it is written: sorted lists, paths relative to the root. */
const normalizeEvidence = (evidence: Evidence, root?: string): Evidence => {
  const { snapshot, ai_gate: gate, repo_state: repo, ledger } = evidence
  const findings = snapshot.findings.map((finding) => normalizeFinding(finding, root)).sort(compareFindings)
  return orderKeys({
    ...evidence,
    snapshot: { ...snapshot, findings },
    ledger: ledger.map((entry) => normalizeEntry(entry, root)).sort(compareLedger),
    ai_gate: { ...gate, violations: findings.map(toViolation) },
    ...optional({ repo_state: repo && { ...repo, repo_root: '.' } }),
  })
}

/** Adds the hash chain, which links the evidence to the one it replaces. */
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

export const writeDocument = (evidence: Evidence): string =>
  `${JSON.stringify(orderKeys(evidence), null, 2)}\n`

/** The JSON value in the bytes of a file; undefined when they are not UTF-8 or not JSON. */
export const parseDocument = (bytes: Uint8Array): unknown => {
  if (!isUtf8(bytes)) return undefined
  return jsonOf(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8'))
}
