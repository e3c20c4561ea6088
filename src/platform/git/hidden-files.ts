import { access } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { MAX_FILE_BYTES } from '../../gate/ports.ts'
import { escapeRegExp } from '../../kernel/text/escape-regexp.ts'
import { openAsyncJail, readRegularFile } from '../jail/async.ts'
import { objectId } from './blobs.ts'
import { parseNames, type RawChange } from './parse.ts'
import { decodePath, decodeRecords, encodePath } from './path-bytes.ts'
import { askGit, type GitPlace, readGit } from './run.ts'

/** The output of `ls-files --stage -z`, searched as text and not parsed: of 100,000 files only a handful is needed. */

/** A record is `<mode> <blob> <stage>\t<path>\0`; with `-z` the path is not quoted. */
const TAB = '\t'
const END = '\0'
/** Mode of regular files; symlinks have 120, submodules 160. */
const REGULAR_FILE = '100'

const pathPattern = (ends: readonly string[], starts: readonly string[]): RegExp => {
  const alternatives = (words: readonly string[]) => `(?:${words.map(escapeRegExp).join('|')})`
  const tails = ends.length === 0 ? [] : [alternatives(ends) + END]
  const heads = starts.length === 0 ? [] : [TAB + alternatives(starts)]
  const pattern = new RegExp([...tails, ...heads].join('|'), 'gi')
  // V8 interprets an expression at its first use and compiles it at the second, which is then the long text.
  pattern.test('')
  return pattern
}

// The text is Latin-1, one character per byte: ASCII patterns match correctly inside UTF-8, without decoding.

export class GitIndex {
  readonly #text: string

  constructor(bytes: Buffer) {
    this.#text = bytes.toString('latin1')
  }

  *find(ends: readonly string[], starts: readonly string[] = []): Generator<string> {
    const text = this.#text
    const pattern = pathPattern(ends, starts)
    for (let hit = pattern.exec(text); hit !== null; hit = pattern.exec(text)) {
      // The match may include the NUL at the end of its record.
      const start = text.lastIndexOf(END, pattern.lastIndex - 2) + 1
      const tab = text.indexOf(TAB, start)
      // A tab inside a file name does not start a path.
      if (hit[0].startsWith(TAB) && hit.index !== tab) continue
      const end = text.indexOf(END, pattern.lastIndex - 1)
      pattern.lastIndex = end
      if (text.startsWith(REGULAR_FILE, start)) yield decodePath(text.slice(tab + 1, end))
    }
  }

  *entries(): Generator<{ readonly path: string; readonly id: string }> {
    for (const record of this.#text.split(END)) {
      const tab = record.indexOf(TAB)
      const [, id] = record.slice(0, Math.max(0, tab)).split(' ')
      if (id !== undefined) yield { path: decodePath(record.slice(tab + 1)), id }
    }
  }

  /** The blob of a regular file; undefined for an unknown or unmerged path. */
  blob(path: string): string | undefined {
    const at = this.#text.indexOf(` 0${TAB}${encodePath(path)}${END}`)
    const record = at < 0 ? '' : this.#text.slice(this.#text.lastIndexOf(END, at) + 1, at)
    return record.startsWith(REGULAR_FILE) ? record.split(' ')[1] : undefined
  }
}

/** The output of `ls-tree -z` in the form of the index: `<mode> <type> <hash>\t<path>` has no stage. */
const toIndexRecords = (bytes: Buffer): Buffer =>
  Buffer.from(
    bytes.toString('latin1').replace(/(^|\0)(\d{6}) \w+ ([0-9a-f]+)\t/g, `$1$2 $3 0${TAB}`),
    'latin1',
  )

/** The files of a commit or a tree. */
export const readTree = async (place: GitPlace, id: string, signal: AbortSignal): Promise<GitIndex> =>
  new GitIndex(toIndexRecords(await readGit(place, ['ls-tree', '-r', '-z', '--full-tree', id], { signal })))

// Files of the working tree that settings of this clone hide from `git status`: flags in the index, `info/exclude` and
// `core.excludesFile`. None of them is committed, so no review would notice them.

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )

/** A record of `ls-files -v --stage -z` with a flag: lower case is assume-unchanged, S is skip-worktree. */
const FLAGGED = /(?:^|\0)([a-zS]) 100\d{3} ([0-9a-f]{40,64}) 0\t([^\0]+)/g

