import type { CheckedCommit } from '../../../receipts/judge-commits.ts'
import { type GitBlobReader, objectId } from '../blobs.ts'
import { type GitPlace, gitFaults } from '../run.ts'

/** No real tree is larger; a larger one would be kept in memory whole. */
const MAX_TREE_BYTES = 64 * 1024 * 1024

/** Trees by id. Those of one request are kept for later. */
interface TreeLoader {
  /** Reads trees by name, such as `HEAD:src`; their ids, undefined where a name is of no tree. */
  readonly fetchTrees: (names: readonly string[]) => Promise<readonly (string | undefined)[]>
  readonly load: (oid: string) => Promise<Buffer>
}

export const treeLoader = (blobs: GitBlobReader, place: GitPlace, signal: AbortSignal): TreeLoader => {
  const trees = new Map<string, Buffer>()
  const fetchTrees = async (names: readonly string[]): Promise<(string | undefined)[]> => {
    const oids: (string | undefined)[] = []
    for await (const object of blobs.objects(place, names, signal, MAX_TREE_BYTES)) {
      const isTree = object?.kind === 'tree' && object.bytes.length < MAX_TREE_BYTES
      if (isTree) trees.set(object.oid, object.bytes)
      oids.push(isTree ? object.oid : undefined)
    }
    return oids
  }
  const load = async (oid: string): Promise<Buffer> => {
    if (!trees.has(oid)) await fetchTrees([oid])
    const bytes = trees.get(oid)
    if (bytes === undefined) throw gitFaults.failed(`the tree ${oid} cannot be read`)
    return bytes
  }
  return { fetchTrees, load }
}

/** Longer commits exist in no real repository. */
const MAX_COMMIT_BYTES = 4 * 1024 * 1024

/** The header of a commit: `tree`, `parent` for each parent, `author`, `committer <name> <<address>> <seconds> <zone>`. */
const parseCommit = (id: string, bytes: Buffer): CheckedCommit | undefined => {
  const end = bytes.indexOf('\n\n')
  const header = bytes.toString('latin1', 0, end < 0 ? bytes.length : end).split('\n')
  const [tree] = header.flatMap((line) => /^tree ([0-9a-f]+)$/.exec(line)?.[1] ?? [])
  const [seconds] = header.flatMap((line) => /^committer .*> (\d+) [+-]\d+$/.exec(line)?.[1] ?? [])
  if (tree === undefined) return undefined
  const parents = header.flatMap((line) => /^parent ([0-9a-f]+)$/.exec(line)?.[1] ?? [])
  const [subject = ''] = end < 0 ? [] : bytes.toString('utf8', end).trim().split('\n', 1)
  return { id, tree, parents, committed: Number(seconds ?? 0) * 1000, subject }
}

/** Commits by id, in this order. Their content is compared with their id, which git does not do when it reads. */
export async function* readCommits(
  blobs: GitBlobReader,
  place: GitPlace,
  ids: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<CheckedCommit> {
  let at = 0
  for await (const object of blobs.objects(place, ids, signal, MAX_COMMIT_BYTES)) {
    const id = ids[at++] ?? ''
    const isWhole = object?.kind === 'commit' && object.bytes.length < MAX_COMMIT_BYTES
    const commit = isWhole ? parseCommit(id, object.bytes) : undefined
    if (commit === undefined) throw gitFaults.revision(`commit ${id} is damaged or not in this clone`)
    yield commit
  }
}

/**
 * Reads the trees in which two versions differ; without a first one, all of the second. Git does not compare a tree with
 * its id when it lists changes: another tree in its place would hide files.
 */
export const verifyTrees = async (
  blobs: GitBlobReader,
  place: GitPlace,
  [before, after]: readonly [before: string | undefined, after: string],
  signal: AbortSignal,
): Promise<void> => {
  const { fetchTrees, load } = treeLoader(blobs, place, signal)
  const rootOf = async (id: string | undefined): Promise<string | undefined> => {
    if (id === undefined) return undefined
    for await (const object of blobs.objects(place, [id], signal, MAX_TREE_BYTES))
      if (object?.kind === 'commit') return parseCommit(id, object.bytes)?.tree
    return id
  }
  const foldersIn = async (oid: string | undefined) => {
    const rows = oid === undefined ? [] : parseTree(await load(oid), oid.length / 2, 'latin1')
    return new Map(
      [...rows].flatMap(([name, { mode, oid: id }]) => (/^0*40000$/.test(mode) ? [[name, id]] : [])),
    )
  }
  let level = [[await rootOf(before), await rootOf(after)]]
  while (level.length > 0) {
    const differing = level.filter(([one, other]) => one !== other)
    level = []
    await fetchTrees([...new Set(differing.flat())].filter((oid) => oid !== undefined))
    for (const pair of differing) {
      const folders = await Promise.all(pair.map(foldersIn))
      for (const name of new Set(folders.flatMap((one) => [...one.keys()])))
        level.push(folders.map((one) => one.get(name)))
    }
  }
}

/** One row of a tree object. */
export interface TreeRow {
  readonly mode: string
  readonly oid: string
}

export const FOLDER_MODE = '40000'
const NUL = 0
const SPACE = 32

/**
 * A tree object: `<mode> <name>\0<hash>`, again and again. The hash has 20 or 32 bytes, as the tree's own. Names are
 * decoded as UTF-8 for reading, and as Latin-1, one character for each byte, where the bytes must come back.
 */
export const parseTree = (
  bytes: Buffer,
  hashLength: number,
  encoding: 'utf8' | 'latin1' = 'utf8',
): Map<string, TreeRow> => {
  const rows = new Map<string, TreeRow>()
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(SPACE, at)
    const end = bytes.indexOf(NUL, space)
    const mode = bytes.toString('latin1', at, space)
    at = end + 1 + hashLength
    rows.set(bytes.toString(encoding, space + 1, end), { mode, oid: bytes.toString('hex', end + 1, at) })
  }
  return rows
}

