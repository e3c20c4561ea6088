import { copyFile, lstat, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ChangeSet, FileReading, Scope } from '../../../gate/ports.ts'
import { type GitBlobReader, objectId } from '../blobs.ts'
import { NO_MODE, parseStatus, type RawChange, type StatusEntry } from '../parse.ts'
import { decodePath, encodePath, isEscapedPath } from '../path-bytes.ts'
import { askGit, type GitPlace, gitFaults, readGit, runGit } from '../run.ts'
import { readWorktree } from '../worktree.ts'
import { editedTreeId, readCommits, type TreeEdit, type TreeRow, treeLoader } from './tree-object.ts'

/** A path where the index differs from the last commit, links and submodules included; no `oid` where it is removed. */
interface IndexEdit {
  readonly path: string
  readonly mode: string
  readonly oid: string | undefined
}

/** From a status. Paths of `git add --intent-to-add` are not in the index for git. Undefined for an unmerged path. */
const parseIndexEdits = (text: string): IndexEdit[] | undefined => {
  const { entries } = parseStatus(text)
  if (entries.some(({ state, oid }) => state !== '??' && oid === '')) return undefined
  return entries.flatMap(({ state, indexMode: mode, oid, path, from }): IndexEdit[] => {
    if (/^[.?]/.test(state)) return []
    const moved = from !== undefined && state.startsWith('R')
    return [
      { path, mode, oid: state.startsWith('D') ? undefined : oid },
      ...(moved ? [{ path: from, mode, oid: undefined }] : []),
    ]
  })
}

/** The paths where the working tree differs from the index, those to add and those that are gone; and all that are shown. */
const parseWorktreeEdits = (text: string) => {
  const { entries } = parseStatus(text)
  const differing = entries.filter(({ state, oid }) => state[1] !== '.' || oid === '')
  const isAbsent = ({ worktreeMode }: StatusEntry) => worktreeMode === NO_MODE
  return {
    // A nested repository is listed with a trailing slash.
    present: differing.filter((one) => !isAbsent(one)).map(({ path }) => path.replace(/\/$/, '')),
    absent: differing.flatMap((one) => {
      const moved = one.from !== undefined && one.state[1] === 'R' ? [one.from] : []
      return isAbsent(one) ? [one.path, ...moved] : moved
    }),
    shown: entries.flatMap(({ path, from }) => [
      path.replace(/\/$/, ''),
      ...(from === undefined ? [] : [from]),
    ]),
  }
}

/** What a change was collected from. */
interface TreeIdInput {
  readonly place: GitPlace
  readonly scope: Scope
  /** The output of `git status`, as it was read for the change; undefined for a range. */
  readonly status: string | undefined
  /** Reads it again, with every untracked file. */
  readonly readStatus: (signal: AbortSignal) => Promise<Buffer>
  /** The last commit; for a range, the commit that it ends with. */
  readonly commit: string | undefined
  readonly blobs: GitBlobReader
  /** The change, and what was read of it from disk. */
  readonly raw: readonly RawChange[]
  readonly disk: DiskReads
}

/** A folder that can be named in a request; a line break would be a second request. */
const PRINTABLE = /^[ -~]+$/

/** The output of `git status`, one character for each byte. */
const statusInLatin1 = async (
  { status, scope, readStatus }: TreeIdInput,
  signal: AbortSignal,
): Promise<string> => {
  const isUsable = scope.kind === 'staged' && status !== undefined && !isEscapedPath(status)
  return isUsable ? encodePath(status) : (await readStatus(signal)).toString('latin1')
}

/** Digits of an object id: as many as those that are known; git says it for an empty repository. */
const digitsOf = async (input: TreeIdInput, rows: readonly TreeEdit[], signal: AbortSignal) => {
  const known = input.commit ?? rows.find(([, row]) => row !== undefined)?.[1]?.oid
  if (known !== undefined) return known.length
  const format = await runGit(input.place, ['rev-parse', '--show-object-format'], { signal })
  return format.trim() === 'sha256' ? 64 : 40
}

const foldersOf = (paths: readonly string[]): string[] => {
  const folders = new Set<string>()
  for (const path of paths)
    for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) folders.add(path.slice(0, at))
  return [...folders]
}

