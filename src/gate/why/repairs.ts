import { compareText } from '../../evidence/compare.ts'
import type { RepoState } from '../../evidence/schema.ts'
import type { GateStage } from '../../evidence/stage.ts'
import { optional } from '../../kernel/optional.ts'
import { quoteShellWord } from '../../kernel/text/shell-quote.ts'
import { KEYS_FILE } from '../../receipts/keys-path.ts'
import type { PresentTree } from '../check-binding.ts'
import { CHECKS_FILE } from '../checks/check.ts'
import type { GateInput } from '../judge-evidence.ts'
import { HARD_MODE_FILE, SKILLS_FILE } from '../policy.ts'
import { USER_RULES_FOLDER } from '../rules/assemble-rules.ts'
import { fixOf, type ViolationCode } from '../violations.ts'
import type { Reason, Repair } from './explanation.ts'
import { compareReasons } from './findings.ts'

interface RepairContext {
  readonly stage: GateStage
  readonly state: RepoState
  /** What the stage would judge now, where that is known. */
  readonly present?: PresentTree | undefined
  /** What the receipt of the newest run is worth, where one is asked for. */
  readonly receipt?: GateInput['receipt']
  /** The commit whose policy counted too. */
  readonly base: string | undefined
  /** Whether the evidence file cannot be opened: a run may be unable to replace it. */
  readonly unreadable?: boolean
  /** Why a run of the gate would fail. */
  readonly problem?: string | undefined
}

/** What a violation needs besides a run of the gate, which always comes last. */
const BEFORE_RUN: Readonly<Record<ViolationCode, 'nothing' | 'branch' | 'key' | 'fix'>> = {
  EVIDENCE_MISSING: 'nothing',
  EVIDENCE_INVALID: 'nothing',
  EVIDENCE_CHAIN_INVALID: 'nothing',
  EVIDENCE_TIMESTAMP_INVALID: 'nothing',
  EVIDENCE_TIMESTAMP_FUTURE: 'fix',
  EVIDENCE_STALE: 'nothing',
  EVIDENCE_GATE_BLOCKED: 'nothing',
  EVIDENCE_GATE_STATUS_INCOHERENT: 'nothing',
  EVIDENCE_BRANCH_MISMATCH: 'nothing',
  EVIDENCE_REPO_ROOT_MISMATCH: 'nothing',
  EVIDENCE_STAGE_MISMATCH: 'nothing',
  EVIDENCE_TREE_MISMATCH: 'nothing',
  EVIDENCE_SCOPE_EMPTY: 'nothing',
  EVIDENCE_UNBOUND: 'nothing',
  EVIDENCE_SUPERSEDED: 'nothing',
  EVIDENCE_UNSIGNED: 'key',
  GITFLOW_PROTECTED_BRANCH: 'branch',
}

/** A repair before it is counted. Reasons with equal keys are removed together. */
interface Draft extends Omit<Repair, 'removes'> {
  readonly key: string
  /** Steps of a lower rank come first. */
  readonly rank: number
}

const RUN = 'run'

/** Whether the stage itself would judge no file, so that only the working tree can be judged. */
const judgesWorktree = ({ stage, state: { git }, present }: RepairContext): boolean =>
  present !== undefined && !('problem' in present)
    ? present.scope.entries.length === 0 && present.worktree.entries.length > 0
    : stage === 'PRE_COMMIT' && git.staged === 0 && git.dirty

/** Files are repaired and commits are not. */
const repairsFiles = ({ stage }: RepairContext): boolean => stage === 'PRE_WRITE' || stage === 'PRE_COMMIT'

const runDraft = (context: RepairContext, edits: boolean, safe: number): Draft => {
  const { stage } = context
  const worktree = judgesWorktree(context)
  const first =
    edits && !worktree
      ? { PRE_WRITE: '', PRE_COMMIT: 'Stage the edits, then run', PRE_PUSH: COMMIT, CI: COMMIT }[stage]
      : ''
  return {
    key: RUN,
    rank: 9,
    action: `${first === '' ? 'Run' : first} the gate, which ${safe === 0 ? '' : `repairs ${safe === 1 ? 'a finding' : `${safe} findings`} itself and `}writes the evidence.`,
    command: `warrant gate --stage ${stage}${worktree ? ' --scope worktree' : ''}${safe === 0 ? '' : ' --fix'}`,
  }
}
const COMMIT = 'Commit the edits, then run'

const branchDraft: Draft = {
  key: 'branch',
  rank: 0,
  action: 'Create a branch for the change.',
  command: 'git switch -c feature/NAME',
}

/** A run signs with the key of this machine; where that is not trusted, a person decides. */
const keyDraft = ({ receipt }: RepairContext): Draft | undefined => {
  if (receipt === 'invalid' || receipt === 'trusted') return undefined
  const draft = { key: 'key', rank: 0 }
  if (receipt === 'revoked')
    return { ...draft, action: `Have a person list a valid key for this machine in ${KEYS_FILE}.` }
  const action = `Have a person list the key of this machine in ${KEYS_FILE} and commit the file.`
  return { ...draft, action, command: 'warrant keys add --owner NAME' }
}

const isPolicyFile = (file: string): boolean =>
  [HARD_MODE_FILE, SKILLS_FILE, CHECKS_FILE, KEYS_FILE].includes(file) ||
  file.startsWith(`${USER_RULES_FOLDER}/`)

