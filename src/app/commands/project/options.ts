import type { Option } from '../../../surfaces/cli/command.ts'

const many = (flag: string, description: string): Option => ({ flag, kind: 'text', value: 'N', description })
const word = (flag: string, value: string, description: string): Option => ({
  flag,
  kind: 'text',
  value,
  description,
})
const toggle = (flag: string, description: string): Option => ({ flag, kind: 'switch', description })

const IGNORED = toggle('ignored', 'Also what .gitignore leaves out.')

/** What the tools of the same name can be asked, flag for argument: `--start-line` is `startLine`. */
export const QUESTIONS = {
  tree: [
    many('depth', 'Most levels; 4 when absent.'),
    word('exclude', 'A,B', 'Globs to leave out.'),
    IGNORED,
    many('limit', 'Most entries; 500 when absent.'),
  ],
  read: [
    many('start-line', 'First line wanted, from 1.'),
    many('end-line', 'Last line wanted, inclusive.'),
    many('head', 'Only the first lines.'),
    many('tail', 'Only the last lines.'),
  ],
  search: [
    toggle('literal', 'Take the pattern as it is, not as a regular expression.'),
    toggle('ignore-case', 'Upper and lower case are the same.'),
    word('glob', 'GLOB', 'Only files that fit it.'),
    IGNORED,
    many('context', 'Lines around each match.'),
    many('limit', 'Most matches; 100 when absent.'),
  ],
  symbols: [
    word('find', 'NAME', 'Where NAME, or Class/member, is declared, instead of what one file declares.'),
    toggle('part', 'With --find: a part of the last name is enough.'),
    word('uses', 'NAME', 'Lines that use NAME, instead of what one file declares.'),
    many('depth', 'Most levels of a file; 2 when absent.'),
    many('limit', 'Most symbols or lines.'),
  ],
} as const satisfies Readonly<Record<string, readonly Option[]>>

export type Question = keyof typeof QUESTIONS
