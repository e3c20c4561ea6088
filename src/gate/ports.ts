import type { RepoState, Severity } from '../evidence/schema.ts'

/** Which files are judged. */
export type Scope =
  | { readonly kind: 'staged' }
  | { readonly kind: 'range'; readonly from: string; readonly to: string }
  | { readonly kind: 'worktree' }
  | { readonly kind: 'repository' }

/** One file of a change, under its new name. Paths are relative to the root and use `/`. */
export interface Change {
  readonly path: string
  readonly change: 'added' | 'modified' | 'deleted'
}

/** What git says changed, and the bytes as they will be. */
export interface ChangeSet {
  /** How findings name their origin: `git:staged`, `git:range:<from>..<to>`, ... */
  readonly source: string
  readonly changes: readonly Change[]
  /** Contents of the asked files, as many at a time as is cheap; a deleted or unreadable one is left out. */
  read(paths: readonly string[], signal: AbortSignal): AsyncIterable<FileContent>
}

export interface FileContent {
  readonly path: string
  readonly bytes: Uint8Array
}

export type GitState = RepoState['git']

/** What the gate asks of git. Nothing here writes to the repository. */
export interface GitReader {
  /** The top of the working tree, absolute; undefined outside a repository. */
  root(signal: AbortSignal): Promise<string | undefined>
  state(signal: AbortSignal): Promise<GitState>
  changes(scope: Scope, signal: AbortSignal): Promise<ChangeSet>
  /** The first of the names that is a commit. */
  resolve(names: readonly string[], signal: AbortSignal): Promise<string | undefined>
  /** Local branches merged into the one checked out, itself left out. */
  mergedBranches(signal: AbortSignal): Promise<readonly string[]>
}

/** The `pumuki.*` keys of the repository's own configuration. */
export interface LocalConfig {
  /** All keys under `prefix`, without it. */
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
  /** A name of `languages.ts`, such as `typescript`. The same id may come once for each of several languages. */
  readonly language: string
  /** The ast-grep rule object: `rule`, and where present `constraints`, `utils`, `transform`. */
  readonly matcher: Readonly<Record<string, unknown>>
  /** Whether the rule looks at this path at all. */
  readonly covers: (path: string) => boolean
  readonly severity: Severity
  /** False for a rule that came with the repository: it runs where it can be stopped. */
  readonly trusted: boolean
  readonly message: string
  readonly code: string
  readonly pack: string
  /** The first platform the rule names; `generic` for none. */
  readonly platform: string
  readonly why?: string
  readonly fix?: string
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
export interface Found {
  readonly path: string
  readonly matches: readonly Match[]
  readonly comments: readonly Comment[]
}

export type ScanReport =
  | (Found & { readonly outcome: 'scanned' })
  /** The file does not parse: where the first error is. What else matched in it is reported all the same. */
  | (Found & { readonly outcome: 'broken'; readonly line: number; readonly column: number })
  /**
   * Not all of it was looked at: the time for one file ran out, it is past the size limit, the native code gave in,
   * or it has more matches than anybody will read. What trusted rules had found by then is reported.
   */
  | (Found & { readonly outcome: 'given-up'; readonly why: 'time' | 'size' | 'crash' | 'matches' })
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
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** The `openspec` program, found beside the repository or on the path. Undefined: it cannot be started. */
export interface OpenSpecProgram {
  run(args: readonly string[], signal: AbortSignal): Promise<ProgramResult | undefined>
}

/** Read-only look at files of the repository by relative path. */
export interface RepositoryFiles {
  exists(path: string): Promise<boolean>
  /** The file's bytes, or undefined when absent or longer than `limit`. */
  read(path: string, limit: number): Promise<Uint8Array | undefined>
}
