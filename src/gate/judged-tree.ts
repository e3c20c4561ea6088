import { compareText } from '../evidence/compare.ts'
import type { JudgedTree } from '../evidence/schema.ts'
import { EVIDENCE_FILE } from '../evidence/store.ts'
import { digestBytes } from '../kernel/encoding/hash.ts'
import type { BoundTree, ChangeSet, GitReader, TreeEntry } from './ports.ts'

/** The changed files that a stage judges, and the ids of their contents. */
export interface JudgedChange {
  readonly digest: string
  readonly entries: readonly TreeEntry[]
}

/** The evidence lists the entries of a change up to this number, so that a later check can name what differs. */
const MAX_LISTED = 200

/** Reads the ids of the changed files. The evidence file is left out: the gate writes it after it has judged. */
export const readChangeState = async (set: ChangeSet, signal: AbortSignal): Promise<JudgedChange> => {
  const entries = (await set.identify(signal))
    .filter(({ path }) => path !== EVIDENCE_FILE)
    .sort((a, b) => compareText(a.path, b.path))
  return { digest: digestBytes(JSON.stringify(entries.map(({ path, id }) => [path, id]))), entries }
}

export const readWorkingTree = async (git: GitReader, signal: AbortSignal): Promise<JudgedChange> =>
  readChangeState(await git.changes({ kind: 'worktree' }, signal), signal)

/** The kind of scope in the `source` of a change set, such as `git:range:main..HEAD`. */
const scopeOf = (source: string): string => source.split(':')[1] ?? source

/** What the evidence records of the tree that a run judged. Read before the scan, so that a file that changes during it no longer matches. */
export const recordJudgedTree = async (
  git: GitReader,
  set: ChangeSet,
  signal: AbortSignal,
): Promise<JudgedTree> => {
  const scope = scopeOf(set.source)
  // The changes against the last commit identify the whole working tree.
  const [head, { digest, entries }] = await Promise.all([
    git.head(signal),
    scope === 'repository' ? readWorkingTree(git, signal) : readChangeState(set, signal),
  ])
  return {
    scope,
    head,
    digest,
    files: entries.length,
    ...(entries.length <= MAX_LISTED && { entries: entries.map(({ path, id }) => ({ path, id })) }),
  }
}

/**
 * The tree that a run judges, to be asked for after the scan. Files on disk are read at once, before they
 * change. Of the index and of commits it stays the same, and git is idle then: no second process is started.
 */
export const judgedTree = (set: ChangeSet, signal: AbortSignal): (() => Promise<BoundTree | undefined>) => {
  if (!['worktree', 'repository'].includes(scopeOf(set.source))) return () => set.boundTree(signal)
  const early = set.boundTree(signal)
  early.catch(() => {})
  return () => early
}

/** Paths whose content differs between the judged tree and the present one; all present paths when the evidence lists none. */
export const differingPaths = (
  judged: { readonly entries?: readonly TreeEntry[] | undefined },
  present: readonly TreeEntry[],
): readonly string[] => {
  if (judged.entries === undefined) return present.map(({ path }) => path)
  const then = new Map(judged.entries.map(({ path, id }) => [path, id]))
  const now = new Map(present.map(({ path, id }) => [path, id]))
  const all = [...new Set([...now.keys(), ...then.keys()])]
  return all.filter((path) => then.get(path) !== now.get(path)).sort(compareText)
}
