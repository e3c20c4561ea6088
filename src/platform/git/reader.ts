import { EMPTY_TREE, type GitReader, type Scope } from '../../gate/ports.ts'
import { GitBlobReader } from './blobs.ts'
import { blobRequests, type CollectedChanges, changeSet } from './change-set.ts'
import { readCommitFiles } from './commit-files.ts'
import { flaggedChanges, GitIndex, mergeChanges, readTree, untrackedDespiteExcludes } from './hidden-files.ts'
import { diffTrees, mergeIntoTarget, RAW, readMergeHeads } from './merge-tree.ts'
import {
  parseHead,
  parseIndex,
  parseNames,
  parseRaw,
  parseStaged,
  parseState,
  parseWorktree,
  type RawChange,
} from './parse.ts'
import { decodeRecords } from './path-bytes.ts'
import { findPlace, type GitStart } from './place.ts'
import { branchesAtHead, findCommits, isAncestor, lastChanges, resolveRange } from './revisions.ts'
import { askGit, type GitPlace, gitFaults, readGit, runGit, STATUS_ARGS, spawnGit } from './run.ts'
import { listCommits } from './trees/list-commits.ts'
import { verifyTrees } from './trees/tree-object.ts'

const STATUS = [...STATUS_ARGS, '--find-renames=50%']
const LIST = ['ls-files', '--stage', '-z']
const NO_HEAD = 128
/** Above every limit that callers of `filesAt` set. */
const MAX_BYTES = 65 * 1024 * 1024

/** What the merge of `to` into `from` changes there; without a merge, the changes from their merge base to `to`. */
const rangeChanges = async (
  place: GitPlace,
  scope: Scope & { readonly kind: 'range' },
  signal: AbortSignal,
): Promise<CollectedChanges> => {
  const { base, head, target } = await resolveRange(place, scope, signal)
  const ends = { base: scope.from === EMPTY_TREE ? undefined : base, head, target }
  const parted = target !== undefined && base !== target && base !== head && !scope.replaces
  const merge = parted ? await mergeIntoTarget(place, [target, head], signal) : {}
  return { ...ends, ...merge, raw: merge.raw ?? (await diffTrees(place, [base, head], signal)) }
}

const indexFiles = async (place: GitPlace, signal: AbortSignal): Promise<RawChange[]> =>
  parseIndex(decodeRecords(await readGit(place, LIST, { signal })))

const stagedChanges = async (place: GitPlace, signal: AbortSignal): Promise<RawChange[]> => {
  const args = ['diff-index', '--cached', ...RAW, 'HEAD']
  const { code, bytes } = await spawnGit(place, args, { signal })
  if (code === 0) return parseRaw(decodeRecords(bytes))
  // Before the first commit there is no HEAD: everything in the index is new.
  if (code === NO_HEAD) return indexFiles(place, signal)
  throw gitFaults.failed(`git diff-index exited with code ${code}`)
}

const readStatus = (place: GitPlace, untracked: 'all' | 'normal', signal: AbortSignal): Promise<Buffer> =>
  readGit(place, [...STATUS, `--untracked-files=${untracked}`], { signal })

const runStatus = async (place: GitPlace, untracked: 'all' | 'normal', signal: AbortSignal) =>
  decodeRecords(await readStatus(place, untracked, signal))

const worktreeChanges = async (place: GitPlace, signal: AbortSignal): Promise<RawChange[]> => {
  const [status, flagged, excluded] = await Promise.all([
    runStatus(place, 'all', signal),
    flaggedChanges(place, signal),
    untrackedDespiteExcludes(place, signal),
  ])
  return mergeChanges(parseWorktree(status), flagged, excluded)
}

const repositoryFiles = async (place: GitPlace, signal: AbortSignal): Promise<RawChange[]> => {
  const [tracked, others, excluded] = await Promise.all([
    indexFiles(place, signal),
    readGit(place, ['ls-files', '--others', '--exclude-standard', '-z'], { signal }),
    untrackedDespiteExcludes(place, signal),
  ])
  const untracked = parseNames(decodeRecords(others)).filter((path) => !path.endsWith('/'))
  return mergeChanges(
    tracked,
    untracked.map((path) => ({ path, change: 'added' as const, oid: undefined })),
    excluded,
  )
}

type GitQuery<T> = (place: GitPlace, signal: AbortSignal) => Promise<T>

const queryStatus: GitQuery<string> = (place, signal) => runStatus(place, 'normal', signal)

const queryIndex: GitQuery<GitIndex> = async (place, signal) =>
  new GitIndex(await readGit(place, LIST, { signal }))

/** Runs the query once; again only after a failure. */
const once = <T>(query: GitQuery<T>): GitQuery<T> => {
  let result: Promise<T> | undefined
  return (place, signal) => {
    result ??= query(place, signal).catch((thrown: unknown) => {
      result = undefined
      throw thrown
    })
    return result
  }
}

