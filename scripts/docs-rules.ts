import { readFileSync } from 'node:fs'
import { SUPPRESSION_RULES } from '../src/gate/findings/suppress.ts'
import { profileSeverity } from '../src/gate/rules/profile.ts'
import type { RuleFile } from '../src/gate/rules/rule.ts'
import { readShippedRules } from './rules.ts'

const shippedRules = await readShippedRules()

/** Findings in public code that were read with their code, by the group of their rule. */
const LABELS: readonly { readonly group: string; readonly repo: string; readonly label: string }[] =
  JSON.parse(readFileSync('bench/precision/labels-blocking.json', 'utf8'))

const blockingRules = shippedRules.packs.flatMap(({ rules }) =>
  rules.filter(({ metadata }) => metadata?.blocks),
)

/** What each group of rules that may block was measured with. */
const groupRows = () =>
  [...new Set(blockingRules.flatMap(({ metadata }) => metadata?.blocks ?? []))].sort().map((group) => {
    const read = LABELS.filter((one) => one.group === group)
    const right = read.filter(({ label }) => label === 'right').length
    const rules = blockingRules.filter(({ metadata }) => metadata?.blocks === group)
    return [
      group,
      String(rules.length),
      read.length === 0 ? '' : `${right} of ${read.length}`,
      read.length === 0 ? '' : String(new Set(read.map(({ repo }) => repo)).size),
    ]
  })

const platforms = (metadata: RuleFile['metadata']): string =>
  [metadata?.platform ?? 'generic'].flat().join(', ')

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string

/** All shipped rules, by pack. */
export const rulesPage = (table: Table, code: (text: string) => string): string[] => [
  '[How rules work and how to write your own](../rules.md).',
  '## What may block',
  'A rule blocks in the profile `default` if its findings are certain, or if its group was measured: at least 10 findings in at least 5 public repositories were read with their code, and at least 90 % were right. All other rules warn. Most of these repositories are small or insecure on purpose, and rules were narrowed after the reading: places that they no longer report do not count. So the share says what a rule reports, not how often a healthy project meets it. `.warrant/rules/severities.yml` raises any rule.',
  table(['group', 'rules', 'right', 'repositories'], groupRows()),
  ...shippedRules.packs.flatMap(({ name, version, rules, changes }) => [
    `## ${name} ${version}`,
    table(
      ['rule', 'severity', 'blocks', 'platform', 'message'],
      [...rules, ...changes].map((rule) => [
        code(rule.id),
        profileSeverity(rule, 'default') ?? rule.metadata?.severity ?? '',
        rule.metadata?.blocks ?? '',
        platforms(rule.metadata),
        rule.message,
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
