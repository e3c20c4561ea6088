import type { Evidence, JudgedTree } from '../evidence/schema.ts'
import type { GateStage } from '../evidence/stage.ts'
import { plural } from '../kernel/text/plural.ts'
import { differingPaths, type JudgedChange } from './judged-tree.ts'
import { type GatePolicy, judgeSeverities } from './policy.ts'
import { type Violation, violation } from './violations.ts'

/** What the stage would judge now. */
export type PresentTree =
  | KnownTree
  /** Why it cannot be known, such as a missing base branch. */
  | { readonly problem: string }

interface KnownTree {
  readonly scope: JudgedChange
  /** The working tree when the stage would judge no file; else the same as `scope`. */
  readonly worktree: JudgedChange
  /** Whether the last commit of the judged tree is a commit of this repository. */
  readonly knownHead: boolean
  /**
   * The last commit when the stage judges all files: null before the first commit. Undefined when it judges a change.
   */
  readonly repositoryHead?: string | null | undefined
}

/** The newest gate run that the decision log of this repository records. */
export interface RecordedRun {
  /** When it was recorded, in milliseconds since the epoch; undefined when the log has no real times. */
  readonly at?: number | undefined
  /** Its number in the log. */
  readonly seq?: number
  /** Hash of the evidence it wrote; undefined when its payload was erased. */
  readonly evidence: string | undefined
  /** The tree that it judged, and the receipt that it left; undefined when its payload was erased. */
  readonly tree?: string | undefined
  readonly envelope?: string | undefined
  /** Hashes of the evidence of a few earlier runs. */
  readonly earlier: readonly string[]
}

/** Evidence of a stage serves the stages up to it. Before a write and before a commit the same policy applies. */
const STAGE_ORDER: Readonly<Record<Evidence['snapshot']['stage'], number>> = {
  STAGED: 0,
  PRE_WRITE: 0,
  PRE_COMMIT: 0,
  PRE_PUSH: 1,
  CI: 2,
}

const MAX_PATHS = 20

/** The tree that the evidence judged must be the one that the stage would judge now. */
const checkTree = (judged: JudgedTree, present: PresentTree, stage: GateStage): Violation[] => {
  if ('problem' in present)
    return [violation('EVIDENCE_TREE_MISMATCH', `What ${stage} judges is not known: ${present.problem}.`)]
  const { scope, worktree, knownHead, repositoryHead } = present
  if (judged.head !== null && !knownHead)
    return [violation('EVIDENCE_REPO_ROOT_MISMATCH', 'The evidence was written in another repository.')]
  if (repositoryHead !== undefined && (judged.scope !== 'repository' || judged.head !== repositoryHead))
    return [
      violation(
        'EVIDENCE_TREE_MISMATCH',
        `Without a base, ${stage} judges all files of the last commit; the evidence judged others.`,
      ),
    ]
  const isEmpty = scope.entries.length === 0
  // A clean tree leaves nothing to judge.
  if (isEmpty && worktree.entries.length === 0) return []
  const expected = isEmpty ? worktree : scope
  if (judged.digest === expected.digest) return []
  const paths = differingPaths(judged, expected.entries)
  if (isEmpty && judged.files === 0)
    return [
      violation(
        'EVIDENCE_SCOPE_EMPTY',
        `The evidence judged no file, and the working tree has ${plural(paths.length, 'changed file')}.`,
        paths.slice(0, MAX_PATHS),
      ),
    ]
  return [
    violation(
      'EVIDENCE_TREE_MISMATCH',
      `${plural(paths.length, 'file')} changed after the evidence was written, or ${stage} judges other files.`,
      paths.slice(0, MAX_PATHS),
    ),
  ]
}

/** Evidence serves its stage and those before it, also that of other writers. */
export const checkStage = ({ snapshot: { stage: made } }: Evidence, stage: GateStage): Violation[] =>
  STAGE_ORDER[made] < STAGE_ORDER[stage]
    ? [
        violation(
          'EVIDENCE_STAGE_MISMATCH',
          `The evidence was written for ${made}; ${stage} needs evidence of its own.`,
        ),
      ]
    : []

/** Evidence that names the tree it judged is of our own gate, which always writes chain and state. */
export const checkOwnEvidence = (
  evidence: Evidence,
  judged: JudgedTree,
  input: {
    readonly stage: GateStage
    readonly policy: GatePolicy
    readonly present?: PresentTree | undefined
  },
): Violation[] => {
  const { stage, policy, present } = input
  const { findings } = evidence.snapshot
  const severities = findings.map(({ severity }) => severity)
  if (evidence.evidence_chain === undefined || evidence.repo_state === undefined)
    return [violation('EVIDENCE_CHAIN_INVALID', 'The evidence has no chain or no state of the repository.')]
  return [
    ...(evidence.ai_gate.status === 'ALLOWED' && judgeSeverities(severities, policy) === 'BLOCK'
      ? [
          violation(
            'EVIDENCE_GATE_BLOCKED',
            `The present policy of ${stage} blocks the findings of the evidence.`,
          ),
        ]
      : []),
    ...(present === undefined ? [] : checkTree(judged, present, stage)),
  ]
}

/** The evidence must be the one that the newest recorded run of the gate wrote. */
export const checkRecorded = (evidence: Evidence, recorded: RecordedRun | undefined): Violation[] => {
  if (recorded === undefined) return []
  if (evidence.judged_tree === undefined)
    return [
      violation(
        'EVIDENCE_UNBOUND',
        'The decision log records runs of the gate here, but the evidence does not name the tree it judged.',
      ),
    ]
  const { payload_hash: own = '', previous_payload_hash: before } = evidence.evidence_chain ?? {}
  // Two runs at once may be recorded in the other order: the evidence then follows that of the newest entry.
  const isLatest =
    own === recorded.evidence || (before === recorded.evidence && recorded.earlier.includes(own))
  return isLatest
    ? []
    : [
        violation(
          'EVIDENCE_SUPERSEDED',
          'The newest run of the gate in the decision log wrote other evidence than this file.',
        ),
      ]
}
