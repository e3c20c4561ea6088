import { createHash } from 'node:crypto'
import { isRecord } from '../../kernel/encoding/json.ts'
import { escapeHidden } from '../../kernel/text/hidden-characters.ts'
import { readYaml, YamlError } from '../../kernel/text/safe-yaml.ts'
import { gateFaults } from '../faults.ts'
import type { ChangeSet } from '../ports.ts'
import { acceptableBy } from '../rules/acceptable.ts'
import type { FindingDraft } from './drafts.ts'
import { SUPPRESSION_ADDED_RULE } from './policy-findings.ts'

/** The file of a repository that accepts findings, each with a reason. */
export const ACCEPTANCES_FILE = '.warrant/acceptances.yml'
export const MAX_ACCEPTANCES_BYTES = 256 * 1024
const MAX_ENTRIES = 1_000
const LIMITS = { aliases: 0, depth: 4, nodes: 10_000, rejectWarnings: true }

/** `blob` is the id of the file, where the fingerprint does not tell what it holds; `until` the last day, in UTC. */
type Acceptance = Readonly<Record<'finding' | 'rule' | 'path' | 'reason', string>> &
  Readonly<Partial<Record<'blob' | 'until' | 'by', string>>>

const LINE = /^(?=.*\S)[^\t\n]{1,1000}$/
const MEMBERS = new Map([
  ['finding', /^[0-9a-f]{32}$/],
  ...['rule', 'path', 'reason', 'by'].map((name) => [name, LINE] as const),
  ['blob', /^([0-9a-f]{40}|[0-9a-f]{64})$/],
  ['until', /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/],
])

interface Acceptances {
  readonly entries: readonly Acceptance[]
  /** Whether a build counts new entries only where two developers judged the change. */
  readonly review: boolean
}

/** The file before and after the change. */
export type AcceptanceVersions = Readonly<Record<'base' | 'after', Acceptances>>

export const NO_ACCEPTANCES: Acceptances = { entries: [], review: false }

const invalid = (problem: string, cause?: unknown) =>
  gateFaults.acceptances_invalid(`${ACCEPTANCES_FILE}: ${problem}`, { cause })

// A reviewer reads every entry: what cannot be seen must not be in it.
const isRight = (name: string, text: unknown): boolean =>
  typeof text === 'string' && MEMBERS.get(name)?.test(text) === true && escapeHidden(text) === text

const findWrong = (entry: Readonly<Record<string, unknown>>): string | undefined =>
  ['finding', 'rule', 'path', 'reason', ...Object.keys(entry)].find((name) => !isRight(name, entry[name]))

const isAcceptance = (value: unknown): value is Acceptance =>
  isRecord(value) && findWrong(value) === undefined

const readEntries = (value: unknown): Acceptances => {
  const { findings, review, ...others } = isRecord(value) ? value : {}
  const [other] = Object.keys(others)
  if (other !== undefined) throw invalid(`${other} is unknown`)
  if (review !== undefined && review !== 'required') throw invalid('review can only be: required')
  if (!Array.isArray(findings) || findings.length > MAX_ENTRIES)
    throw invalid(`findings is not a list of at most ${MAX_ENTRIES} entries`)
  const seen = new Set<string>()
  const entries = findings.map((entry: unknown, at) => {
    if (!isAcceptance(entry))
      throw invalid(
        `findings.${at}.${findWrong(isRecord(entry) ? entry : {})} is missing, unknown or malformed`,
      )
    if (seen.size === seen.add(entry.finding).size) throw invalid(`findings.${at}.finding is listed twice`)
    return entry
  })
  return { entries, review: review !== undefined }
}

/** The entries of a text; none where there is no file. What is not understood is a fault. */
export const parseAcceptances = async (text: string | undefined): Promise<Acceptances> => {
  if (text === undefined) return NO_ACCEPTANCES
  if (text.length > MAX_ACCEPTANCES_BYTES) throw invalid(`longer than ${MAX_ACCEPTANCES_BYTES} bytes`)
  const yaml = await import('yaml')
  try {
    return readEntries(readYaml(yaml, text, LIMITS))
  } catch (cause) {
    throw cause instanceof YamlError ? invalid(cause.message, cause) : cause
  }
}