/** Git compares the names of folders as if they ended in a slash. */
const sortKey = ([name, { mode }]: readonly [string, TreeRow]): string =>
  mode === FOLDER_MODE ? `${name}/` : name

/** The bytes of a tree object, from names in Latin-1. */
const formatTree = (rows: ReadonlyMap<string, TreeRow>): Buffer => {
  const sorted = [...rows].map((row) => ({ row, key: sortKey(row) }))
  sorted.sort((a, b) => (a.key < b.key ? -1 : 1))
  return Buffer.concat(
    sorted.flatMap(({ row: [name, { mode, oid }] }) => [
      Buffer.from(`${mode} ${name}\0`, 'latin1'),
      Buffer.from(oid, 'hex'),
    ]),
  )
}

/** A path in Latin-1, and what a tree holds there afterwards; undefined removes it. */
export type TreeEdit = readonly [path: string, row: TreeRow | undefined]

/** The edits inside one folder: of its own rows, and inside its folders. */
interface FolderEdits {
  readonly rows: Map<string, TreeRow | undefined>
  readonly folders: Map<string, FolderEdits>
}

const emptyEdits = (): FolderEdits => ({ rows: new Map(), folders: new Map() })

const groupEdits = (edits: Iterable<TreeEdit>): FolderEdits => {
  const root = emptyEdits()
  for (const [path, row] of edits) {
    let folder = root
    let start = 0
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', start)) {
      const name = path.slice(start, slash)
      const next = folder.folders.get(name) ?? emptyEdits()
      folder.folders.set(name, next)
      folder = next
      start = slash + 1
    }
    folder.rows.set(path.slice(start), row)
  }
  return root
}

/** The mode as git writes it: old versions wrote others, such as 100664. */
const canonicalMode = (mode: string): string => {
  if (!mode.startsWith('100')) return mode
  return (Number.parseInt(mode, 8) & 0o100) === 0 ? '100644' : '100755'
}

interface TreeSource {
  /** Digits of an object id: 40 or 64. */
  readonly digits: number
  /** The bytes of a tree. */
  readonly load: (oid: string) => Promise<Buffer>
}

/** The id of a folder after its edits; undefined when it holds nothing: git stores no empty folder. */
const editFolder = async (
  source: TreeSource,
  oid: string | undefined,
  edits: FolderEdits,
): Promise<string | undefined> => {
  const before =
    oid === undefined ? new Map() : parseTree(await source.load(oid), source.digits / 2, 'latin1')
  const rows = new Map<string, TreeRow>()
  for (const [name, row] of before) rows.set(name, { ...row, mode: canonicalMode(row.mode) })
  const inside: [name: string, oid: string | undefined][] = []
  for (const [name, folder] of edits.folders) {
    const known = rows.get(name)
    inside.push([name, await editFolder(source, known?.mode === FOLDER_MODE ? known.oid : undefined, folder)])
  }
  for (const [name, row] of edits.rows) row === undefined ? rows.delete(name) : rows.set(name, row)
  for (const [name, id] of inside) {
    if (id !== undefined) rows.set(name, { mode: FOLDER_MODE, oid: id })
    // A file can have replaced the folder.
    else if (rows.get(name)?.mode === FOLDER_MODE) rows.delete(name)
  }
  return rows.size === 0 ? undefined : objectId('tree', formatTree(rows), source.digits)
}

/** The id that the tree `root` has after the edits, without writing an object. Without a root, from nothing. */
export const editedTreeId = async (
  source: TreeSource,
  root: string | undefined,
  edits: Iterable<TreeEdit>,
): Promise<string> =>
  (await editFolder(source, root, groupEdits(edits))) ?? objectId('tree', Buffer.alloc(0), source.digits)
