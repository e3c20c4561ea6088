import type { RepoState } from '../evidence/schema.ts'
import type { RepositoryFiles } from '../kernel/ports.ts'
import type { MissingGrammar } from '../kernel/text/languages.ts'
import type { CheckedCommit } from '../receipts/judge-commits.ts'
import type { CompiledRule } from './rules/compiled-rule.ts'

/** The files that a gate run checks. A range starts at a commit, or at `EMPTY_TREE`; `label` is its name in reports. */
export type Scope =
  | { readonly kind: 'staged' }
  | {
      readonly kind: 'range'
      readonly from: string
      readonly to: string
      readonly label?: string
      /** `to` takes the place of `from`, so there is no merge: the range starts where the two parted. */
      readonly replaces?: true
    }
  | { readonly kind: 'worktree' }
  | { readonly kind: 'repository' }

/** The id of a tree without files, which exists in every repository. */
export const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904'

/**
 * One changed file, by its new path. Paths are relative to the root and use `/`. Symlinks and submodules are not
 * among them.
 */
export interface FileChange {
  readonly path: string
  readonly change: 'added' | 'modified' | 'deleted'
  /** The old path, when git detected a rename. */
  readonly from?: string
}

/** The tree that git would commit. */
export interface BoundTree {
  readonly id: string
  /** Paths that were not read as this tree has them. Known after the scan; absent where blobs were read by their ids. */
  readonly unread?: () => readonly string[]
}

/** A changed file and what it holds after the change: the id of the git blob, or a word when there is none. */
export interface TreeEntry {
  readonly path: string
  readonly id: string
}

interface MergeFacts {
  /**
   * The tree of the merge of `head` into `target`: what is judged, against `target`. Absent where `head` contains
   * `target`, and where there is no merge; then `head` is judged against `base`.
   */
  readonly merged?: string
  /** The merge has conflicts. */
  readonly conflict?: true
  /** Why the merge could not be computed, as a sentence. */
  readonly unmerged?: string
  /** Removes what was computed for the range; its contents cannot be read afterwards. */
  close?(): Promise<void>
  /** Contents in the other parents of a merge that is being committed, by present path or by its old name. */
  readonly otherParents?: readonly ChangeSet['readBefore'][]
}

/** The changed files, and their content after the change. */
export interface ChangeSet extends MergeFacts {
  /** The `source` of findings: `git:staged`, `git:range:<from>..<to>`, ... */
  readonly source: string
  readonly changes: readonly FileChange[]
  /** The commit that the change starts from; undefined before the first commit. */
  readonly base: string | undefined
  /** The commit that the change ends with; undefined for what is not committed. */
  readonly head: string | undefined
  /** The newest commit of the branch that a range is compared with; `base` is where the range left it. */
  readonly target?: string | undefined
  /** Contents of the files, in this order. Missing files and non-files are left out. */
  read(paths: readonly string[], signal: AbortSignal): AsyncIterable<FileReading>
  /** Contents before the change, by present path; new files are left out. */
  readBefore(paths: readonly string[], signal: AbortSignal): AsyncIterable<FileReading>
  /** Added and changed symlinks, as git stores them: the content is the target. */
  readonly links?: readonly string[]
  readLinks?(paths: readonly string[], signal: AbortSignal): AsyncIterable<FileReading>
  /** Added submodules, and those that point to another commit. */
  readonly submodules?: readonly string[]
  /** What each changed file holds. */
  identify(signal: AbortSignal): Promise<readonly TreeEntry[]>
  /**
   * The tree that git would commit: that of the index, of the working tree with what git does not ignore, or of the
   * last commit of a range. Undefined where git would refuse to commit, such as for unmerged paths.
   */
  boundTree(signal: AbortSignal): Promise<BoundTree | undefined>
}

/** The commits that `to` has and `from` has not, by id, or only so many of the newest; `EMPTY_TREE` in `from` excludes none. */
export interface CommitRange {
  readonly from: readonly string[]
  readonly to: readonly string[]
  readonly newest?: number
}

/** A longer file is truncated at `MAX_FILE_BYTES`, which is above the size limit of the scanner. */
export interface FileContent {
  readonly path: string
  readonly bytes: Uint8Array
  /** People do not write the file here, so only rules that apply to every kind of file read it. */
  readonly secretsOnly?: boolean
}

/** The content of a file, or undefined when it exists but cannot be read. */
export type FileReading = FileContent | { readonly path: string; readonly bytes: undefined }

/** Memory limit for one file, plus one byte that shows that the file is longer. */
export const MAX_FILE_BYTES = 16 * 1024 * 1024 + 1

export interface NamedCommit {
  readonly name: string
  readonly hash: string
}

export type GitState = RepoState['git']

/**
 * The index or a tree, for platform detection. A large index has a hundred thousand files, of which few matter: only those are
 * decoded into paths.
 */
export interface TrackedFiles extends Pick<ChangeSet, 'read'> {
  /**
   * Paths with one of these ASCII suffixes or prefixes, ignoring case. In no particular order; an unmerged path may
   * occur more than once.
   */
  find(ends: readonly string[], starts?: readonly string[]): Iterable<string>
  /** Every path and what git stores under it. */
  entries(): Iterable<TreeEntry>
}

/** Files, and folders with the files in them. */
export interface PathList {
  readonly files: readonly string[]
  readonly folders: readonly string[]
}

