import { readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { digestBytes } from '../../../kernel/encoding/hash.ts'
import { askGit, type GitFolders, type GitPlace } from '../../../platform/git/run.ts'
import { readGuardText, stampOf, stampTree } from './stamps.ts'

/** What branches, tags and heads of a clone point to. */

const COMMIT_REFS = ['refs/heads', 'refs/remotes', 'refs/tags']
const MAX_STAMPED = 5_000

/** A stamp of all of them. With more than are looked at it is empty, and git is asked each time. */
export const stampRefs = ({ common }: GitFolders): string => {
  const left = { count: MAX_STAMPED }
  const trees = [...COMMIT_REFS, 'reftable', 'worktrees'].map((name) => stampTree(join(common, name), left))
  const stamp = [...trees, stampOf(join(common, 'packed-refs')), stampOf(join(common, 'HEAD'))].join('\n')
  return left.count < 0 ? '' : digestBytes(stamp)
}

/** The objects that they point to; heads by their folder, where they are on no branch. */
export const readTips = async (
  place: GitPlace & { readonly folders: GitFolders },
  signal: AbortSignal,
): Promise<Record<string, string>> => {
  const { common } = place.folders
  const args = ['for-each-ref', '--format=%(objectname) %(refname)', ...COMMIT_REFS]
  const { text } = await askGit(place, args, { signal })
  const tips = Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const end = line.indexOf(' ')
      return end > 0 ? [[line.slice(end + 1), line.slice(0, end)]] : []
    }),
  )
  const worktrees = await readdir(join(common, 'worktrees')).catch(() => [])
  for (const folder of [common, ...worktrees.map((name) => join(common, 'worktrees', name))]) {
    const head = (await readGuardText(join(folder, 'HEAD')))?.trim() ?? ''
    if (/^[0-9a-f]{40,64}$/.test(head)) tips[`${folder}/HEAD`] = head
  }
  return tips
}

/** What came from a folder or an address, and is in no remote branch. What a clone fetched from itself did not. */
export const readFetched = async (root: string, { own, common }: GitFolders): Promise<string[]> => {
  const lines = ((await readGuardText(join(own, 'FETCH_HEAD'))) ?? '').split('\n')
  const sources = ['.', root, dirname(common)].flatMap((source) => [`\t${source}`, ` of ${source}`])
  return lines
    .filter((line) => !sources.some((source) => line.endsWith(source)))
    .flatMap((line) => /^[0-9a-f]{40,64}(?=\t)/.exec(line)?.[0] ?? [])
}