const collect = async (
  place: GitPlace,
  scope: Scope,
  status: GitQuery<string>,
  signal: AbortSignal,
): Promise<CollectedChanges> => {
  if (scope.kind === 'range') return rangeChanges(place, scope, signal)
  const text = await status(place, signal)
  const ends = { base: parseHead(text) ?? undefined, head: undefined, status: text }
  const merge = scope.kind === 'repository' ? {} : { parents: await readMergeHeads(place) }
  switch (scope.kind) {
    case 'staged':
      return { ...ends, ...merge, raw: parseStaged(text) ?? (await stagedChanges(place, signal)) }
    case 'worktree':
      return { ...ends, ...merge, raw: await worktreeChanges(place, signal) }
    case 'repository':
      return { ...ends, raw: await repositoryFiles(place, signal) }
  }
}

interface ReaderOptions {
  /**
   * For one gate run: status and index are read once and reused. All processes are started at the same time, because
   * after every fork this process takes copy-on-write page faults again.
   */
  readonly steady?: boolean
  /** For one answer: the status is read once and reused, and nothing is started ahead. */
  readonly sharesStatus?: boolean
}

/** Reads a repository for the gate, from any of its folders. */
export const gitReader = (
  start: GitStart,
  { steady = false, sharesStatus = steady }: ReaderOptions = {},
): GitReader => {
  let blobs = new GitBlobReader()
  const status = sharesStatus ? once(queryStatus) : queryStatus
  const index = steady ? once(queryIndex) : queryIndex
  let found: Promise<GitPlace | undefined> | undefined
  const locate = async (signal: AbortSignal): Promise<GitPlace | undefined> => {
    const at = await findPlace(start, signal)
    const place = at && { ...at, objects: new Set<string>() }
    if (place !== undefined && steady) {
      // Errors are reported by the call that needs the result.
      for (const query of [status, index]) query(place, signal).catch(() => {})
      blobs.prepare(place)
    }
    return place
  }
  const forget = () => {
    found = undefined
  }
  // Only success is cached: a folder may become a repository later, but a repository does not move.
  const find = async (signal: AbortSignal): Promise<GitPlace | undefined> => {
    found ??= locate(signal)
    const place = await found.catch((thrown: unknown) => {
      forget()
      throw thrown
    })
    if (place === undefined) forget()
    return place
  }
  const requirePlace = async (signal: AbortSignal): Promise<GitPlace> => {
    const place = await find(signal)
    if (place === undefined) throw gitFaults.repository('this folder is not in a git repository')
    return place
  }
  return {
    root: async (signal) => (await find(signal))?.folder,
    state: async (signal) => parseState(await status(await requirePlace(signal), signal)),
    head: async (signal) => parseHead(await status(await requirePlace(signal), signal)),
    branchesAtHead: async (signal) => branchesAtHead(await requirePlace(signal), signal),
    changes: async (scope, signal) => {
      const place = await requirePlace(signal)
      const collected = await collect(place, scope, status, signal)
      const allStatus = (stop: AbortSignal) => readStatus(place, 'all', stop)
      // A process that runs already does not see the objects of the merge.
      if (collected.merged !== undefined) blobs = new GitBlobReader()
      const { base, target, head, merged } = collected
      if (head !== undefined) await verifyTrees(blobs, place, [base, head], signal)
      if (merged !== undefined && target !== undefined)
        for (const one of [base, merged]) await verifyTrees(blobs, place, [one, target], signal)
      return changeSet({ place, scope, collected, blobs, readStatus: allStatus })
    },
    filesAt: async (commit, paths, signal) => {
      const place = await requirePlace(signal)
      return readCommitFiles((names) => blobs.objects(place, names, signal, MAX_BYTES), commit, paths)
    },
    tracked: async (commit, signal) => {
      const place = await requirePlace(signal)
      const text = commit === undefined ? '' : await status(place, signal)
      // The index of a checkout where nothing is staged is the tree of its commit.
      const isIndexed = commit === undefined || (parseHead(text) === commit && parseState(text).staged === 0)
      const files = isIndexed ? await index(place, signal) : await readTree(place, commit, signal)
      return {
        find: (ends, starts) => files.find(ends, starts),
        entries: () => files.entries(),
        read: (paths, stop) =>
          blobs.read(
            place,
            blobRequests(paths, (path) => files.blob(path)),
            stop,
          ),
      }
    },
    resolve: async (names, signal) => {
      const commits = await findCommits(await requirePlace(signal), names, signal)
      const at = commits.findIndex((commit) => commit !== undefined)
      const [name, hash] = [names[at], commits[at]]
      return name === undefined || hash === undefined ? undefined : { name, hash }
    },
    commits: async (range, signal) =>
      listCommits({ place: await requirePlace(signal), blobs }, range, signal),
    lastChanges: async (...asked) => lastChanges(await requirePlace(asked[3]), ...asked),
    isAncestor: async (ancestor, commit, signal) =>
      isAncestor(await requirePlace(signal), [ancestor, commit], signal),
    isShallow: async (signal) =>
      (
        await runGit(await requirePlace(signal), ['rev-parse', '--is-shallow-repository'], { signal })
      ).trim() === 'true',
    mergedBranches: async (signal) => {
      const format = '--format=%(HEAD)%(refname:lstrip=2)'
      const place = await requirePlace(signal)
      const { code, text } = await askGit(place, ['for-each-ref', '--merged=HEAD', format, 'refs/heads'], {
        signal,
      })
      if (code !== 0) return []
      const lines = text.split('\n').filter((line) => line.startsWith(' '))
      return lines.map((line) => line.slice(1)).sort()
    },
  }
}
