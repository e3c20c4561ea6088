/** The files of one project as workflows see them: relative paths, read through a port. */

export interface ProjectFile {
  /** Relative to the root of the project, with `/`. */
  readonly path: string
}

export interface Warning {
  readonly code: string
  readonly file: string
  readonly message: string
}

export interface Survey {
  /** In code-unit order of their paths, without files that discovery skips. */
  readonly files: readonly ProjectFile[]
  /** Folders that could not be read, and limits that were reached. */
  readonly warnings: readonly Warning[]
}

export interface WalkLimits {
  readonly files: number
  readonly bytes: number
  readonly depth: number
}

export const WALK_LIMITS: WalkLimits = { files: 20_000, bytes: 256 * 1024 * 1024, depth: 64 }

/** Larger files are skipped: they are generated code. */
export const MAX_SOURCE_BYTES = 1024 * 1024

export interface ProjectFiles {
  /** The absolute root, as the operator configured it. */
  readonly root: string
  /** All files of the project; symlinks are not followed. */
  walk(limits: WalkLimits): Survey
  /** The text of a file; undefined when it cannot be read, is too large, or is not text. */
  read(path: string): string | undefined
  /** Whether a file was not read because of its size. */
  isTooLarge(path: string): boolean
}

/** Code-unit order: the same in every locale. */
export const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export const byPath = <T extends { readonly path: string }>(a: T, b: T): number => inOrder(a.path, b.path)

export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

export const joinPath = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`)

/** `a/../b/./c` is `b/c`; undefined when the path leaves the project. */
export const collapseDots = (path: string): string | undefined => {
  const steps: string[] = []
  for (const step of path.split('/')) {
    if (step === '' || step === '.') continue
    if (step !== '..') steps.push(step)
    else if (steps.pop() === undefined) return undefined
  }
  return steps.join('/')
}

/** Resolves a relative path of a build file against a folder; undefined when it leaves the root. */
export const resolveBelow = (folder: string, path: string): string | undefined =>
  collapseDots(`${folder}/${path.replaceAll('\\', '/')}`)
