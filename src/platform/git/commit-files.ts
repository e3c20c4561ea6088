import { gateFaults } from '../../gate/faults.ts'
import type { CommitFiles, PathList } from '../../gate/ports.ts'
import { Fault } from '../../kernel/fault.ts'
import type { GitObject } from './blobs.ts'
import { gitFaults } from './run.ts'
import { FOLDER_MODE, parseTree, type TreeRow } from './trees/tree-object.ts'

type Tree = ReadonlyMap<string, TreeRow>

const isRegular = (mode: string): boolean => mode.startsWith('100')

const parentOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))
const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** The folders above a path, nearest to the root first. */
const ancestors = (path: string): string[] =>
  path === '' || !path.includes('/') ? [] : [...ancestors(parentOf(path)), parentOf(path)]

// A line break in a name would be a second request.
const isSafePath = (path: string): boolean => !/\p{Cc}/u.test(path)

type ReadObjects = (names: readonly string[]) => AsyncIterable<GitObject | undefined>

const readAll = async (objects: AsyncIterable<GitObject | undefined>): Promise<(GitObject | undefined)[]> => {
  const all: (GitObject | undefined)[] = []
  for await (const one of objects) all.push(one)
  return all
}

const incomplete = (commit: string, path: string) =>
  gitFaults.revision(`${path === '' ? 'the tree' : path} of commit ${commit} is not in this clone`, {
    fix: 'Fetch the whole history: `git fetch --unshallow`, or `fetch-depth: 0` in the checkout of a CI job.',
  })

/**
 * The files of a commit that `paths` names, read at once: one request for the folders, and one for the files that
 * exist. Undefined when there is no such commit.
 */
export const readCommitFiles = async (
  read: ReadObjects,
  commit: string,
  { files, folders }: PathList,
): Promise<CommitFiles | undefined> => {
  const wanted = files.filter(isSafePath)
  const parents = [...new Set([...wanted, ...folders].flatMap(ancestors).concat(folders))].sort()
  const [root, ...found] = await readAll(
    read([`${commit}^{tree}`, ...parents.map((path) => `${commit}:${path}`)]),
  )
  if (root === undefined) return undefined
  const hashLength = root.oid.length / 2
  const trees = new Map<string, Tree>([['', parseTree(root.bytes, hashLength)]])
  const entryOf = (path: string): TreeRow | undefined => trees.get(parentOf(path))?.get(nameOf(path))
  for (const [at, path] of parents.entries()) {
    const object = found[at]
    if (object === undefined && entryOf(path)?.mode === FOLDER_MODE) throw incomplete(commit, path)
    if (object?.kind === 'tree') trees.set(path, parseTree(object.bytes, hashLength))
  }
  const listed = folders.flatMap((folder) =>
    [...(trees.get(folder)?.keys() ?? [])].map((name) => `${folder}/${name}`),
  )
  const present = [...wanted, ...listed].filter((path) => isRegular(entryOf(path)?.mode ?? ''))
  // Git exits at an object of a partial clone that it would have to fetch.
  const contents = await readAll(read(present.map((path) => entryOf(path)?.oid ?? ''))).catch((cause) => {
    throw cause instanceof Fault ? incomplete(commit, present.join(', ')) : cause
  })
  const blobs = new Map(present.map((path, at) => [path, contents[at]]))
  return {
    tree: root.oid,
    exists: async (path) => entryOf(path) !== undefined,
    read: async (path, limit) => {
      if (entryOf(path) === undefined) return undefined
      if (!blobs.has(path))
        throw gateFaults.file_unusable(`${path} of commit ${commit} is not a regular file`)
      const bytes = blobs.get(path)?.bytes
      if (bytes === undefined) throw incomplete(commit, path)
      if (bytes.length > limit)
        throw gateFaults.file_unusable(`${path} of commit ${commit} is longer than ${limit} bytes`)
      return bytes
    },
    names: async (path) => {
      const tree = trees.get(path)
      if (tree === undefined && entryOf(path) !== undefined)
        throw gateFaults.file_unusable(`${path} of commit ${commit} is not a folder`)
      return [...(tree?.keys() ?? [])].sort()
    },
  }
}
