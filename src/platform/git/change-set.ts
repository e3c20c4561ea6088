import type { ChangeSet, FileChange, Scope, TreeEntry } from '../../gate/ports.ts'
import { optional } from '../../kernel/optional.ts'
import { type GitBlobReader, objectId } from './blobs.ts'
import { readTree } from './hidden-files.ts'
import type { RawChange } from './parse.ts'
import { type GitPlace, gitFaults } from './run.ts'
import { DiskReads, readBoundTree } from './trees/tree-id.ts'
import { readWorktree } from './worktree.ts'

/** The id of a changed file by its blob. An unmerged path has none. */
const blobId = (change: FileChange['change'], oid: string | undefined): string =>
  change === 'deleted' ? 'deleted' : (oid ?? 'unmerged')

const SHA1_DIGITS = 40

/** What changed files hold on disk, as ids of blobs: the same ids as in the index when all of it is staged. */
const identifyOnDisk = async (
  root: string,
  changes: readonly Pick<RawChange, 'path' | 'change'>[],
  signal: AbortSignal,
): Promise<readonly TreeEntry[]> => {
  const paths = changes.filter(({ change }) => change !== 'deleted').map(({ path }) => path)
  const ids = new Map<string, string>()
  for await (const { path, bytes } of readWorktree(root, paths, signal))
    ids.set(path, bytes === undefined ? 'unreadable' : objectId('blob', bytes, SHA1_DIGITS))
  return changes.map(({ path, change }) => ({
    path,
    id: change === 'deleted' ? 'deleted' : (ids.get(path) ?? 'absent'),
  }))
}

const comparePaths = (a: RawChange, b: RawChange): number => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0)

const sourceLabel = (scope: Scope): string =>
  scope.kind === 'range' ? `git:range:${scope.label ?? `${scope.from}..${scope.to}`}` : `git:${scope.kind}`

type Collected = 'base' | 'head' | 'target' | 'merged' | 'conflict' | 'unmerged' | 'close'

/** Changed files, and the commits between which they changed. */
export interface CollectedChanges extends Pick<ChangeSet, Collected> {
  readonly raw: RawChange[]
  /** The other parents of a merge that is being committed. */
  readonly parents?: readonly string[]
  /** The output of `git status`, where it was read. */
  readonly status?: string
}

export const blobRequests = (paths: readonly string[], blobOf: (path: string) => string | undefined) =>
  paths.flatMap((path) => {
    const oid = blobOf(path)
    return oid === undefined ? [] : [{ path, oid }]
  })

interface ChangeSetInput {
  readonly place: GitPlace
  readonly scope: Scope
  readonly collected: CollectedChanges
  readonly blobs: GitBlobReader
  /** The output of `git status` with every untracked file. */
  readonly readStatus: (signal: AbortSignal) => Promise<Buffer>
}

const isOther = ({ entry }: RawChange): boolean => entry !== undefined

/** What git stores under a path. The commit of a submodule is left out: the working tree does not tell it. */
const entryId = ({ path, change, oid, entry }: RawChange): TreeEntry => ({
  path,
  id: entry === 'submodule' ? entry : blobId(change, oid),
})

/** Files only. A file that became a link or a submodule is gone. */
const fileChange = ({ path, change, from, entry, before }: RawChange): FileChange[] => {
  if (entry !== undefined) return before === undefined ? [] : [{ path, change: 'deleted' }]
  return [{ path, change, ...optional({ from }) }]
}

/** Reads what another parent of a merge holds under the paths, or under their old names. */
const otherParent = ({ place, blobs, collected }: ChangeSetInput, parent: string): ChangeSet['readBefore'] =>
  async function* (paths, signal) {
    const oldPaths = new Map(collected.raw.map(({ path, from }) => [path, from]))
    const tree = await readTree(place, `${parent}^{commit}`, signal)
    const requests = blobRequests(paths, (path) => tree.blob(path) ?? tree.blob(oldPaths.get(path) ?? ''))
    yield* blobs.read(place, requests, signal)
  }

/** The changed files, with their contents before and after the change. */
export const changeSet = (input: ChangeSetInput): ChangeSet => {
  const { place, scope, collected, blobs, readStatus } = input
  const { base, head, target, merged, conflict, unmerged, close, parents = [] } = collected
  const raw = collected.raw.sort(comparePaths)
  const twice = raw.find(({ path }, at) => path === raw[at + 1]?.path)
  if (twice !== undefined) throw gitFaults.failed(`a tree of the change holds ${twice.path} twice`)
  const pathsOf = (kind: RawChange['entry']) =>
    raw.flatMap(({ path, entry }) => (entry === kind ? [path] : []))
  const reads =
    (member: 'oid' | 'before'): ChangeSet['read'] =>
    (paths, stop) => {
      const oids = new Map(raw.map((one) => [one.path, one[member]]))
      const requests = blobRequests(paths, (path) => oids.get(path))
      return blobs.read(place, requests, stop)
    }
  const onDisk = scope.kind === 'worktree' || scope.kind === 'repository'
  const disk = new DiskReads(place.folder)
  return {
    source: sourceLabel(scope),
    base,
    target,
    head,
    ...optional({ merged, conflict, unmerged, close }),
    changes: raw.flatMap(fileChange),
    read: onDisk ? (paths, stop) => disk.read(paths, stop) : reads('oid'),
    readBefore: reads('before'),
    otherParents: parents.map((parent) => otherParent(input, parent)),
    identify: async (stop) => {
      const [others, files] = [raw.filter(isOther), raw.filter((one) => !isOther(one))]
      const ids = onDisk ? await identifyOnDisk(place.folder, files, stop) : files.map(entryId)
      return [...ids, ...others.map(entryId)]
    },
    boundTree: (stop) => {
      const { status } = collected
      return readBoundTree({ place, scope, raw, disk, status, readStatus, commit: head ?? base, blobs }, stop)
    },
    links: pathsOf('link'),
    readLinks: reads('oid'),
    submodules: pathsOf('submodule'),
  }
}
