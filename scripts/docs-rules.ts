import { SUPPRESSION_RULES } from '../src/gate/findings/suppress.ts'
import type { RuleFile } from '../src/gate/rules/rule.ts'
import { readShippedRules } from './rules.ts'

const shippedRules = await readShippedRules()

const platforms = (metadata: RuleFile['metadata']): string =>
  [metadata?.platform ?? 'generic'].flat().join(', ')

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string

/** All shipped rules, by pack. */
export const rulesPage = (table: Table, code: (text: string) => string): string[] => [
  '[How rules work and how to write your own](../rules.md).',
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
  'A finding of a heuristic in a folder of the platform is also reported under the alias, with the severity of the alias, from the given stage on.',
  table(
    ['alias', 'severity', 'heuristic', 'from stage'],
    shippedRules.aliases.map(({ id, severity, of, from }) => [code(id), severity, code(of), from]),
  ),
  '## Suppression comments',
  table(
    ['rule', 'severity', 'message'],
    Object.entries(SUPPRESSION_RULES).map(([id, { severity, message }]) => [code(id), severity, message]),
  ),
]
