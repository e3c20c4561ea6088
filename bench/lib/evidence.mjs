import { createHash } from 'node:crypto'

const severities = ['INFO', 'WARN', 'ERROR', 'CRITICAL']
const folders = ['apps/backend/src', 'apps/web/src', 'apps/ios/App', 'apps/android/app']
const time = '2026-11-15T10:00:00.000Z'

/** @param {number} at */
function finding(at) {
  return {
    ruleId: `rule.${at % 40}`,
    severity: severities[at % 4],
    code: `CODE_${at % 40}`,
    message: `What rule ${at % 40} says of line ${at}`,
    file: `${folders[at % 4]}/file-${at % 300}.ts`,
    lines: [at],
    source: 'git:staged',
  }
}

/**
 * A document of version 2.1 with so many findings, chained as the gate chains it.
 *
 * @param {number} count
 */
export function evidence(count) {
  const findings = Array.from({ length: count }, (_, at) => finding(at))
  const total = (/** @type {string} */ word) => findings.filter(({ severity }) => severity === word).length
  const document = {
    version: '2.1',
    timestamp: time,
    snapshot: { stage: 'CI', outcome: 'BLOCK', findings },
    ledger: findings.map(({ ruleId, file, lines }) => ({
      ruleId,
      file,
      lines,
      firstSeen: time,
      lastSeen: time,
    })),
    platforms: Object.fromEntries(
      ['android', 'backend', 'frontend', 'ios'].map((name) => [name, { detected: true, confidence: 'HIGH' }]),
    ),
    rulesets: [{ platform: 'backend', bundle: 'backend@1', hash: 'a'.repeat(64) }],
    human_intent: null,
    ai_gate: {
      status: 'BLOCKED',
      violations: findings.map(({ severity, ...rest }) => ({ ...rest, level: severity })),
      human_intent: null,
    },
    severity_metrics: {
      gate_status: 'BLOCKED',
      total_violations: count,
      by_severity: {
        CRITICAL: total('CRITICAL'),
        ERROR: total('ERROR'),
        WARN: total('WARN'),
        INFO: total('INFO'),
      },
    },
  }
  const hash = createHash('sha256').update(JSON.stringify(document)).digest('hex')
  const chain = {
    algorithm: 'sha256',
    previous_payload_hash: null,
    payload_hash: `sha256:${hash}`,
    sequence: 1,
  }
  return `${JSON.stringify({ ...document, evidence_chain: chain }, null, 2)}\n`
}