/** Read-only access to git. */
export interface GitReader {
  /** The root of the working tree, absolute; undefined outside a repository. */
  root(signal: AbortSignal): Promise<string | undefined>
  state(signal: AbortSignal): Promise<GitState>
  /** The last commit; null before the first. */
  head(signal: AbortSignal): Promise<string | null>
  /** Local and remote branches that point at the last commit, without the name of the remote. */
  branchesAtHead(signal: AbortSignal): Promise<readonly string[]>
  changes(scope: Scope, signal: AbortSignal): Promise<ChangeSet>
  /** Every file of a commit; without one, every file in the index. */
  tracked(commit: string | undefined, signal: AbortSignal): Promise<TrackedFiles>
  /** Files of a commit, by path: only those that `paths` names. Undefined when there is no such commit. */
  filesAt(commit: string, paths: PathList, signal: AbortSignal): Promise<CommitFiles | undefined>
  /** The first name that resolves to a commit: an object id, `HEAD` or a ref. The name of two refs is a fault. */
  resolve(names: readonly string[], signal: AbortSignal): Promise<NamedCommit | undefined>
  /** The commits of a range, oldest first. A fault when there are too many, or one is damaged. */
  commits(range: CommitRange, signal: AbortSignal): Promise<readonly CheckedCommit[]>
  /** The commits of a range (`A..B`) that changed lines of a file last, by line; without lines, the whole file as line 0. */
  lastChanges(path: string, lines: number[], range: string, signal: AbortSignal): Promise<Map<number, string>>
  /** Whether all commits of `ancestor` are in `commit`; both are object ids. */
  isAncestor(ancestor: string, commit: string, signal: AbortSignal): Promise<boolean>
  /** Whether the clone has a part of the history only. */
  isShallow(signal: AbortSignal): Promise<boolean>
  /** Local branches that are merged into the current branch, without the current branch. */
  mergedBranches(signal: AbortSignal): Promise<readonly string[]>
}

/** A place where a rule matched. Lines and columns count from 1, columns in UTF-16 code units; the end is exclusive. */
export interface Match {
  readonly ruleId: string
  /** The message of the rule, with the values of its meta-variables. */
  readonly message: string
  readonly line: number
  readonly column: number
  readonly endLine: number
  readonly endColumn: number
  /** The names of the declarations around it, such as `Account.withdraw`; absent at the top of a file and in texts. */
  readonly within?: string
}

/** A comment that contains `warrant-ignore`. */
export interface Comment {
  readonly text: string
  readonly line: number
  readonly column: number
  readonly endLine: number
  /** Whether only white space precedes it on its line. */
  readonly alone: boolean
}

/** Matches and comments of a file, in the order of the text. */
interface ScannedFile {
  readonly path: string
  /** The packs whose rules apply to it. */
  readonly packs: readonly string[]
  readonly matches: readonly Match[]
  readonly comments: readonly Comment[]
}

export type ScanReport =
  | (ScannedFile & { readonly outcome: 'scanned' })
  /**
   * The grammar reports a syntax error, the first at this position. Matches are reported all the same. `gap`: the
   * language accepts the file, and the grammar does not know a part of its syntax.
   */
  | (ScannedFile & {
      readonly outcome: 'broken'
      readonly gap: boolean
      readonly line: number
      readonly column: number
    })
  /**
   * Not scanned completely: timeout, size limit, crash of the native parser, too many matches; or the bytes may be
   * another program for a compiler than for the scanner. Matches up to then are reported.
   */
  | (ScannedFile & {
      readonly outcome: 'given-up'
      readonly why: 'time' | 'size' | 'crash' | 'matches' | 'binary' | 'encoding'
    })
  /** Rules about its syntax did not run: the grammar is not installed. Those about text did. */
  | (ScannedFile & { readonly outcome: 'unparsed'; readonly missing: MissingGrammar })
  /** No rule applies to it, or it is not a text of a size that rules about text read. */
  | { readonly path: string; readonly outcome: 'skipped'; readonly why?: 'binary' | 'size' }

/** Finds rule matches in files, with one report for each file, in their order. A hostile rule cannot run code, and cannot delay the scan beyond the file timeout. */
export interface Scanner {
  scan(
    files: AsyncIterable<FileContent>,
    rules: readonly CompiledRule[],
    signal: AbortSignal,
  ): AsyncIterable<ScanReport>
}

export interface ProgramResult {
  /** Undefined when the program was killed. */
  readonly exitCode: number | undefined
  readonly stdout: string
  readonly stderr: string
  /** Why it was killed; undefined when it ended by itself. */
  readonly cut: 'time' | 'size' | undefined
}

/** The `openspec` program: the one that the operator named, or else the one on PATH outside the repository. */
export interface OpenSpecProgram {
  /** Whether there is one, without starting it. `note` says why a program of the repository does not count. */
  find(): Promise<{ readonly exists: boolean; readonly note?: string }>
  /** Undefined when it cannot be started. */
  run(args: readonly string[], signal: AbortSignal): Promise<ProgramResult | undefined>
}

/** The names in a folder of the repository, by relative path; empty when it does not exist. A link is a fault. */
export interface FolderNames {
  names(path: string): Promise<readonly string[]>
}

/** Files of one commit. */
export interface CommitFiles extends RepositoryFiles, FolderNames {
  /** The object id of its tree. */
  readonly tree: string
}
