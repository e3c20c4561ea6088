import type { FindingSource } from '../evaluate.ts'
import { findProtected } from '../protected-branches.ts'
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

/** A finding when a change is made on a protected branch. A build judges what was merged, so it has none. */
export const branchSource =
  (protectedBranches: readonly string[]): FindingSource =>
  async ({ stage, git }, signal) => {
    if (stage === 'CI' || protectedBranches.length === 0) return { drafts: [] }
    const { branch } = await git.state(signal)
    const branches = branch === 'HEAD' ? await git.branchesAtHead(signal) : branch === null ? [] : [branch]
    const found = findProtected(branches, protectedBranches)
    const message = `The branch ${found} is protected.`
    return { drafts: found === undefined ? [] : [{ ...PROTECTED_BRANCH, message }] }
  }
