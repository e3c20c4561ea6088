import { Fault } from '../../kernel/fault.ts'
import { type DirectoryEntry, type Folder, jailFaults } from '../../kernel/jail.ts'
import { type IgnoreFile, isIgnored, readIgnore } from '../../kernel/text/gitignore.ts'
import type { PathTest } from '../../kernel/text/glob.ts'
import type { JobContext } from '../job-context.ts'

interface WalkOptions {
  /** Levels below the start folder. */
  readonly depth: number
  /** Leave out files that `.gitignore` excludes. */
  readonly ignores: boolean
  /** Leave out these paths, too. */
  readonly exclude: PathTest
}

/** Called for each entry. `stop` ends the walk. */
type Visit = (entry: DirectoryEntry, segments: readonly string[], folder: Folder) => 'go' | 'stop'

/** How a walk ended, and what it did not visit. */
export interface WalkEnd {
  /** The visitor stopped it, or there were too many entries. */
  readonly cut: boolean
  /** Folders below the last level. */
  readonly deeper: number
  /** Folders that cannot be listed. */
  readonly unread: number
}

/** The evidence of the gate repeats lines of other files. It is left out like what `.gitignore` excludes. */
export const isOwnFile = (segments: readonly string[]): boolean =>
  segments.length === 1 && segments[0] === '.ai_evidence.json'

const MAX_VISITED = 20_000
const MAX_DEPTH = 64
const MAX_IGNORE_BYTES = 256 * 1024

export const entryNames = (path: string): readonly string[] => (path === '' ? [] : path.split('/'))

const ignoreOf = (folder: Folder, entries: readonly DirectoryEntry[]): IgnoreFile | undefined => {
  if (!entries.some(({ name, kind }) => name === '.gitignore' && kind === 'file')) return undefined
  const file = folder.read('.gitignore', MAX_IGNORE_BYTES)
  return file && readIgnore(Buffer.from(file.bytes).toString('utf8'), entryNames(folder.path).length)
}

/** The `.gitignore` files of the folders above a folder. */
const ignoresAbove = ({ jail, rules }: JobContext, path: string): readonly IgnoreFile[] =>
  entryNames(path).flatMap((_, depth, names) =>
    jail.within(names.slice(0, depth).join('/') || '.', rules, (folder) => {
      const file = folder.read('.gitignore', MAX_IGNORE_BYTES)
      return file === undefined ? [] : [readIgnore(Buffer.from(file.bytes).toString('utf8'), depth)]
    }),
  )

/**
 * Whether a folder could not be listed, usually because another user owns it (the data of a container).
 * Such a folder is skipped; the rest of the tree is still walked.
 */
export const isUnlisted = (thrown: unknown): boolean =>
  thrown instanceof Fault && thrown.code === jailFaults.io.code

/** Walks a folder depth first, in code-unit order. Symlinks are visited but not followed. */
export const walkTree = (context: JobContext, start: Folder, options: WalkOptions, visit: Visit): WalkEnd => {
  const { rules, checkDeadline } = context
  const levels = Math.min(options.depth, MAX_DEPTH)
  let visited = 0
  let deeper = 0
  let unread = 0
  let cut = false

  const shown = (
    entry: DirectoryEntry,
    segments: readonly string[],
    ignores: readonly IgnoreFile[],
  ): boolean =>
    !rules.blocked(entry.name) &&
    !options.exclude(segments) &&
    !(options.ignores && isOwnFile(segments)) &&
    (ignores.length === 0 || !isIgnored(ignores, segments, entry.kind === 'directory'))

  const descend = (folder: Folder, entry: DirectoryEntry, depth: number, ignores: readonly IgnoreFile[]) => {
    if (depth >= levels) {
      deeper += 1
      return
    }
    const child = folder.enter(entry.name)
    if (child === undefined) return
    try {
      walk(child, depth + 1, ignores)
    } catch (thrown) {
      if (!isUnlisted(thrown)) throw thrown
      unread += 1
    } finally {
      child.close()
    }
  }

  const walk = (folder: Folder, depth: number, above: readonly IgnoreFile[]): void => {
    checkDeadline()
    const entries = folder.entries(checkDeadline)
    const own = options.ignores ? ignoreOf(folder, entries) : undefined
    const ignores = own === undefined ? above : [...above, own]
    const names = entryNames(folder.path)
    for (const entry of entries) {
      const segments = [...names, entry.name]
      if (!shown(entry, segments, ignores)) continue
      visited += 1
      const next = visited > MAX_VISITED ? 'stop' : visit(entry, segments, folder)
      if (next === 'stop') cut = true
      else if (entry.kind === 'directory') descend(folder, entry, depth, ignores)
      if (cut) return
    }
  }

  walk(start, 1, options.ignores ? ignoresAbove(context, start.path) : [])
  return { cut, deeper, unread }
}
