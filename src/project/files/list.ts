import { type Entry, endingOf, type Facts, jailFaults, type Rules } from '../../kernel/jail.ts'
import { isClutter, showEntries, showName } from '../access-rules.ts'
import type { Desk } from '../job-context.ts'
import { countFitting } from './text.ts'

export interface Page {
  readonly text: string
  readonly total: number
  readonly offset: number
  readonly truncated: boolean
}

export interface PageArgs {
  readonly path: string
  readonly offset: number
  readonly limit: number
  /** Most bytes of text. */
  readonly bytes: number
}

const page = (entries: readonly Entry[], { offset, limit, bytes }: PageArgs): Page => {
  const whole = offset === 0 && entries.length <= limit
  const shown = whole ? entries : entries.slice(offset, offset + limit)
  const text = showEntries(shown)
  const facts = { total: entries.length, offset }
  if (text.length * 3 <= bytes) return { text, ...facts, truncated: offset + shown.length < entries.length }
  const lines = text.split('\n')
  const count = countFitting(lines, bytes)
  return { text: lines.slice(0, count).join('\n'), ...facts, truncated: offset + count < entries.length }
}

const entriesOf = ({ jail, watch }: Desk, path: string, rules: Rules): readonly Entry[] => {
  const entries = jail.within(path, rules, (folder) => folder.entries(watch))
  const isBlocked = ({ name }: Entry) => rules.blocked(name)
  return entries.some(isBlocked) ? entries.filter((entry) => !isBlocked(entry)) : entries
}

/** A folder as the structure of a project: what tools and builds leave behind is not part of it. */
export const listStructure = (desk: Desk, rules: Rules, args: PageArgs): Page =>
  page(
    entriesOf(desk, args.path, rules).filter((entry) => !isClutter(entry)),
    args,
  )

/** A folder as it is. */
export const listFolder = (desk: Desk, args: PageArgs): Page =>
  page(entriesOf(desk, args.path, desk.rules), args)

export interface Info extends Omit<Facts, 'modified' | 'names'> {
  readonly modified: string
  readonly shared: boolean
  /** Whether the reading tools would give its text. */
  readonly readable: boolean
}

/** The facts of a file or folder, with no look at its contents. */
export const describePath = ({ jail, rules }: Desk, { path }: { readonly path: string }): Info => {
  const { modified, names, ...facts } = jail.info(path, rules)
  if (facts.kind === 'other') throw jailFaults.special_file('not a plain file or folder')
  const ending = endingOf(facts.path.slice(facts.path.lastIndexOf('/') + 1))
  return {
    ...facts,
    path: showName(facts.path) === '' ? '.' : showName(facts.path),
    modified: new Date(modified).toISOString(),
    shared: facts.kind === 'file' && names > 1,
    readable: facts.kind === 'file' && (rules.allowed?.has(ending) ?? true),
  }
}