/** The ids that git gives a file, by the format of the repository. */
const gitBlobIds = (bytes: Uint8Array): readonly string[] =>
  ['sha1', 'sha256'].map((name) =>
    createHash(name).update(`blob ${bytes.length}\0`).update(bytes).digest('hex'),
  )

const entriesAdded = ({ base, after }: AcceptanceVersions): readonly Acceptance[] => {
  const old = new Set(base.entries.map((one) => JSON.stringify(one)))
  return after.entries.filter((one) => !old.has(JSON.stringify(one)))
}

interface AcceptanceContext {
  readonly set: Pick<ChangeSet, 'changes' | 'read'>
  /** A change of another repository cannot bring entries. */
  readonly fork: boolean
  readonly now: number
  /** How many listed developers judged the change; asked in a build, where a review is required. */
  readonly countDevelopers: (() => Promise<number>) | undefined
}

/** Asks what the entries accept, and notes why an entry that names a finding does not accept it. */
export const openAcceptances = async (
  versions: AcceptanceVersions,
  { set, fork, now, countDevelopers }: AcceptanceContext,
  signal: AbortSignal,
) => {
  const notes: string[] = []
  const { entries } = versions.after
  const byFinding = new Map(entries.map((one) => [one.finding, one]))
  const named = new Set(entries.map(({ path }) => path))
  const paths = set.changes.map(({ path }) => path).filter((path) => named.has(path))
  const blobs = new Map<string, readonly string[]>()
  if (paths.length > 0)
    for await (const { path, bytes } of set.read(paths, signal))
      if (bytes !== undefined) blobs.set(path, gitBlobIds(bytes))
  const today = new Date(now).toISOString().slice(0, 10)
  const added = new Set(entriesAdded(versions))
  const asksReview = added.size > 0 && (versions.base.review || versions.after.review)
  const isReviewed = !asksReview || countDevelopers === undefined || (await countDevelopers()) >= 2
  const refuse = (entry: Acceptance, draft: FindingDraft): string | undefined => {
    const { blob, until } = entry
    const by = acceptableBy(draft.ruleId, draft.secret === true)
    if (by === undefined) return 'nothing can accept it'
    if (fork && added.has(entry)) return 'the change comes from a fork, and the target does not have it'
    if (!isReviewed && added.has(entry))
      return 'it needs receipts of two listed developers for the last commit'
    if (until !== undefined && until < today) return `it ended on ${until}`
    const ids = blobs.get(draft.file)
    // A policy file that is gone has no blob.
    const isSame = blob === undefined ? !ids && draft.secret !== true : ids?.includes(blob)
    return by === 'blob' && !isSame ? 'its blob is not that of the file' : undefined
  }
  const reasonOf = (draft: FindingDraft, fingerprint: string): string | undefined => {
    const entry = byFinding.get(fingerprint)
    if (entry?.rule !== draft.ruleId || entry.path !== draft.file) return undefined
    const why = refuse(entry, draft)
    if (why === undefined) return entry.reason
    notes.push(`The acceptance of ${entry.rule} in ${entry.path} does not count: ${why}.`)
    return undefined
  }
  return { reasonOf, notes }
}

const ACCEPTANCE_ADDED_RULE = 'gate.acceptance-added'

/** Whether a finding lists what a change accepts. */
export const isException = ({ ruleId }: Pick<FindingDraft, 'ruleId'>): boolean =>
  ruleId === ACCEPTANCE_ADDED_RULE || ruleId === SUPPRESSION_ADDED_RULE

/** A finding for each entry that the change adds, for the reviewer. */
export const acceptanceDrafts = (
  versions: AcceptanceVersions,
  { source, changes }: Pick<ChangeSet, 'source' | 'changes'>,
): FindingDraft[] => {
  if (source === 'git:repository' || !changes.some(({ path }) => path === ACCEPTANCES_FILE)) return []
  return entriesAdded(versions).map((entry) => ({
    ruleId: ACCEPTANCE_ADDED_RULE,
    severity: 'INFO',
    code: 'ACCEPTANCE_ADDED',
    message: `${entry.rule} in ${entry.path} is accepted${entry.by ? ` by ${entry.by}` : ''}: ${entry.reason}`,
    file: ACCEPTANCES_FILE,
    fix: 'Check the reason, or repair what the rule reports and remove the entry.',
    matchedBy: 'FileContent',
    source,
    text: JSON.stringify(entry),
  }))
}
