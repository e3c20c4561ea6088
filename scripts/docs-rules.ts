import { SUPPRESSION_RULES } from '../src/gate/findings/suppress.ts'
import type { RuleFile } from '../src/gate/rules/rule.ts'
import { readBook } from './rules.ts'

const book = await readBook()

const platforms = (metadata: RuleFile['metadata']): string =>
  [metadata?.platform ?? 'generic'].flat().join(', ')

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string

/** Every rule that is shipped, pack by pack. */
export const rulesPage = (table: Table, code: (text: string) => string): string[] => [
  'How they work and how to write your own: [rules](../rules.md).',
  ...book.packs.flatMap(({ name, version, rules, changes }) => [
    `## ${name} ${version}`,
    table(
      ['rule', 'severity', 'platform', 'message'],
      [...rules, ...changes].map(({ id, message, metadata }) => [
        code(id),
        metadata?.severity ?? '',
        platforms(metadata),
        message,
      ]),
    ),
  ]),
  '## Second names',
  'What a heuristic finds in the folders of a platform is also reported under these names, from a stage on.',
  table(
    ['rule', 'severity', 'of', 'from'],
    book.relabels.map(({ id, severity, of, from }) => [code(id), severity, code(of), from]),
  ),
  '## About suppressions',
  table(
    ['rule', 'severity', 'message'],
    Object.entries(SUPPRESSION_RULES).map(([id, { severity, message }]) => [code(id), severity, message]),
  ),
]
