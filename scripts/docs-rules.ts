import { SUPPRESSION_RULES } from '../src/gate/findings/suppress.ts'
import type { RuleFile } from '../src/gate/rules/rule.ts'
import { readShippedRules } from './rules.ts'

const shippedRules = await readShippedRules()

const platforms = (metadata: RuleFile['metadata']): string =>
  [metadata?.platform ?? 'generic'].flat().join(', ')

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string

/** Every shipped rule, pack by pack. */
export const rulesPage = (table: Table, code: (text: string) => string): string[] => [
  'How they work and how to write your own: [rules](../rules.md).',
  ...shippedRules.packs.flatMap(({ name, version, rules, changes }) => [
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
  '## Aliases',
  'Matches of a heuristic in the folders of a platform are also reported under these ids, from the named stage on.',
  table(
    ['rule', 'severity', 'alias of', 'from stage'],
    shippedRules.aliases.map(({ id, severity, of, from }) => [code(id), severity, code(of), from]),
  ),
  '## About suppressions',
  table(
    ['rule', 'severity', 'message'],
    Object.entries(SUPPRESSION_RULES).map(([id, { severity, message }]) => [code(id), severity, message]),
  ),
]
