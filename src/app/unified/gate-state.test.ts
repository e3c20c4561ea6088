import { describe, expect, it } from 'vitest'
import type { Evidence } from '../../evidence/schema.ts'
import type { EvidenceReading } from '../../evidence/store.ts'
import { closedReason } from './server-state.ts'

const COMMIT = 'a'.repeat(40)
const OTHER = 'b'.repeat(40)

const valid = (
  status: 'ALLOWED' | 'BLOCKED',
  head: string | null,
  branch: string | null,
): EvidenceReading => ({
  kind: 'valid',
  digest: '',
  evidence: {
    ai_gate: { status, violations: [], human_intent: null },
    snapshot: { stage: 'PRE_COMMIT', outcome: 'BLOCK', findings: [] },
    judged_tree: { scope: 'staged', head, digest: '', files: 1 },
    repo_state: { git: { branch } },
  } as unknown as Evidence,
})

const missing: EvidenceReading = { kind: 'missing' }
const invalid: EvidenceReading = { kind: 'invalid', reason: 'schema' }
const blocked = valid('BLOCKED', COMMIT, 'main')
const allowed = valid('ALLOWED', COMMIT, 'main')
const at = (commit: string | undefined, branch: string) => ({ ...(commit && { commit }), branch })

describe('tools that write', () => {
  it.each([
    ['open without evidence', missing, {}, undefined],
    ['open without evidence, though keys are listed', missing, { listsKeys: true }, undefined],
    ['open with invalid evidence of anyone', invalid, {}, undefined],
    [
      'closed with invalid evidence where keys are listed',
      invalid,
      { listsKeys: true },
      /invalid \(schema\)/,
    ],
    ['open while the gate allows', allowed, { head: at(COMMIT, 'main') }, undefined],
    [
      'closed where no listed key signed',
      allowed,
      { head: at(COMMIT, 'main'), listsKeys: true, lacksReceipt: true },
      /no listed key/,
    ],
    ['closed on commit and branch of the verdict', blocked, { head: at(COMMIT, 'main') }, /BLOCKED/],
    ['closed on a new branch at the same commit', blocked, { head: at(COMMIT, 'new') }, /BLOCKED/],
    ['closed after a commit on the same branch', blocked, { head: at(OTHER, 'main') }, /BLOCKED/],
    ['closed outside of a repository', blocked, {}, /BLOCKED/],
    ['open on another branch at another commit', blocked, { head: at(OTHER, 'new') }, undefined],
    ['closed at the same detached commit', blocked, { head: at(COMMIT, 'HEAD') }, /BLOCKED/],
    [
      'open at another detached commit, though the verdict is of a detached one',
      valid('BLOCKED', COMMIT, 'HEAD'),
      { head: at(OTHER, 'HEAD') },
      undefined,
    ],
    [
      'closed before the first commit',
      valid('BLOCKED', null, 'main'),
      { head: at(undefined, 'other') },
      /BLOCKED/,
    ],
  ] as const)('are %s', (_, reading, facts, why) => {
    const defaults = { head: undefined, listsKeys: false, lacksReceipt: false }
    const reason = closedReason({ ...defaults, ...facts, reading })
    expect(reason?.why).toEqual(why === undefined ? undefined : expect.stringMatching(why))
  })
})
