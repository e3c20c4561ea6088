import type { GateStage } from '../../evidence/stage.ts'
import type { GitReader, GitState } from '../ports.ts'
import { findProtected } from '../protected-branches.ts'
import type { FindingDraft } from './drafts.ts'
import { POLICY_SOURCE } from './policy-findings.ts'

const PROTECTED_BRANCH = {
  ruleId: 'gate.protected-branch',
  severity: 'CRITICAL',
  code: 'GITFLOW_PROTECTED_BRANCH',
  file: '.',
  why: 'The setting protectedBranches names it.',
  fix: 'Create a branch for the change: `git switch -c feature/<name>`.',
  matchedBy: 'Policy',
  source: POLICY_SOURCE,
  text: '',
} as const

interface BranchPorts {
  readonly git: Pick<GitReader, 'branchesAtHead'>
  readonly protectedBranches: readonly string[]
}

/** A finding when a change is made on a protected branch. A build judges what was merged, so it has none. */
export const branchDrafts = async (
  { git, protectedBranches }: BranchPorts,
  readState: (signal: AbortSignal) => Promise<Pick<GitState, 'branch'>>,
  stage: GateStage,
  signal: AbortSignal,
): Promise<FindingDraft[]> => {
  if (stage === 'CI' || protectedBranches.length === 0) return []
  const { branch } = await readState(signal)
  if (branch === null) return []
  const branches = branch === 'HEAD' ? await git.branchesAtHead(signal) : [branch]
  const found = findProtected(branches, protectedBranches)
  return found === undefined ? [] : [{ ...PROTECTED_BRANCH, message: `The branch ${found} is protected.` }]
}