/** The trees of the last commit. The folders that the change touches are read in one request, where they can be named. */
const committedTrees = async (
  { place, blobs, commit }: TreeIdInput,
  folders: readonly string[],
  signal: AbortSignal,
) => {
  const { fetchTrees, load } = treeLoader(blobs, place, signal)
  if (commit === undefined) return { root: undefined, load }
  const named = folders.filter((folder) => PRINTABLE.test(folder))
  const [root] = await fetchTrees([`${commit}^{tree}`, ...named.map((folder) => `${commit}:${folder}`)])
  if (root === undefined) throw gitFaults.failed(`the tree of commit ${commit} cannot be read`)
  return { root, load }
}

/** The id of the tree of the last commit after edits. */
const changedTreeId = async (input: TreeIdInput, edits: readonly TreeEdit[], signal: AbortSignal) => {
  const folders = foldersOf(edits.map(([path]) => path))
  const { root, load } = await committedTrees(input, folders, signal)
  return editedTreeId({ digits: await digitsOf(input, edits, signal), load }, root, edits)
}

/**
 * The tree of the index: the trees of the last commit, with what `git status` says is staged. `git write-tree` would
 * cost a process, write objects, and trust what the index says about the ids of its folders.
 */
const stagedTree = async (input: TreeIdInput, signal: AbortSignal): ReturnType<ChangeSet['boundTree']> => {
  const edits = parseIndexEdits(await statusInLatin1(input, signal))
  if (edits === undefined) return undefined
  const rows = edits.map(
    ({ path, mode, oid }): TreeEdit => [path, oid === undefined ? undefined : { mode, oid }],
  )
  return { id: await changedTreeId(input, rows, signal) }
}

/** Files on disk as they are read for rules, kept as ids of blobs: of the bytes, and as git stores them without CRs. */
export class DiskReads {
  readonly #root: string
  readonly #asked = new Set<string>()
  readonly #ids = new Map<string, readonly string[]>()

  constructor(root: string) {
    this.#root = root
  }

