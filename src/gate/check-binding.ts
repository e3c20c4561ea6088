import type { Evidence, JudgedTree } from '../evidence/schema.ts'
import type { GateStage } from '../evidence/stage.ts'
import { plural } from '../kernel/text/plural.ts'
import { differingPaths, type JudgedChange } from './judged-tree.ts'
import { type GatePolicy, judgeSeverities } from './policy.ts'
import { type Violation, violation, violationIf } from './violations.ts'

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
  const mismatch = (message: string, paths?: readonly string[]) => [
    violation('EVIDENCE_TREE_MISMATCH', message, paths),
  ]
  if ('problem' in present) return mismatch(`What ${stage} judges is not known: ${present.problem}.`)
  const { scope, worktree, knownHead, repositoryHead } = present
  if (judged.head !== null && !knownHead)
    return [violation('EVIDENCE_REPO_ROOT_MISMATCH', 'The evidence was written in another repository.')]
  if (repositoryHead !== undefined && (judged.scope !== 'repository' || judged.head !== repositoryHead))
    return mismatch(
      `Without a base, ${stage} judges all files of the last commit; the evidence judged others.`,
    )
  const isEmpty = scope.entries.length === 0
  const expected = isEmpty ? worktree : scope
  // A clean tree leaves nothing to judge.
  if (expected.entries.length === 0 || judged.digest === expected.digest) return []
  const differing = differingPaths(judged, expected.entries)
  const [count, paths] = [differing.length, differing.slice(0, MAX_PATHS)]
  if (!isEmpty || judged.files > 0)
    return mismatch(
      `${plural(count, 'file')} changed after the evidence was written, or ${stage} judges other files.`,
      paths,
    )
  const message = `The evidence judged no file, and the working tree has ${plural(count, 'changed file')}.`
  return [violation('EVIDENCE_SCOPE_EMPTY', message, paths)]
}

/** Evidence serves its stage and those before it, also that of other writers. */
export const checkStage = ({ snapshot: { stage: made } }: Evidence, stage: GateStage): Violation[] =>
  violationIf(
    STAGE_ORDER[made] < STAGE_ORDER[stage],
    'EVIDENCE_STAGE_MISMATCH',
    `The evidence was written for ${made}; ${stage} needs evidence of its own.`,
  )

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
    ...violationIf(
      evidence.ai_gate.status === 'ALLOWED' && judgeSeverities(severities, policy) === 'BLOCK',
      'EVIDENCE_GATE_BLOCKED',
      `The present policy of ${stage} blocks the findings of the evidence.`,
    ),
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
  return violationIf(
    !isLatest,
    'EVIDENCE_SUPERSEDED',
    'The newest run of the gate in the decision log wrote other evidence than this file.',
  )
}
