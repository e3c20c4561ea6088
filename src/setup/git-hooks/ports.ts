import { defineFaults } from '../../kernel/fault.ts'

export const repositoryFaults = defineFaults('repository', {
  absent: {
    kind: 'missing',
    fix: 'Run it in the working tree of a git repository. `git status` shows why git rejects this folder.',
  },
})

/** Folders of a repository, absolute and with symlinks resolved. */
export interface RepositoryPlaces {
  readonly top: string
  /** The git directory shared by all worktrees. */
  readonly common: string
  /** The hooks folder; it may not exist. */
  readonly hooks: string
}

/** What the installation needs of git. */
export interface LifecycleGit {
  /** Undefined outside a repository. */
  places(signal: AbortSignal): Promise<RepositoryPlaces | undefined>
  /** The number of tracked files under any `node_modules`. */
  trackedModules(signal: AbortSignal): Promise<number>
  /** The paths that git tracks. */
  tracked(paths: readonly string[], signal: AbortSignal): Promise<readonly string[]>
  /** Whether git ignores the path. */
  ignores(path: string, signal: AbortSignal): Promise<boolean>
}

/** Small files of git: hooks, excludes. Paths are absolute. */
export interface GitMetadataFiles {
  /** The path with symlinks resolved, as far as it exists. */
  real(path: string): Promise<string>
  /** Whether the file may be executed. */
  executable(path: string): Promise<boolean>
  /** Undefined when there is none. */
  read(path: string): Promise<Buffer | undefined>
}