  async *read(paths: readonly string[], signal: AbortSignal): AsyncGenerator<FileReading> {
    for (const path of paths) this.#asked.add(path)
    for await (const reading of readWorktree(this.#root, paths, signal)) {
      const { path, bytes = Buffer.alloc(0) } = reading
      const text = Buffer.from(bytes)
      const forms = text.includes('\r\n')
        ? [text, Buffer.from(text.toString('latin1').replaceAll('\r\n', '\n'), 'latin1')]
        : [text]
      const ids = forms.flatMap((form) => [40, 64].map((digits) => objectId('blob', form, digits)))
      const before = this.#ids.get(path)
      // What changed between two readings is none of both.
      this.#ids.set(path, before === undefined ? ids : ids.filter((id) => before.includes(id)))
      yield reading
    }
  }

  /** Whether a file was not asked for, as no rule is about it, or was read with this content. */
  agrees(path: string, oid: string): boolean {
    return !this.#asked.has(path) || this.#ids.get(path)?.includes(oid) === true
  }
}

const SUBMODULE = '160000'

/** The paths of a tree that were not judged as it has them: other bytes on disk, a link that git does not know yet. */
const findUnread = (
  { raw, disk }: TreeIdInput,
  rows: ReadonlyMap<string, TreeRow>,
  paths: readonly string[],
): string[] => {
  const judged = new Map(raw.map((one) => [encodePath(one.path), one]))
  const isJudged = (path: string): boolean => {
    const [row, change] = [rows.get(path), judged.get(path)]
    if (row === undefined || row.mode === SUBMODULE) return true
    if (change === undefined || change.change === 'deleted') return false
    return change.entry === 'link' ? change.oid === row.oid : disk.agrees(change.path, row.oid)
  }
  const unread = [...new Set(paths)].filter((path) => !isJudged(path))
  return unread.map(decodePath)
}

/** A record of `ls-files --stage -z`: `<mode> <blob> <stage>\t<path>`. */
const parseListed = (text: string): TreeEdit[] =>
  text.split('\0').flatMap((record): TreeEdit[] => {
    const tab = record.indexOf('\t')
    const [mode = '', oid] = record.slice(0, Math.max(0, tab)).split(' ')
    return oid === undefined ? [] : [[record.slice(tab + 1), { mode, oid }]]
  })

const listPaths = (paths: readonly string[]): Buffer =>
  Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1')

/** Runs `then` with a copy of the index, which git may change. */
const withIndexCopy = async <T>(place: GitPlace, then: (copy: GitPlace) => Promise<T>): Promise<T> => {
  const folder = await mkdtemp(join(tmpdir(), 'warrant-index-'))
  try {
    const own = place.indexFile ?? join(place.folders?.own ?? join(place.folder, '.git'), 'index')
    const indexFile = join(folder, 'index')
    await copyFile(own, indexFile).catch((cause: NodeJS.ErrnoException) => {
      // Before the first `git add` there is no index.
      if (cause.code !== 'ENOENT') throw gitFaults.failed('the index cannot be read', { cause })
    })
    // A split index would write its shared part into the git folder.
    const settings = [...(place.settings ?? []), ['core.splitIndex', 'false'] as const]
    return await then({ ...place, indexFile, settings })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Git would read such a file for longer than a run may take. A tree that has it is another one, which no receipt covers. */
const HUGE_BYTES = 512 * 1024 * 1024

const isHuge = async (folder: string, path: string): Promise<boolean> => {
  const found = await lstat(Buffer.from(`${encodePath(folder)}/${path}`, 'latin1')).catch(() => undefined)
  return found !== undefined && found.size > HUGE_BYTES
}

/** The tree after `git add --all`, which is done on a copy of the index and without writing objects. */
const worktreeTree = async (input: TreeIdInput, signal: AbortSignal): ReturnType<ChangeSet['boundTree']> => {
  const { raw, scope } = input
  const { present, absent, shown } = parseWorktreeEdits(await statusInLatin1(input, signal))
  const small: string[] = []
  for (const path of present) if (!(await isHuge(input.place.folder, path))) small.push(path)
  return withIndexCopy(input.place, async (place) => {
    // Two commands: a path below a folder that became a link can be removed, but not be looked at.
    for (const [paths, options] of [
      [absent, ['--force-remove']],
      [small, ['--add', '--remove', '--replace', '--info-only']],
    ] as const) {
      if (paths.length === 0) continue
      const args = ['update-index', ...options, '-z', '--stdin']
      const { code } = await askGit(place, args, { signal, input: listPaths(paths) })
      if (code !== 0) return undefined
    }
    const listed = await readGit(place, ['ls-files', '--stage', '-z'], { signal })
    const edits = parseListed(listed.toString('latin1'))
    const digits = await digitsOf(input, edits, signal)
    const load = () => Promise.reject(gitFaults.failed('a listed tree needs no other tree'))
    const id = await editedTreeId({ digits, load }, undefined, edits)
    const rows = new Map(edits.flatMap(([path, row]) => (row === undefined ? [] : [[path, row]])))
    if (scope.kind === 'repository') return { id, unread: () => findUnread(input, rows, [...rows.keys()]) }
    const changes = shown.map((path): TreeEdit => [path, rows.get(path)])
    // An index can be made to differ from the last commit where `git status` does not see it.
    if (id !== (await changedTreeId(input, changes, signal))) return undefined
    const paths = [...shown, ...raw.map(({ path }) => encodePath(path))]
    return { id, unread: () => findUnread(input, rows, paths) }
  })
}

/**
 * The tree that git would commit: of the index, of everything in the working tree that git does not ignore,
 * or of the commit that a range ends with. Neither the index nor the objects of the repository change. Undefined where
 * git would refuse to commit: unmerged paths, and nested repositories without a commit.
 */
export const readBoundTree = async (
  input: TreeIdInput,
  signal: AbortSignal,
): ReturnType<ChangeSet['boundTree']> => {
  const { place, scope, commit, blobs } = input
  if (scope.kind === 'staged') return stagedTree(input, signal)
  if (scope.kind !== 'range') return worktreeTree(input, signal)
  if (commit === undefined) return undefined
  for await (const { tree: id } of readCommits(blobs, place, [commit], signal)) return { id }
  return undefined
}
