import type { RepoState } from '../../evidence/schema.ts'
import type { GitReader, GitState } from '../ports.ts'

type Lifecycle = RepoState['lifecycle']

/** The lifecycle of a repository without an installation. */
export const NO_LIFECYCLE: Lifecycle = {
  installed: false,
  package_version: null,
  lifecycle_version: null,
  hooks: { pre_commit: 'missing', pre_push: 'missing' },
}

const NO_GIT: GitState = {
  available: false,
  branch: null,
  upstream: null,
  ahead: 0,
  behind: 0,
  dirty: false,
  staged: 0,
  unstaged: 0,
}

interface StatePorts {
  readonly git: GitReader
  /** Absolute path, reported as the root when there is no repository. */
  readonly folder: string
  readonly lifecycle: (root: string, signal: AbortSignal) => Promise<Lifecycle>
}

/** The present state of the repository. Outside a repository, `git.available` is false and nothing is installed. */
export const readRepoState = async (
  { git, folder, lifecycle }: StatePorts,
  signal: AbortSignal,
): Promise<RepoState> => {
  const root = await git.root(signal)
  if (root === undefined) return { repo_root: folder, git: NO_GIT, lifecycle: NO_LIFECYCLE }
  const [state, installed] = await Promise.all([git.state(signal), lifecycle(root, signal)])
  return { repo_root: root, git: state, lifecycle: installed }
}
