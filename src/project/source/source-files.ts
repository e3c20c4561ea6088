/** The files of one project as the workflows see them: relative paths, never the disk. */

export interface ProjectFile {
  /** From the root of the project, with `/`. */
  readonly path: string
}

export interface Warning {
  readonly code: string
  readonly file: string
  readonly message: string
}

export interface Survey {
  /** In code-unit order of their paths, without what the rules of discovery leave out. */
  readonly files: readonly ProjectFile[]
  /** What could not be walked, or was cut off by a limit. */
  readonly warnings: readonly Warning[]
}

export interface WalkLimits {
  readonly files: number
  readonly bytes: number
  readonly depth: number
}

export const WALK_LIMITS: WalkLimits = { files: 20_000, bytes: 256 * 1024 * 1024, depth: 64 }

/** Longest single file that is analysed. A file of code beyond this was not written by hand. */
export const MAX_SOURCE_BYTES = 1024 * 1024

/** How long work keeps going: throws once the caller has gone or the time is up. */
export type Watch = () => void

export interface ProjectFiles {
  /** The root as the operator knows it. */
  readonly root: string
  /** Everything below the project, links not followed. */
  walk(limits: WalkLimits, watch: Watch): Survey
  /** All of a file as text; undefined when it cannot be read, is too long, or is no text. */
  read(path: string): string | undefined
}

/** Code-unit order: the same on every machine, whatever its language. */
export const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)

export const byPath = <T extends { readonly path: string }>(a: T, b: T): number => inOrder(a.path, b.path)

export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

export const joinPath = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`)
