import type { Option } from '../command/command.ts'

const count = (flag: string, description: string): Option => ({ flag, kind: 'text', value: 'N', description })
const text = (flag: string, value: string, description: string): Option => ({
  flag,
  kind: 'text',
  value,
  description,
})
const toggle = (flag: string, description: string): Option => ({ flag, kind: 'switch', description })

const IGNORED = toggle('ignored', 'Include files that .gitignore excludes.')

/** Options of each command. A flag is the argument of the tool: `--start-line` is `startLine`. */
export const PROJECT_OPTIONS = {
  tree: [
    count('depth', 'Maximum depth. Default: 4.'),
    text('exclude', 'A,B', 'Globs to exclude.'),
    IGNORED,
    count('limit', 'Maximum number of entries. Default: 500.'),
  ],
  read: [
    count('start-line', 'First line to print, counted from 1.'),
    count('end-line', 'Last line to print, inclusive.'),
    count('head', 'Print only the first N lines.'),
    count('tail', 'Print only the last N lines.'),
  ],
  search: [
    toggle('literal', 'The pattern is literal text, not a regular expression.'),
    toggle('ignore-case', 'Ignore case.'),
    text('glob', 'GLOB', 'Search only files that match the glob.'),
    IGNORED,
    count('context', 'Lines of context around each match.'),
    count('limit', 'Maximum number of matches. Default: 100.'),
  ],
  symbols: [
    text('find', 'NAME', 'Find the declarations of NAME or Class/member, instead of outlining a file.'),
    toggle('part', 'With --find: match a part of the last name.'),
    text('uses', 'NAME', 'Find the lines that use NAME, instead of outlining a file.'),
    count('depth', 'Maximum depth of the outline. Default: 2.'),
    count('limit', 'Maximum number of symbols or lines.'),
  ],
} as const satisfies Readonly<Record<string, readonly Option[]>>

export type ProjectCommand = keyof typeof PROJECT_OPTIONS
