import type { RepoState, Severity } from '../evidence/schema.ts'
import type { LanguageName } from '../kernel/text/languages.ts'

/** Which files are judged. */
export type Scope =
  | { readonly kind: 'staged' }
  | { readonly kind: 'range'; readonly from: string; readonly to: string }
  | { readonly kind: 'worktree' }
  | { readonly kind: 'repository' }

/**
 * One file of a change, under its new name. Paths are relative to the root and use `/`. Links and submodules
 * are no files: they are left out.
 */
export interface FileChange {
  readonly path: string
  readonly change: 'added' | 'modified' | 'deleted'
  /** The name it had before, when git says it was moved. */
  readonly from?: string
}

/** What git says changed, and the bytes as they will be. */
export interface ChangeSet {
  /** How findings name their origin: `git:staged`, `git:range:<from>..<to>`, ... */
  readonly source: string
  readonly changes: readonly FileChange[]
  /** Contents of the asked files, in that order. What is gone, or is no file, is left out. */
  read(paths: readonly string[], signal: AbortSignal): AsyncIterable<FileReading>
}

/** A file longer than `MAX_FILE_BYTES` comes cut off there: long enough to be seen to be too long. */
export interface FileContent {
  readonly path: string
  readonly bytes: Uint8Array
}

/** A file's content, or undefined when it is there and cannot be read. */
export type FileReading = FileContent | { readonly path: string; readonly bytes: undefined }

/** What one file may take of our memory, plus one byte to tell that there is more. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024 + 1

export interface NamedCommit {
  readonly name: string
  readonly hash: string
}

export type GitState = RepoState['git']

/**
 * The index, as far as it takes to tell what kind of repository it belongs to. Large ones name a hundred thousand
 * files, of which a handful tells anything: only those are ever made into paths.
 */
export interface TrackedFiles extends Pick<ChangeSet, 'read'> {
  /**
   * Paths with one of these ends or beginnings, in ASCII and whatever the case of letters. In no particular order;
   * one that is not merged may come more than once.
   */
  find(ends: readonly string[], starts?: readonly string[]): Iterable<string>
}

/** What the gate asks of git. Nothing here writes to the repository. */
export interface GitReader {
  /** The top of the working tree, absolute; undefined outside a repository. */
  root(signal: AbortSignal): Promise<string | undefined>
  state(signal: AbortSignal): Promise<GitState>
  changes(scope: Scope, signal: AbortSignal): Promise<ChangeSet>
  /** Every tracked file as it stands in the index. */
  tracked(signal: AbortSignal): Promise<TrackedFiles>
  /** The first of the names that is a commit, and its hash. */
  resolve(names: readonly string[], signal: AbortSignal): Promise<NamedCommit | undefined>
  /** Local branches merged into the one checked out, itself left out. */
  mergedBranches(signal: AbortSignal): Promise<readonly string[]>
}

/** The `pumuki.*` keys of the repository's own configuration. */
export interface LocalConfig {
  /**
   * All keys under `prefix` (such as `pumuki.`), without it. In lower case throughout: git keeps no other case
   * for the last part of a name.
   */
  read(prefix: string, signal: AbortSignal): Promise<ReadonlyMap<string, string>>
  /** Sets each key, or unsets it where the value is undefined. */
  write(values: ReadonlyMap<string, string | undefined>, signal: AbortSignal): Promise<void>
}

/** One place where a rule matched. Lines and columns count from 1, columns in UTF-16 code units; the end is exclusive. */
export interface Match {
  readonly ruleId: string
  /** The rule's message, with what its variables stood for. */
  readonly message: string
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
}

/** A rule that is ready to run: what the engine needs, and nothing of how it is judged. */
export interface CompiledRule {
  readonly id: string
  /** A rule for several languages comes once for each of them, with the same id. */
  readonly language: LanguageName
  /** The ast-grep rule object: `rule`, and where present `constraints`, `utils`, `transform`. */
  readonly matcher: Readonly<Record<string, unknown>>
  /** Whether the rule looks at this path at all. */
  readonly covers: (path: string) => boolean
  readonly severity: Severity
  /** The repository has said itself what the rule weighs: no stage makes it weigh more. */
  readonly pinnedSeverity?: boolean
  /** False for a rule that came with the repository: it runs where it can be stopped. */
  readonly trusted: boolean
  readonly message: string
  readonly code: string
  readonly why?: string
  readonly fix?: string
  /** What it finds is not shown. */
  readonly secret?: boolean
  /** Words without which it cannot match, one of each list, when they are known already. */
  readonly requiredLiterals?: readonly (readonly string[])[]
}

