import { defineFaults } from './fault.ts'
import { escapeInvisible } from './text/escape-text.ts'

/**
 * Files on a caller's word. A jail is opened on one folder and hands out bytes, entries and facts of what lies
 * inside; it never hands out a path, for whoever opens a path again asks a question whose answer may have changed.
 */

export const jailFaults = defineFaults('jail', {
  root: { kind: 'unavailable', fix: 'Name an existing folder with --root.' },
  empty_path: { kind: 'invalid', fix: 'Name a path; `.` is the root of the project.' },
  path_too_long: { kind: 'invalid', fix: 'Name a path of at most 4096 bytes, each name of at most 255.' },
  encoding: { kind: 'invalid', fix: 'Only well-formed UTF-8 text is read.' },
  traversal: { kind: 'refused', fix: 'Name the path from the root, without two dots in a row.' },
  home: { kind: 'refused', fix: 'Name the path from the root; a tilde is never expanded.' },
  bad_path: { kind: 'refused', fix: 'Use plain names joined by `/`, without control characters.' },
  outside_root: { kind: 'refused', fix: 'Only what lies inside the root of the project can be read.' },
  changed: { kind: 'refused', fix: 'The path changed while it was looked up; try again when it is at rest.' },
  special_file: { kind: 'refused', fix: 'Only plain files and folders can be read.' },
  hard_link: { kind: 'refused', fix: 'The file has other names; start without --deny-hardlinks to read it.' },
  other_file_system: { kind: 'refused', fix: 'Start without --one-file-system to cross into mounts.' },
  denied: { kind: 'refused', fix: 'The operator keeps this path out of sight with --deny.' },
  read_only: { kind: 'refused', fix: 'Only new reports, directly under the root, can be written.' },
  blocked_name: { kind: 'invalid', fix: 'Repository metadata is not served; ask git itself.' },
  extension: { kind: 'invalid', fix: 'Name a file with one of the extensions in `allowed`.' },
  not_found: { kind: 'missing', fix: 'List the folder above it to see what there is.' },
  not_a_file: { kind: 'invalid', fix: 'Name a file; list folders instead.' },
  not_a_directory: { kind: 'invalid', fix: 'Name a folder; read files instead.' },
  ambiguous: { kind: 'invalid', fix: 'Several names look the same; use the exact spelling of one.' },
  exists: { kind: 'conflict', fix: 'Nothing is overwritten; choose another name, or leave the name out.' },
  file_too_large: { kind: 'exhausted', fix: 'Read a smaller file.' },
  too_many_entries: { kind: 'exhausted', fix: 'Start further down in the tree.' },
  timeout: { kind: 'exhausted', fix: 'Ask for less at once, or start further down in the tree.' },
  busy: { kind: 'exhausted', fix: 'Too many calls wait for a file system that does not answer; try later.' },
  io: { kind: 'unavailable', fix: 'Check the rights and the health of the file system.' },
})

/** What a reader may see of what lies inside. Judged on the path that is asked for and on where it leads. */
export interface PathRules {
  /** Lower-case endings with their dot, and whole names without one. Undefined: any. */
  readonly allowed?: ReadonlySet<string> | undefined
  /** Whether a name is out of bounds wherever it appears in a path, in whichever case it is spelt. */
  readonly blocked: (name: string) => boolean
}

export type EntryKind = 'file' | 'directory' | 'link' | 'other'

export interface DirectoryEntry {
  readonly name: string
  readonly kind: EntryKind
}

export interface FileInfo {
  /** Where it really is, from the root, with `/`; empty for the root itself. */
  readonly path: string
  readonly kind: EntryKind
  readonly size: number
  readonly modified: number
  /** How many names the file has. More than one: somebody else may know it from outside. */
  readonly linkCount: number
}

export interface FileBytes extends FileInfo {
  readonly bytes: Uint8Array
}

/** The end of patience: throws `timeout` once it is reached. Long work asks often. */
export type CheckDeadline = () => void

export interface ReadLimits {
  readonly bytes: number
  readonly checkDeadline: CheckDeadline
}

/** A folder that is held on to: renaming or replacing its path changes nothing for who holds it. */
export interface Folder {
  readonly path: string
  /** In code-unit order. Throws `jail.io` when the system does not let us list it. */
  entries(watch: CheckDeadline): readonly DirectoryEntry[]
  /** A folder below, never through a link. Undefined when it cannot be entered. */
  enter(name: string): Folder | undefined
  /** A plain file of at most `bytes`. Undefined when it cannot be read, or is longer. */
  read(name: string, bytes: number): FileBytes | undefined
  close(): void
}

export interface Jail {
  /** All of a file. Links are followed as long as they stay inside. */
  read(path: string, rules: PathRules, limits: ReadLimits): FileBytes
  /** Runs `use` with the folder open. */
  within<T>(path: string, rules: PathRules, use: (folder: Folder) => T): T
  info(path: string, rules: PathRules): FileInfo
  /** Makes a file directly under the root, whole or not at all, and never over another. */
  create(name: string, bytes: Uint8Array): void
  /** The root as the operator knows it: for answers that must name it. */
  readonly root: string
}

/** The ending that says what a file is: `.java`, or the whole name where no dot divides it; in lower case. */
export const extensionOrName = (name: string): string => {
  const dot = name.lastIndexOf('.')
  return (dot > 0 ? name.slice(dot) : name).toLowerCase()
}

const MAX_QUOTED = 256
const HARMLESS = /^[\w./ -]*$/

/** A caller's own words, escaped and cut: enough to recognise, too little to abuse. */
export const quotePath = (path: string): string => {
  if (path.length <= MAX_QUOTED && HARMLESS.test(path)) return `"${path}"`
  const cut = path.length > MAX_QUOTED ? `${path.slice(0, MAX_QUOTED)}…` : path
  return escapeInvisible(JSON.stringify(cut))
}
