import { compareText } from '../../evidence/compare.ts'
import type { GateStage } from '../../evidence/stage.ts'
import { optional } from '../../kernel/optional.ts'
import { quoteShellWord } from '../../kernel/text/shell-quote.ts'
import { KEYS_FILE } from '../../receipts/keys-path.ts'
import { CHECKS_FILE } from '../checks/check.ts'
import { HARD_MODE_FILE, SKILLS_FILE } from '../policy.ts'
import { USER_RULES_FOLDER } from '../rules/assemble-rules.ts'
import type { Reason, Repair } from './explanation.ts'
import { compareReasons } from './findings.ts'

interface RepairContext {
  readonly stage: GateStage
  /** Whether the working tree was judged, because nothing is staged. */
  readonly worktree: boolean
  /** The commit whose policy counted too. */
  readonly base: string | undefined
}

/** A repair before it is counted. Reasons with equal keys are removed together. */
interface Draft extends Omit<Repair, 'removes'> {
  readonly key: string
  /** Steps of a lower rank come first. */
  readonly rank: number
}

/** Files are repaired and commits are not. */
const repairsFiles = ({ stage }: RepairContext): boolean => stage === 'PRE_WRITE' || stage === 'PRE_COMMIT'

const COMMIT = 'Commit the edits, then run'

const runDraft = ({ stage, worktree }: RepairContext, edits: boolean, safe: number): Draft => {
  const first =
    edits && !worktree
      ? { PRE_WRITE: '', PRE_COMMIT: 'Stage the edits, then run', PRE_PUSH: COMMIT, CI: COMMIT }[stage]
      : ''
  return {
    key: 'run',
    rank: 9,
    action: `${first === '' ? 'Run' : first} the gate${safe === 0 ? '' : `, which repairs ${safe === 1 ? 'a finding' : `${safe} findings`} itself`}.`,
    command: `warrant gate --stage ${stage}${safe === 0 ? '' : ' --fix'}`,
  }
}

const branchDraft: Draft = {
  key: 'branch',
  rank: 0,
  action: 'Create a branch for the change.',
  command: 'git switch -c feature/NAME',
}

const isPolicyFile = (file: string): boolean =>
  [HARD_MODE_FILE, SKILLS_FILE, CHECKS_FILE, KEYS_FILE].includes(file) ||
  file.startsWith(`${USER_RULES_FOLDER}/`)

const policyDraft = ({ file, fix = '' }: Reason, { base }: RepairContext): Draft => ({
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
  'gate.ambiguous-encoding',
  'gate.file-unread',
  'gate.file-given-up',
  'gate.grammar-missing',
])

/** The edit of one place: all that is reported on the line is repaired together. */
const editDraft = (reason: Reason): Draft => {
  const { rule, message, fix, file, line, check, fingerprint } = reason
  const action = fix ?? `Repair what ${rule} reports: ${message}`
  if (WHOLE_FILE.has(rule)) return { key: `file ${file} ${rule}`, rank: 4, action, file }
  // Results about no place of the code, such as failed tests, have nothing in common but the check.
  const isPlaced = line !== undefined && !(check !== undefined && file === CHECKS_FILE)
  const key = isPlaced ? `place ${file}:${line}` : `finding ${fingerprint} ${rule} ${file} ${message}`
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

const draftFor = (reason: Reason, context: RepairContext): Draft =>
  (Object.hasOwn(GATE_RULES, reason.rule) ? GATE_RULES[reason.rule] : undefined)?.(reason, context) ??
  editDraft(reason)

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
 * The smallest set of repairs that allows a blocked change: one for each thing to do, in the order to do them. Reasons
 * that do not block need none. A run of the gate has to see them.
 */
export const smallestRepairs = (reasons: readonly Reason[], context: RepairContext): Repair[] => {
  const blocking = reasons.filter(({ blocks }) => blocks).sort(compareReasons)
  if (blocking.length === 0) return []
  const groups = new Map<string, Group>()
  let safe = 0
  for (const reason of blocking) {
    if (reason.safe_edit === true && repairsFiles(context)) {
      safe += 1
      continue
    }
    const draft = draftFor(reason, context)
    const group = groups.get(draft.key) ?? { draft, actions: new Set<string>(), removes: 0 }
    group.actions.add(draft.action)
    group.removes += 1
    groups.set(draft.key, group)
  }
  const drafts = [...groups.values()].sort((a, b) => compareDrafts(a.draft, b.draft))
  const isEdited = drafts.some(({ draft }) => draft.rank === 4 || draft.rank === 2)
  const run = runDraft(context, isEdited, safe)
  return toRepairs([...drafts, { draft: run, actions: new Set([run.action]), removes: safe }])
}
