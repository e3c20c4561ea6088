import {
  type DirectoryEntry,
  extensionOrName,
  type FileInfo,
  jailFaults,
  type PathRules,
} from '../../kernel/jail.ts'
import { showName } from '../../kernel/text/escape-text.ts'
import { isClutter, showEntries } from '../access-rules.ts'
import type { JobContext } from '../job-context.ts'
import { countFitting } from './text.ts'
import { isOwnFile } from './walk.ts'

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
