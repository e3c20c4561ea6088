import { Fault } from '../../kernel/fault.ts'
import { type DirectoryEntry, type Folder, jailFaults } from '../../kernel/jail.ts'
import { type IgnoreFile, isIgnored, readIgnore } from '../../kernel/text/gitignore.ts'
import type { PathTest } from '../../kernel/text/glob.ts'
import type { JobContext } from '../job-context.ts'

export interface WalkOptions {
  /** Names below the start that are gone down. */
  readonly depth: number
  /** Leave out what the project's ignore files leave out. */
  readonly ignores: boolean
  /** Leave out these as well. */
  readonly exclude: PathTest
}

/** What a walk shows of an entry. `stop` ends the walk. */
export type Visit = (entry: DirectoryEntry, segments: readonly string[], folder: Folder) => 'go' | 'stop'

/** How a walk ended, and what it did not see. */
export interface WalkEnd {
  /** It ended before everything was seen: because it was told to, or because there is too much. */
  readonly cut: boolean
  /** Folders deeper than it goes. */
  readonly deeper: number
  /** Folders that the system does not let us list. */
  readonly unread: number
}

const MAX_VISITED = 20_000
const MAX_DEPTH = 64
const MAX_IGNORE = 256 * 1024

export const namesOf = (path: string): readonly string[] => (path === '' ? [] : path.split('/'))

const ignoreOf = (folder: Folder, entries: readonly DirectoryEntry[]): IgnoreFile | undefined => {
  if (!entries.some(({ name, kind }) => name === '.gitignore' && kind === 'file')) return undefined
  const file = folder.read('.gitignore', MAX_IGNORE)
  return file && readIgnore(Buffer.from(file.bytes).toString('utf8'), namesOf(folder.path).length)
}

/** What the ignore files above a folder say about it. */
const ignoresAbove = ({ jail, rules }: JobContext, path: string): readonly IgnoreFile[] =>
  namesOf(path).flatMap((_, depth, names) =>
    jail.within(names.slice(0, depth).join('/') || '.', rules, (folder) => {
      const file = folder.read('.gitignore', MAX_IGNORE)
      return file === undefined ? [] : [readIgnore(Buffer.from(file.bytes).toString('utf8'), depth)]
    }),
  )

/**
 * Whether the system refused to list a folder. One that a walk merely comes by, the data of a container that runs
 * as somebody else, does not make the rest unreadable.
 */
export const isUnlisted = (thrown: unknown): boolean =>
  thrown instanceof Fault && thrown.code === jailFaults.io.code

/** Goes through a folder depth first, in code-unit order, never through a link. */
export const walkTree = (context: JobContext, start: Folder, options: WalkOptions, visit: Visit): WalkEnd => {
  const { rules, checkDeadline } = context
  const most = Math.min(options.depth, MAX_DEPTH)
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
    (ignores.length === 0 || !isIgnored(ignores, segments, entry.kind === 'directory'))

  const descend = (folder: Folder, entry: DirectoryEntry, depth: number, ignores: readonly IgnoreFile[]) => {
    if (depth >= most) {
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
    const names = namesOf(folder.path)
    for (const entry of entries) {
      const segments = [...names, entry.name]
      if (!shown(entry, segments, ignores)) continue
      visited += 1
      const word = visited > MAX_VISITED ? 'stop' : visit(entry, segments, folder)
      if (word === 'stop') cut = true
      else if (entry.kind === 'directory') descend(folder, entry, depth, ignores)
      if (cut) return
    }
  }

  walk(start, 1, options.ignores ? ignoresAbove(context, start.path) : [])
  return { cut, deeper, unread }
}