const policyDraft = ({ file = '', fix = '' }: Reason, { base }: RepairContext): Draft => ({
  key: `policy ${file}`,
  rank: 2,
  action: fix,
  ...(base !== undefined &&
    isPolicyFile(file) && {
      action: `Take the change of ${file} out; if it is intended, land it in a change of its own.`,
      command: `git restore --source=${base.slice(0, 12)} --staged --worktree -- ${quoteShellWord(file)}`,
    }),
  file,
})

/** Findings about a whole file: however many places they name, one repair of the file removes them. */
const WHOLE_FILE = new Set([
  'gate.parse-error',
  'gate.manifest-invalid',
  'gate.file-unread',
  'gate.file-given-up',
  'gate.grammar-missing',
])

/** The edit of one place: all that is reported on the line is repaired together. */
const editDraft = (reason: Reason): Draft => {
  const { rule = '', message, fix, file = '', line, check, fingerprint } = reason
  const action = fix ?? `Repair what ${rule} reports: ${message}`
  if (WHOLE_FILE.has(rule)) return { key: `file ${file} ${rule}`, rank: 4, action, file }
  // Results about no place of the code, such as failed tests, have nothing in common but the check.
  const isPlaced = line !== undefined && !(check !== undefined && file === CHECKS_FILE)
  const key = isPlaced ? `place ${file}:${line}` : `finding ${fingerprint ?? ''} ${rule} ${file} ${message}`
  return { key, rank: 4, action, file, ...optional({ line }) }
}

const GATE_RULES: Readonly<Record<string, (reason: Reason, context: RepairContext) => Draft>> = {
  'gate.protected-branch': () => branchDraft,
  'sdd.policy.blocked': ({ message }) => ({ key: 'specification', rank: 1, action: message }),
  'gate.policy-changed': policyDraft,
  'gate.check-not-allowed': () => ({
    key: 'allow checks',
    rank: 3,
    action: `Read the commands of ${CHECKS_FILE}, then allow them.`,
    command: 'warrant checks allow',
    file: CHECKS_FILE,
  }),
  // Checks with the same missing program have the same fix.
  'gate.check-missing': ({ fix = '' }) => ({ key: `install ${fix}`, rank: 3, action: fix }),
  'gate.modules-tracked': ({ fix = '' }) => ({
    key: 'modules',
    rank: 4,
    action: fix,
    command: 'git rm -r --cached node_modules',
  }),
}

const draftFor = (reason: Reason, context: RepairContext): Draft | undefined => {
  const { rule, code } = reason
  if (rule !== undefined)
    return (
      (Object.hasOwn(GATE_RULES, rule) ? GATE_RULES[rule] : undefined)?.(reason, context) ?? editDraft(reason)
    )
  const isUnreadable = code === 'EVIDENCE_INVALID' && context.unreadable === true
  const before = isUnreadable ? 'fix' : BEFORE_RUN[code as ViolationCode]
  if (before === 'branch') return branchDraft
  if (before === 'key') return keyDraft(context)
  return before === 'fix'
    ? { key: code, rank: 0, action: fixOf(code as ViolationCode).replace(/, then run .*$/, '.') }
    : undefined
}

interface Group {
  readonly draft: Draft
  readonly actions: Set<string>
  removes: number
}

const compareDrafts = (a: Draft, b: Draft): number =>
  a.rank - b.rank ||
  compareText(a.file ?? '', b.file ?? '') ||
  (a.line ?? 0) - (b.line ?? 0) ||
  compareText(a.key, b.key)

const toRepairs = (groups: readonly Group[]): Repair[] =>
  groups.map(({ draft: { key: _, rank: __, ...repair }, actions, removes }) => ({
    ...repair,
    action: [...actions].join(' '),
    removes,
  }))

/**
 * The smallest set of repairs that turns a blocked verdict: one for each thing to do, in the order to do them. Reasons
 * that do not block need none. Whatever else was repaired, a run of the gate has to see it.
 */
export const smallestRepairs = (reasons: readonly Reason[], context: RepairContext): Repair[] => {
  const blocking = reasons.filter(({ blocks }) => blocks).sort(compareReasons)
  if (blocking.length === 0) return []
  const groups = new Map<string, Group>()
  let answeredByRun = 0
  let safe = 0
  for (const reason of blocking) {
    const isSafe = reason.safe_edit === true && repairsFiles(context)
    const draft = isSafe ? undefined : draftFor(reason, context)
    if (isSafe) safe += 1
    if (draft === undefined) {
      answeredByRun += 1
      continue
    }
    const group = groups.get(draft.key) ?? { draft, actions: new Set<string>(), removes: 0 }
    group.actions.add(draft.action)
    group.removes += 1
    groups.set(draft.key, group)
  }
  const drafts = [...groups.values()].sort((a, b) => compareDrafts(a.draft, b.draft))
  const run = runDraft(
    context,
    drafts.some(({ draft }) => draft.rank === 4 || draft.rank === 2),
    safe,
  )
  const { problem } = context
  const first =
    problem === undefined ? [] : [{ action: `A run of the gate would fail. ${problem}`, removes: 0 }]
  return [
    ...first,
    ...toRepairs([...drafts, { draft: run, actions: new Set([run.action]), removes: answeredByRun }]),
  ]
}
