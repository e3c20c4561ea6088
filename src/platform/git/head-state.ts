import { join } from 'node:path'
import { readIdentity } from '../files/watch-file.ts'
import { findPlace, type GitStart } from './place.ts'
import { askGit, type GitFolders, type GitPlace } from './run.ts'

/** What is checked out. A repository without commits has none of it. */
export interface HeadState {
  readonly commit?: string
  /** The tree of that commit. */
  readonly tree?: string
  /** `HEAD` when it is detached. */
  readonly branch?: string
}

const QUESTION = ['rev-parse', 'HEAD', 'HEAD^{tree}', '--abbrev-ref', 'HEAD']

/** Changes with every commit, checkout and reset. The index stands in for a log of HEAD that is not kept. */
const headIdentity = async ({ own }: GitFolders): Promise<string> => {
  const [head, log] = await Promise.all([
    readIdentity(join(own, 'HEAD')),
    readIdentity(join(own, 'logs', 'HEAD')),
  ])
  return `${head} ${log === '' ? await readIdentity(join(own, 'index')) : log}`
}

const askHead = async (place: GitPlace, signal: AbortSignal): Promise<HeadState> => {
  const { code, text } = await askGit(place, QUESTION, { signal })
  const [commit, tree, branch] = text.split('\n')
  return code === 0 && commit && tree && branch ? { commit, tree, branch } : {}
}

/** Reads what is checked out. Git is started only when its files show a change. Undefined outside of a repository. */
export const headReader = (start: GitStart): (() => Promise<HeadState | undefined>) => {
  let place: GitPlace | undefined
  let known: { readonly identity: string; readonly state: HeadState } | undefined
  return async () => {
    const { signal } = new AbortController()
    place ??= await findPlace(start, signal)
    if (place?.folders === undefined) return undefined
    const identity = await headIdentity(place.folders)
    if (known?.identity !== identity) known = { identity, state: await askHead(place, signal) }
    return known.state
  }
}
