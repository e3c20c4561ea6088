import { defineFaults } from './fault.ts'
import { escapeInvisible } from './text/escape-text.ts'

/**
 * Access to files whose paths a caller names. A jail is opened on one folder and returns bytes, entries and file
 * info from inside it. It never returns a path to open again: the file could be swapped in between (TOCTOU).
 */

export const jailFaults = defineFaults('jail', {
  root: { kind: 'unavailable', fix: 'Name an existing folder with --root.' },
  empty_path: { kind: 'invalid', fix: 'Name a path; `.` is the root of the project.' },
  path_too_long: { kind: 'invalid', fix: 'Name a path of at most 4096 bytes, each name of at most 255.' },
  encoding: { kind: 'invalid', fix: 'Only well-formed UTF-8 text is read.' },
  traversal: { kind: 'refused', fix: 'Name the path from the root, without `..`.' },
  home: { kind: 'refused', fix: 'Name the path from the root; a tilde is never expanded.' },
  bad_path: { kind: 'refused', fix: 'Use plain names joined by `/`, without control characters.' },
  outside_root: { kind: 'refused', fix: 'Name a path inside the root of the project.' },
  changed: { kind: 'refused', fix: 'The path changed while it was resolved; try again.' },
  special_file: { kind: 'refused', fix: 'Only regular files and folders can be read.' },
  hard_link: {
    kind: 'refused',
    fix: 'The file has other hard links; start without --deny-hardlinks to read it.',
  },
  other_file_system: { kind: 'refused', fix: 'Start without --one-file-system to cross into mounts.' },
  denied: { kind: 'refused', fix: 'The operator excludes this path with --deny.' },
  read_only: { kind: 'refused', fix: 'Only new reports, directly under the root, can be written.' },
  blocked_name: { kind: 'invalid', fix: 'Repository metadata is not served; ask git itself.' },
  extension: { kind: 'invalid', fix: 'Name a file with one of the extensions in `allowed`.' },
  not_found: { kind: 'missing', fix: 'List the parent folder to see which names exist.' },
  not_a_file: { kind: 'invalid', fix: 'Name a file; list folders instead.' },
  not_a_directory: { kind: 'invalid', fix: 'Name a folder; read files instead.' },
  ambiguous: { kind: 'invalid', fix: 'Several names look the same; use the exact spelling of one.' },
  exists: { kind: 'conflict', fix: 'Nothing is overwritten; choose another name, or leave the name out.' },
  file_too_large: { kind: 'exhausted', fix: 'Read a smaller file.' },
  too_many_entries: { kind: 'exhausted', fix: 'Start in a folder further down.' },
  timeout: { kind: 'exhausted', fix: 'Ask for less at once, or start in a folder further down.' },
  busy: {
    kind: 'exhausted',
    fix: 'Too many calls wait for a file system that does not answer; try again later.',
  },
  io: { kind: 'unavailable', fix: 'Check the permissions and the health of the file system.' },
})

/** Which paths may be read. Applied to the requested path and to the path it resolves to. */
export interface PathRules {
  /** Lower-case extensions with their dot, or whole names without one. Undefined: any. */
  readonly allowed?: ReadonlySet<string> | undefined
  /** Whether a name is forbidden anywhere in a path. Ignores case. */
  readonly blocked: (name: string) => boolean
  /** Refuses two dots anywhere in a requested path, also inside a name, as sentinel-mcp documents it. */
  readonly refusesDots?: boolean
}

type EntryKind = 'file' | 'directory' | 'link' | 'other'

export interface DirectoryEntry {
  readonly name: string
  readonly kind: EntryKind
}

export interface FileInfo {
  /** The resolved path relative to the root, with `/`; empty for the root itself. */
  readonly path: string
  readonly kind: EntryKind
  readonly size: number
  readonly modified: number
  /** Number of hard links. With more than one, the file may also be reachable from outside the root. */
  readonly linkCount: number
}

export interface FileBytes extends FileInfo {
  readonly bytes: Uint8Array
}

/** Throws `jail.timeout` once the deadline has passed. Call it inside long loops. */
export type CheckDeadline = () => void

interface ReadLimits {
  readonly bytes: number
  readonly checkDeadline: CheckDeadline
}

/** An open folder. Renaming or replacing its path has no effect on it. */
export interface Folder {
  readonly path: string
  /** In code-unit order. Throws `jail.io` when the folder cannot be listed. */
  entries(checkDeadline: CheckDeadline): readonly DirectoryEntry[]
  /** Opens a subfolder without following links. Undefined when it cannot be opened. */
  enter(name: string): Folder | undefined
  /** Reads a regular file of at most `bytes`. Undefined when it cannot be read or is longer. */
  read(name: string, bytes: number): FileBytes | undefined
  close(): void
}

export interface Jail {
  /** Reads a whole file. Links are followed as long as they stay inside the root. */
  read(path: string, rules: PathRules, limits: ReadLimits): FileBytes
  /** Runs `use` with the folder open. */
  within<T>(path: string, rules: PathRules, use: (folder: Folder) => T): T
  info(path: string, rules: PathRules): FileInfo
  /** Creates a file directly under the root, atomically, and never replaces one. */
  create(name: string, bytes: Uint8Array): void
  /** The root as the operator named it, for answers that must show it. */
  readonly root: string
}

/** The extension with its dot, such as `.java`, or the whole name when it has none; in lower case. */
export const extensionOrName = (name: string): string => {
  const dot = name.lastIndexOf('.')
  return (dot > 0 ? name.slice(dot) : name).toLowerCase()
}

const MAX_QUOTED = 256
const HARMLESS = /^[\w./ -]*$/

/** Quotes a caller's path for a message: escaped against terminal injection, and shortened. */
export const quotePath = (path: string): string => {
  if (path.length <= MAX_QUOTED && HARMLESS.test(path)) return `"${path}"`
  const cut = path.length > MAX_QUOTED ? `${path.slice(0, MAX_QUOTED)}…` : path
  return escapeInvisible(JSON.stringify(cut))
}
