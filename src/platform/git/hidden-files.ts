import { access } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { MAX_FILE_BYTES } from '../../gate/ports.ts'
import { openAsyncJail, readRegularFile } from '../jail/async.ts'
import { objectId } from './blobs.ts'
import { parseNames, type RawChange } from './parse.ts'
import { askGit, type GitPlace, runGit } from './run.ts'

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
  const text = await runGit(place, ['ls-files', '-v', '--stage', '-z'], { signal })
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
const HARMLESS_LINE = /^(#.*|!?\/\.warrant\/(\*|rules\/|checks\.yml|keys\.yml)|\/\.ai_evidence\.json|\s*)$/

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
  const names = parseNames(await runGit(place, args, { signal }))
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
