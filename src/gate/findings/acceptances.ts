import { optional } from '../../kernel/optional.ts'
import type { ChangeSet } from '../ports.ts'
import type { GateFinding } from '../reports/report.ts'
import type { FindingDraft } from './collect.ts'
import { POLICY_CHANGED_RULE } from './policy-findings.ts'

/** The file of a repository that accepts findings, each with a reason. */
export const ACCEPTANCES_FILE = '.warrant/acceptances.yml'
export const MAX_ACCEPTANCES_BYTES = 256 * 1024

export interface Acceptance {
  /** The fingerprint. */
  readonly finding: string
  readonly rule: string
  readonly path: string
  /** Id of the file that is accepted, where the fingerprint does not tell what the file holds. */
  readonly blob?: string | undefined
  readonly reason: string
  /** The last day, in UTC. */
  readonly until?: string | undefined
  readonly by?: string | undefined
}

/** The entries of both versions, and the text of the present one. */
export interface AcceptanceVersions {
  readonly base: readonly Acceptance[]
  readonly after: readonly Acceptance[]
  readonly text?: string | undefined
}

const ACCEPTED_OF_GATE =
  /^gate\.(?:file-unread|file-given-up|grammar-missing|modules-tracked|submodule|link-content|link-target|parse-error|manifest-invalid|policy-changed)$/

/** Whether an entry can accept what a rule finds: not the branch, receipts, logs, the specification, or checks without a result. */
export const isAcceptable = (ruleId: string): boolean =>
  !/^(?:gate|sdd)\./.test(ruleId) || ACCEPTED_OF_GATE.test(ruleId)

/** Whether an entry is about one content of the file: a fingerprint holds one byte of a secret, and no other byte of a policy. */
export const needsBlob = ({ ruleId, secret }: Pick<GateFinding, 'ruleId' | 'secret'>): boolean =>
  secret === true || ruleId === POLICY_CHANGED_RULE || ruleId === 'gate.manifest-invalid'

const keyOf = ({ finding, rule, path, blob, reason, until, by }: Acceptance): string =>
  JSON.stringify([finding, rule, path, blob, reason, until, by])

const entriesAdded = ({ base, after }: AcceptanceVersions): readonly Acceptance[] => {
  const old = new Set(base.map(keyOf))
  return after.filter((one) => !old.has(keyOf(one)))
}

interface AcceptContext {
  readonly set: Pick<ChangeSet, 'identify'>
  /** The change comes from another repository: only what the target accepts counts. */
  readonly fork: boolean
  /** Milliseconds since the epoch. */
  readonly now: number
}

interface AcceptedFindings {
  /** The reason that accepts a finding; undefined where none does. */
  readonly reasonOf: (draft: FindingDraft, fingerprint: string) => string | undefined
  /** Why entries that name a finding do not accept it. Complete when all findings were asked about. */
  readonly notes: string[]
}

/** What the entries accept in a change. */
export const openAcceptances = async (
  versions: AcceptanceVersions,
  { set, fork, now }: AcceptContext,
  signal: AbortSignal,
): Promise<AcceptedFindings> => {
  const notes: string[] = []
  const byFinding = new Map(versions.after.map((one) => [one.finding, one]))
  if (byFinding.size === 0) return { reasonOf: () => undefined, notes }
  const entries = await set.identify(signal)
  const blobs = new Map(entries.flatMap(({ path, id }) => (/^[0-9a-f]+$/.test(id) ? [[path, id]] : [])))
  const today = new Date(now).toISOString().slice(0, 10)
  const added = new Set(entriesAdded(versions))
  const refusal = (entry: Acceptance, draft: FindingDraft): string | undefined => {
    if (!isAcceptable(draft.ruleId)) return 'nothing can accept it'
    if (fork && added.has(entry))
      return 'the target branch does not have it, and the change comes from a fork'
    if (entry.until !== undefined && entry.until < today) return `it ended on ${entry.until}`
    if (draft.secret === true && entry.blob === undefined) return 'it does not name the blob of the file'
    return needsBlob(draft) && entry.blob !== blobs.get(draft.file) ? 'the file has changed since' : undefined
  }
  const reasonOf = (draft: FindingDraft, fingerprint: string): string | undefined => {
    const entry = byFinding.get(fingerprint)
    if (entry === undefined || entry.rule !== draft.ruleId || entry.path !== draft.file) return undefined
    const why = refusal(entry, draft)
    if (why === undefined) return entry.reason
    notes.push(`The acceptance of ${entry.rule} in ${entry.path} does not count: ${why}.`)
    return undefined
  }
  return { reasonOf, notes }
}

export const ACCEPTANCE_ADDED_RULE = 'gate.acceptance-added'

/** A finding for each entry that the change adds, for the reviewer. */
export const acceptanceDrafts = (
  versions: AcceptanceVersions,
  { source, changes }: Pick<ChangeSet, 'source' | 'changes'>,
): FindingDraft[] => {
  if (source === 'git:repository' || !changes.some(({ path }) => path === ACCEPTANCES_FILE)) return []
  const lines = versions.text?.split('\n') ?? []
  return entriesAdded(versions).map((entry) => {
    const line = lines.findIndex((text) => text.includes(entry.finding)) + 1
    const by = entry.by === undefined ? '' : ` by ${entry.by}`
    return {
      ruleId: ACCEPTANCE_ADDED_RULE,
      severity: 'INFO',
      code: 'ACCEPTANCE_ADDED',
      message: `${entry.rule} in ${entry.path} is accepted${by}: ${entry.reason}`,
      file: ACCEPTANCES_FILE,
      ...optional({ region: line === 0 ? undefined : { line, column: 1, endLine: line, endColumn: 2 } }),
      fix: 'Check the reason, or repair what the rule reports and remove the entry.',
      matchedBy: 'FileContent',
      source,
      text: keyOf(entry),
    }
  })
}
