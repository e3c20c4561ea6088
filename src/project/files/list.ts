import {
  type DirectoryEntry,
  extensionOrName,
  type FileInfo,
  jailFaults,
  type PathRules,
} from '../../kernel/jail.ts'
import { showName } from '../../kernel/text/escape-text.ts'
import { anyGlob } from '../../kernel/text/glob.ts'
import { isClutter, showEntries } from '../access-rules.ts'
import type { JobContext } from '../job-context.ts'
import { countFitting } from './text.ts'
import { entryNames, isOwnFile, type WalkEnd, walkTree } from './walk.ts'

interface TreeArgs {
  readonly path: string
  readonly depth: number
  readonly exclude: readonly string[]
  readonly ignored: boolean
  readonly limit: number
  /** Maximum size of the text. */
  readonly bytes: number
}

interface Tree {
  readonly text: string
  readonly entries: number
  /** Levels shown. */
  readonly depth: number
  /** What is missing from the tree; absent when nothing is. */
  readonly cut?: string
}

interface Line {
  readonly level: number
  readonly text: string
}

interface Shown {
  /** Entries shown, of `all`. */
  readonly shown: number
  readonly all: number
  /** Levels shown, of those requested. */
  readonly depth: number
  readonly requested: number
}

const notes = ({ shown, all, depth, requested }: Shown, { cut, deeper, unread }: WalkEnd): string[] => [
  ...(depth < requested && shown < all ? [`only ${depth} of ${requested} levels fit`] : []),
  ...(depth === requested && deeper > 0 ? [`${deeper} folders go deeper`] : []),
  ...(shown < all && depth === 1 ? [`${all - shown} entries are not shown`] : []),
  ...(cut ? ['too many files to visit all of them; choose a folder further down'] : []),
  ...(unread > 0 ? [`${unread} folders cannot be read`] : []),
]

/** Drops the deepest levels until the rest fits: complete upper levels are more useful than a cut list. */
const fitLevels = (
  lines: readonly Line[],
  depth: number,
  { limit, bytes }: TreeArgs,
): { kept: readonly Line[]; depth: number } => {
  const fitting = (some: readonly Line[]) =>
    Math.min(
      limit,
      countFitting(
        some.map(({ text }) => text),
        bytes,
      ),
    )
  for (let levels = depth; levels > 1; levels -= 1) {
    const kept = lines.filter(({ level }) => level <= levels)
    if (kept.length <= limit && fitting(kept) === kept.length) return { kept, depth: levels }
  }
  const first = lines.filter(({ level }) => level === 1)
  return { kept: first.slice(0, fitting(first)), depth: 1 }
}

export const renderFileTree = (context: JobContext, args: TreeArgs): Tree => {
  const { path, depth, exclude, ignored } = args
  const lines: Line[] = []
  const end = context.jail.within(path, context.rules, (start) => {
    const above = entryNames(start.path).length
    return walkTree(
      context,
      start,
      { depth, ignores: !ignored, exclude: anyGlob(exclude) },
      (entry, segments) => {
        const level = segments.length - above
        const mark = entry.kind === 'directory' ? '/' : entry.kind === 'link' ? '@' : ''
        lines.push({ level, text: `${'  '.repeat(level - 1)}${showName(entry.name)}${mark}` })
        return 'go'
      },
    )
  })
  const { kept, depth: shown } = fitLevels(lines, depth, args)
  const cut = notes({ shown: kept.length, all: lines.length, depth: shown, requested: depth }, end)
  return {
    text: kept.map(({ text }) => text).join('\n'),
    entries: kept.length,
    depth: shown,
    ...(cut.length > 0 && { cut: cut.join('; ') }),
  }
}

interface GlobArgs {
  readonly pattern: string
  readonly path: string
  readonly ignored: boolean
  readonly limit: number
  /** Maximum size of the text. */
  readonly bytes: number
}

