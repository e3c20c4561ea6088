import { askGit, type GitPlace } from './run.ts'

const BRANCH = /^refs\/(?:heads|remotes\/[^/]+)\/(.+)$/

/** Local and remote branches that point at the last commit, without the name of the remote. */
export const branchesAtHead = async (place: GitPlace, signal: AbortSignal): Promise<readonly string[]> => {
  const args = ['for-each-ref', '--points-at=HEAD', '--format=%(refname)', 'refs/heads', 'refs/remotes']
  const { code, text } = await askGit(place, args, { signal })
  return (code === 0 ? text.split('\n') : []).flatMap((name) => BRANCH.exec(name)?.[1] ?? [])
}
