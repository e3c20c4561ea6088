import type { CanaryRow } from './canary-row.ts'

const USES = /^\s*(?:-\s+)?uses:\s*["']?([^\s"'#]+)/gm
/** Steps of the same repository and images by digest need no commit. */
const PINNED = /^(?:\.\/|docker:\/\/.+@sha256:)|@[0-9a-f]{40}$/
const REQUIRED = 'whether its job is a required check cannot be shown from here'

/** Whether a line of a workflow runs the gate: a command, or the action. */
export const runsGate = (text: string): boolean =>
  /^[^#\n]*\bwarrant(?:\.js)?['"]? gate\b/m.test(text) ||
  [...text.matchAll(USES)].some(([, name = '']) => /(?:^|\/)[\w.-]*warrant[\w.-]*(?:\/[^@]*)?@/i.test(name))

/** What a workflow that runs the gate shows about CI. */
export const judgeWorkflow = (file: string, text: string): CanaryRow => {
  const loose = [...text.matchAll(USES)].map(([, name = '']) => name).filter((name) => !PINNED.test(name))
  const point = 'CI'
  if (loose.length === 0)
    return {
      point,
      result: 'cannot be shown',
      detail: `${file} runs the gate, pinned by commit; ${REQUIRED}`,
      fix: 'Make the job a required check of the branch.',
    }
  return {
    point,
    result: 'cannot be shown',
    detail: `${file} runs the gate; not pinned by commit: ${loose.join(', ')}; ${REQUIRED}`,
    fix: 'Name each action by the full id of a commit, and make the job a required check of the branch.',
  }
}
