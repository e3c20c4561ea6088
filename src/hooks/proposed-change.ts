import { compareText } from '../evidence/compare.ts'
import { gateFaults } from '../gate/faults.ts'
import type { ChangeSet, FileChange, FileReading, FolderNames, GitReader } from '../gate/ports.ts'
import type { RepositoryFiles } from '../kernel/ports.ts'

/** A file as a tool would leave it. */
export interface ProposedFile {
  /** Relative to the root. */
  readonly path: string
  /** Undefined for a new file. */
  readonly before: Uint8Array | undefined
  /** Undefined where the tool deletes the file. */
  readonly after: Uint8Array | undefined
  /** Only a part of the file is known, so it is searched for secrets alone. */
  readonly isPart?: boolean
}

const changeOf = ({ path, before, after }: ProposedFile): FileChange => ({
  path,
  change: after === undefined ? 'deleted' : before === undefined ? 'added' : 'modified',
})

const LAST_COMMIT = 'HEAD'

/** The change that a tool would make to the files on disk. Nothing is read from disk, and git is asked little. */
const proposedSet = (files: readonly ProposedFile[]): ChangeSet => {
  const byPath = new Map(files.map((file) => [file.path, file]))
  const read = (member: 'before' | 'after') =>
    async function* (paths: readonly string[]): AsyncGenerator<FileReading> {
      for (const path of paths) {
        const file = byPath.get(path)
        const bytes = file?.[member]
        if (bytes !== undefined) yield { path, bytes, ...(file?.isPart && { secretsOnly: true }) }
      }
    }
  return {
    source: 'git:worktree',
    base: LAST_COMMIT,
    head: undefined,
    changes: files.map(changeOf).sort((a, b) => compareText(a.path, b.path)),
    read: read('after'),
    readBefore: read('before'),
    identify: async () => [],
    boundTree: async () => undefined,
  }
}

/** Git as it would be after the tool. */
export const proposedGit = (git: GitReader, files: readonly ProposedFile[]): GitReader => ({
  ...git,
  changes: async () => proposedSet(files),
  // Only the evidence names the last commit, and none is written.
  head: async () => null,
})

type PolicySource = RepositoryFiles & FolderNames

/** The files of the repository as they would be after the tool, for the policy. */
export const proposedFiles = (files: PolicySource, proposed: readonly ProposedFile[]): PolicySource => {
  const byPath = new Map(proposed.filter(({ isPart }) => !isPart).map((file) => [file.path, file]))
  const namesIn = (folder: string) =>
    [...byPath.values()].filter(({ path }) => path.slice(0, path.lastIndexOf('/')) === folder)
  return {
    exists: async (path) => {
      const file = byPath.get(path)
      return file === undefined ? files.exists(path) : file.after !== undefined
    },
    read: async (path, limit) => {
      const file = byPath.get(path)
      if (file === undefined) return files.read(path, limit)
      if ((file.after?.length ?? 0) > limit)
        throw gateFaults.file_unusable(`${path} is longer than ${limit} bytes`)
      return file.after
    },
    names: async (folder) => {
      const names = new Set(await files.names(folder))
      for (const { path, after } of namesIn(folder)) {
        const name = path.slice(folder.length + 1)
        if (after === undefined) names.delete(name)
        else names.add(name)
      }
      return [...names].sort()
    },
  }
}