interface GlobResult {
  readonly text: string
  readonly matches: number
  readonly truncated: boolean
}

const MAX_LEVELS = 64

/** Files whose path, from the root or from the start folder, matches the glob. */
export const findFiles = (
  context: JobContext,
  { pattern, path, ignored, limit, bytes }: GlobArgs,
): GlobResult => {
  const test = anyGlob([pattern])
  const found: string[] = []
  let left = bytes
  const end = context.jail.within(path, context.rules, (start) => {
    const above = entryNames(start.path).length
    const options = { depth: MAX_LEVELS, ignores: !ignored, exclude: () => false }
    return walkTree(context, start, options, (entry, segments) => {
      if (entry.kind === 'directory' || !(test(segments) || test(segments.slice(above)))) return 'go'
      const shown = segments.map(showName).join('/')
      left -= Buffer.byteLength(shown) + 1
      if (found.length === limit || left < 0) return 'stop'
      found.push(shown)
      return 'go'
    })
  })
  return { text: found.join('\n'), matches: found.length, truncated: end.cut || end.unread > 0 }
}

interface ListingPage {
  readonly text: string
  readonly total: number
  readonly offset: number
  readonly truncated: boolean
}

export interface PageArgs {
  readonly path: string
  readonly offset: number
  readonly limit: number
  /** Maximum size of the text. */
  readonly bytes: number
}

const page = (entries: readonly DirectoryEntry[], { offset, limit, bytes }: PageArgs): ListingPage => {
  const whole = offset === 0 && entries.length <= limit
  const shown = whole ? entries : entries.slice(offset, offset + limit)
  const text = showEntries(shown)
  const facts = { total: entries.length, offset }
  if (text.length * 3 <= bytes) return { text, ...facts, truncated: offset + shown.length < entries.length }
  const lines = text.split('\n')
  const count = countFitting(lines, bytes)
  return { text: lines.slice(0, count).join('\n'), ...facts, truncated: offset + count < entries.length }
}

const entriesOf = (
  { jail, checkDeadline }: JobContext,
  path: string,
  rules: PathRules,
): readonly DirectoryEntry[] => {
  const entries = jail.within(path, rules, (folder) => folder.entries(checkDeadline))
  const isBlocked = ({ name }: DirectoryEntry) => rules.blocked(name)
  return entries.some(isBlocked) ? entries.filter((entry) => !isBlocked(entry)) : entries
}

/** The entries of a folder without build output, editor files and hidden files. */
export const listStructure = (context: JobContext, rules: PathRules, args: PageArgs): ListingPage =>
  page(
    entriesOf(context, args.path, rules).filter((entry) => !isClutter(entry)),
    args,
  )

/** The entries of a folder, except blocked names and the evidence of the gate. */
export const listFolder = (context: JobContext, args: PageArgs): ListingPage => {
  const folder = context.jail.within(args.path, context.rules, ({ path }) => path)
  const entries = entriesOf(context, args.path, context.rules)
  return page(folder === '' ? entries.filter(({ name }) => !isOwnFile([name])) : entries, args)
}

interface Info extends Omit<FileInfo, 'modified' | 'linkCount'> {
  readonly modified: string
  readonly shared: boolean
  /** Whether project_read can return its text. */
  readonly readable: boolean
}

/** File information; the content is not read. */
export const describePath = ({ jail, rules }: JobContext, { path }: { readonly path: string }): Info => {
  const { modified, linkCount, ...facts } = jail.info(path, rules)
  if (facts.kind === 'other') throw jailFaults.special_file('not a regular file or folder')
  const ending = extensionOrName(facts.path.slice(facts.path.lastIndexOf('/') + 1))
  return {
    ...facts,
    path: showName(facts.path) === '' ? '.' : showName(facts.path),
    modified: new Date(modified).toISOString(),
    shared: facts.kind === 'file' && linkCount > 1,
    readable: facts.kind === 'file' && (rules.allowed?.has(ending) ?? true),
  }
}
