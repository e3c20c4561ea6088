import { writeFileSync } from 'node:fs'
import { buildEvidence } from '../../src/evidence/build.ts'
import { linkEvidence, writeDocument } from '../../src/evidence/document.ts'
import type { Repo } from './repository.ts'

interface ProofOptions {
  /** Milliseconds since the epoch; now when absent. */
  readonly at?: number
  readonly blocked?: boolean
}

/** Puts valid evidence into a repository, as a gate run at that time would have left it. */
export const writeProof = (repo: Repo, { at = Date.now(), blocked = false }: ProofOptions = {}): void => {
  const finding = {
    ruleId: 'generic.no-secret',
    severity: 'CRITICAL',
    code: 'SECRET',
    message: 'A secret.',
    file: 'a.ts',
  } as const
  const input = {
    stage: 'PRE_COMMIT',
    outcome: blocked ? 'BLOCK' : 'PASS',
    findings: blocked ? [finding] : [],
    platforms: { backend: { detected: true, confidence: 'HIGH' } },
    rulesets: [],
  } as const
  const evidence = linkEvidence(buildEvidence(input, undefined, at), undefined)
  writeFileSync(repo.path('.ai_evidence.json'), writeDocument(evidence))
}
