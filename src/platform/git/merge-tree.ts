import { rmSync } from 'node:fs'
import { lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { readRegularFile } from '../jail/async.ts'
import { atExit } from '../programs/process-groups.ts'
import type { CollectedChanges } from './change-set.ts'
import { parseRaw } from './parse.ts'
import { decodeRecords } from './path-bytes.ts'
import { OBJECT_ID } from './revisions.ts'
import { askGit, type GitPlace, readGit, runGit } from './run.ts'

/**
 * The merge of two commits, computed in a bare git folder of its own: objects are written there and not into the
 * repository, and git finds neither the configuration nor the attributes of the repository, which can name programs.
 */

const PREFIX = 'warrant-merge-'
const LEFTOVER_MS = 3_600_000
const REMOVE_ALL = { recursive: true, force: true, maxRetries: 3 }
const UNKNOWN_OPTION = 129

// A fixed rename limit, so that no configuration changes the output; 1000 is enough for a change made by hand. Nor does
// `.gitmodules`, which can hide submodules.
export const RAW = ['--raw', '-z', '--no-abbrev', '-M50%', '-l1000', '--ignore-submodules=none']

type TreeEnds = readonly [before: string, after: string]
export const diffTrees = async (place: GitPlace, ends: TreeEnds, signal: AbortSignal) =>
  parseRaw(decodeRecords(await readGit(place, ['diff-tree', '-r', ...RAW, ...ends], { signal })))

/** The settings of the user about merges do not count: each is at its default. */
const DEFAULTS = 'renames = true\nrenameLimit = 7000\ndirectoryRenames = conflict\nrenormalize = false\n'

/** Removes what killed processes of this user left. A link of such a name stays. */
const removeLeftovers = async (): Promise<void> => {
  for (const name of (await readdir(tmpdir())).filter((one) => one.startsWith(PREFIX))) {
    const stats = await lstat(join(tmpdir(), name))
    const isOwn = stats.isDirectory() && stats.uid === (process.getuid?.() ?? stats.uid)
    if (isOwn && Date.now() - stats.mtimeMs > LEFTOVER_MS) await rm(join(tmpdir(), name), REMOVE_ALL)
  }
}

const fillScratch = async (folder: string, common: string, format: string): Promise<void> => {
  await Promise.all(['objects/info', 'refs'].map((name) => mkdir(join(folder, name), { recursive: true })))
  // Where the history of a shallow clone ends; an empty list ends nothing.
  const shallow = await readRegularFile(join(common, 'shallow'), 16 * 1024 * 1024).catch(() => undefined)
  const files = {
    HEAD: 'ref: refs/heads/none\n',
    config: `[core] bare = true\nrepositoryformatversion = 1\n[extensions] objectFormat = ${format}\n[merge] ${DEFAULTS}`,
    shallow: shallow ?? '',
    // Quoted, because a path can hold a line break.
    'objects/info/alternates': `${JSON.stringify(join(common, 'objects'))}\n`,
  }
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)))
}

/** The merge and what it changes in the target, or why there is none. */
type Merge = Partial<CollectedChanges>

const tryMerge = async (place: GitPlace, ends: TreeEnds, signal: AbortSignal): Promise<Merge> => {
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', ...ends]
  const { code, text } = await askGit(place, args, { signal })
  const [merged = ''] = text.split('\n', 1)
  const isTree = OBJECT_ID.test(merged)
  if (code === 0 && isTree) return { merged, raw: await diffTrees(place, [ends[0], merged], signal) }
  // Git also exits with 1 where it cannot read a commit, and then names no tree.
  if (code === 1 && isTree) return { conflict: true }
  if (code !== UNKNOWN_OPTION) return { unmerged: `git could not merge the commits: exit code ${code}` }
  const version = /\d+\.\d+/.exec(await runGit(place, ['--version'], { signal }))?.[0]
  return { unmerged: `git ${version} cannot merge trees; 2.38 or newer can` }
}

/** The merge of the second commit into the first, which have both gone on since they parted. */
export const mergeIntoTarget = async (
  { objects, ...place }: GitPlace,
  ends: TreeEnds,
  signal: AbortSignal,
): Promise<Merge> => {
  await removeLeftovers().catch(() => {})
  const gitFolder = await mkdtemp(resolve(tmpdir(), PREFIX)).catch(() => undefined)
  if (gitFolder === undefined) return { unmerged: `no folder for a merge can be made in ${tmpdir()}` }
  const forget = atExit(() => rmSync(gitFolder, REMOVE_ALL))
  const added = JSON.stringify(join(gitFolder, 'objects'))
  const close = async () => {
    objects?.delete(added)
    await rm(gitFolder, REMOVE_ALL).then(forget)
  }
  let result: Merge = {}
  try {
    const common = place.folders?.common ?? join(place.folder, '.git')
    await fillScratch(gitFolder, common, ends[0].length === 64 ? 'sha256' : 'sha1')
    result = await tryMerge({ ...place, gitFolder }, ends, signal)
    if (result.merged === undefined) return result
    objects?.add(added)
    return { ...result, close }
  } finally {
    if (result.merged === undefined) await close()
  }
}

/** The other parents of a merge that is being committed. What is picked or reverted is no parent. */
export const readMergeHeads = async ({ folder, folders }: GitPlace): Promise<readonly string[]> => {
  const path = join(folders?.own ?? join(folder, '.git'), 'MERGE_HEAD')
  const bytes = await readRegularFile(path, 64 * 1024).catch(() => undefined)
  return (bytes?.toString('latin1') ?? '').split('\n').filter((line) => OBJECT_ID.test(line))
}