/** A comment that holds the word `warrant-ignore`. */
export interface Comment {
  readonly text: string
  readonly line: number
  readonly column: number
  readonly endLine: number
  /** Whether nothing but blanks stands before it on its line. */
  readonly alone: boolean
}

/** What was found in a file, in the order of the text. */
export interface ScannedFile {
  readonly path: string
  readonly matches: readonly Match[]
  readonly comments: readonly Comment[]
}

export type ScanReport =
  | (ScannedFile & { readonly outcome: 'scanned' })
  /** The file does not parse: where the first error is. What else matched in it is reported all the same. */
  | (ScannedFile & { readonly outcome: 'broken'; readonly line: number; readonly column: number })
  /**
   * Not all of it was looked at: the time for one file ran out, it is past the size limit, the native code gave in,
   * or it has more matches than anybody will read. What trusted rules had found by then is reported.
   */
  | (ScannedFile & { readonly outcome: 'given-up'; readonly why: 'time' | 'size' | 'crash' | 'matches' })
  /** No rule looks at it, or it is binary. */
  | { readonly path: string; readonly outcome: 'skipped'; readonly why: 'unmatched' | 'binary' }

/** Finds rule matches in files. Rules are data: whatever they hold, they cannot run code or keep us waiting. */
export interface Scanner {
  scan(
    files: AsyncIterable<FileContent>,
    rules: readonly CompiledRule[],
    signal: AbortSignal,
  ): AsyncIterable<ScanReport>
}

export interface ProgramResult {
  /** Undefined when it did not end by itself. */
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
  /** Why it was ended before its time; undefined when it ended by itself. */
  readonly cut: 'time' | 'size' | undefined
}

/** The `openspec` program, found in the repository or on the path. Undefined: it cannot be started. */
export interface OpenSpecProgram {
  run(args: readonly string[], signal: AbortSignal): Promise<ProgramResult | undefined>
}

/** The names inside a folder of the repository, by relative path; none when it is not there. */
export interface FolderNames {
  names(path: string): Promise<readonly string[]>
}

/** Where git keeps what belongs to this repository, all absolute and free of links. */
export interface RepositoryPlaces {
  readonly top: string
  /** The folder of the repository itself, shared by all of its worktrees. */
  readonly common: string
  /** Where git looks for hooks; it need not exist. */
  readonly hooks: string
}

/** What only the lifecycle asks of a repository. */
export interface LifecycleGit {
  /** Undefined outside a repository. */
  places(signal: AbortSignal): Promise<RepositoryPlaces | undefined>
  /** How many files under a `node_modules` git keeps track of. */
  trackedModules(signal: AbortSignal): Promise<number>
  /** Those of the paths that git keeps track of. */
  tracked(paths: readonly string[], signal: AbortSignal): Promise<readonly string[]>
  /** Whether git passes the path over. */
  ignores(path: string, signal: AbortSignal): Promise<boolean>
}

/** Small files outside the working tree's care: hooks, excludes. Paths are absolute. */
export interface GitMetadataFiles {
  /** The path with links followed as far as it exists. */
  real(path: string): Promise<string>
  /** Undefined when there is none. */
  read(path: string): Promise<Buffer | undefined>
  /** The whole file or the old one: whoever runs a hook meanwhile never sees half of it. */
  write(path: string, bytes: Uint8Array, mode: number): Promise<void>
  remove(path: string): Promise<void>
}

/** Read-only look at files of the repository by relative path. */
export interface RepositoryFiles {
  exists(path: string): Promise<boolean>
  /** The file's bytes, or undefined when absent or longer than `limit`. */
  read(path: string, limit: number): Promise<Uint8Array | undefined>
}