/** Remembers which folders exist: in a sparse checkout whole folders are absent. */
const folderLookup = (root: string): ((path: string) => Promise<boolean>) => {
  const known = new Map<string, Promise<boolean>>()
  const lookup = (folder: string): Promise<boolean> => {
    if (folder === '.') return Promise.resolve(true)
    const answer =
      known.get(folder) ?? lookup(dirname(folder)).then((above) => above && exists(join(root, folder)))
    known.set(folder, answer)
    return answer
  }
  return (path) => lookup(dirname(path))
}

/** Flagged files that differ from the index. A file that a sparse checkout leaves out is not a change. */
export const flaggedChanges = async (place: GitPlace, signal: AbortSignal): Promise<RawChange[]> => {
  const text = decodeRecords(await readGit(place, ['ls-files', '-v', '--stage', '-z'], { signal }))
  const jail = openAsyncJail(place.folder)
  const folderExists = folderLookup(place.folder)
  const changes: RawChange[] = []
  for (const [, flag = '', oid = '', path = ''] of text.matchAll(FLAGGED)) {
    signal.throwIfAborted()
    // A file that cannot be read counts as modified.
    const bytes = (await folderExists(path))
      ? await jail.read(path, MAX_FILE_BYTES).catch(() => Buffer.of())
      : undefined
    if (bytes !== undefined && objectId('blob', bytes, oid.length) !== oid)
      changes.push({ path, change: 'modified', oid: undefined })
    if (bytes === undefined && flag === 'h') changes.push({ path, change: 'deleted', oid: undefined })
  }
  return changes
}

const MAX_BYTES = 1024 * 1024
const readText = async (path: string): Promise<string | undefined> =>
  (await readRegularFile(path, MAX_BYTES).catch(() => undefined))?.toString('latin1')

/** A line of `info/exclude` that hides no source file: a comment, the state folder, or the evidence. */
const HARMLESS_LINE =
  /^(#.*|!?\/\.warrant\/(\*|rules\/|checks\.yml|keys\.yml|acceptances\.yml)|\/\.ai_evidence\.json|\s*)$/

/** A check without starting git: most clones exclude nothing. */
const mayHideUntracked = async ({ folders }: GitPlace): Promise<boolean> => {
  if (folders === undefined) return true
  const [config, list] = await Promise.all([
    readText(join(folders.common, 'config')),
    exists(join(folders.common, 'info/exclude')).then((is) =>
      is ? readText(join(folders.common, 'info/exclude')) : '',
    ),
  ])
  if (config === undefined || list === undefined || folders.own !== folders.common) return true
  return /excludesfile|include/i.test(config) || list.split('\n').some((line) => !HARMLESS_LINE.test(line))
}

/** The excludes file of the user, which is not part of the clone. */
const userExcludes = async (place: GitPlace, signal: AbortSignal): Promise<readonly string[]> => {
  const question = ['config', '--global', '--type=path', '--get', 'core.excludesFile']
  const { code, text } = await askGit(place, question, { signal })
  const { XDG_CONFIG_HOME, HOME = homedir() } = place.environment
  const path =
    code === 0 ? text.replace(/\n$/, '') : join(XDG_CONFIG_HOME || join(HOME, '.config'), 'git', 'ignore')
  return (await exists(path)) ? [`--exclude-from=${path}`] : []
}

/**
 * Untracked files that neither `.gitignore` nor the user's excludes file ignores, whatever `info/exclude` and the
 * repository's `core.excludesFile` say. Installed packages are left out.
 */
export const untrackedDespiteExcludes = async (
  place: GitPlace,
  signal: AbortSignal,
): Promise<RawChange[]> => {
  if (!(await mayHideUntracked(place))) return []
  const exclude = ['--exclude-per-directory=.gitignore', '--exclude=node_modules/']
  const args = ['ls-files', '--others', '-z', ...exclude, ...(await userExcludes(place, signal))]
  const names = parseNames(decodeRecords(await readGit(place, args, { signal })))
  return names
    .filter((path) => !path.endsWith('/'))
    .map((path) => ({ path, change: 'added' as const, oid: undefined }))
}

/** The changes of each list whose path no list before it has. */
export const mergeChanges = (...lists: readonly (readonly RawChange[])[]): RawChange[] => {
  const byPath = new Map<string, RawChange>()
  for (const change of lists.flat()) if (!byPath.has(change.path)) byPath.set(change.path, change)
  return [...byPath.values()]
}
