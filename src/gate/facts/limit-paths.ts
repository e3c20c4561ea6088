import type { ChangeSet, GitReader } from '../ports.ts'

/** Whether a path is one of these files, or below one of these folders; '' is the root. */
export const pathFilter =
  (paths: readonly string[]) =>
  (path: string): boolean =>
    paths.some((one) => one === '' || path === one || path.startsWith(`${one}/`))

const limitChanges = (set: ChangeSet, isInside: (path: string) => boolean): ChangeSet => ({
  ...set,
  changes: set.changes.filter(({ path }) => isInside(path)),
  links: (set.links ?? []).filter(isInside),
  submodules: (set.submodules ?? []).filter(isInside),
  identify: async (signal) => (await set.identify(signal)).filter(({ path }) => isInside(path)),
})

/** The repository, of which only some files are judged. */
export const limitFiles = (git: GitReader, isInside: (path: string) => boolean): GitReader => ({
  ...git,
  changes: async (scope, signal) => limitChanges(await git.changes(scope, signal), isInside),
})
