import { LANGUAGES, type LanguageName } from '../../kernel/text/languages.ts'
import { rulePlatforms } from './compile.ts'
import { findLanguage, grammarFor } from './languages.ts'
import type { Pack, ShippedRules } from './packs.ts'
import type { RuleFile } from './rule.ts'

/**
 * The shipped rules are kept in several files: parsing all of them takes longer than a small change takes otherwise.
 * `shared` are those about text and those of several languages; `seed` those that run in that profile only.
 */
export type PartName = LanguageName | 'shared' | 'seed'

/** The rules of one file, by pack. */
export interface RulesPart {
  readonly rules: Readonly<Record<string, readonly RuleFile[]>>
  readonly literals: ShippedRules['literals']
}

/** What is known of the packs without their rules. */
export interface RulesIndex {
  readonly packs: readonly Required<Omit<Pack, 'rules'>>[]
  readonly aliases: ShippedRules['aliases']
  readonly parts: readonly PartName[]
}

const partOf = (rule: RuleFile): PartName => {
  if (rule.metadata?.profile === 'seed') return 'seed'
  if ('text' in rule || rule.metadata?.languages !== undefined) return 'shared'
  return findLanguage(rule.language) ?? 'shared'
}

const distinctPlatforms = (rules: readonly RuleFile[]): string[][] => {
  const all = rules.filter(({ metadata, severity }) => metadata?.profile !== 'seed' && severity !== 'off')
  const lists = new Set(all.map((rule) => JSON.stringify(rulePlatforms(rule))))
  return [...lists].sort().map((list) => JSON.parse(list) as string[])
}

export const splitRules = ({
  packs,
  aliases,
  literals,
}: ShippedRules): { readonly index: RulesIndex; readonly parts: ReadonlyMap<PartName, RulesPart> } => {
  const parts = new Map<PartName, { rules: Record<string, RuleFile[]>; literals: ShippedRules['literals'] }>()
  for (const { name, rules } of packs)
    for (const rule of rules) {
      const key = partOf(rule)
      const part = parts.get(key) ?? { rules: {}, literals: {} }
      parts.set(key, part)
      part.rules[name] = [...(part.rules[name] ?? []), rule]
      const own = literals[rule.id]
      if (own !== undefined) part.literals[rule.id] = own
    }
  const index = {
    packs: packs.map(({ rules, ...pack }) => ({ ...pack, platforms: distinctPlatforms(rules) })),
    aliases,
    parts: [...parts.keys()].sort(),
  }
  return { index, parts }
}

/** The parts with the rules of the default profile that may read files of these extensions. */
export const partsFor = (index: RulesIndex, extensions: ReadonlySet<string>): readonly PartName[] =>
  index.parts.filter(
    (part) =>
      part === 'shared' ||
      (part in LANGUAGES &&
        [...extensions].some((one) => grammarFor(part as LanguageName, one) !== undefined)),
  )

const byId = (a: RuleFile, b: RuleFile): number => (a.id < b.id ? -1 : 1)

/** Puts parts together. Unless they are all, each pack tells the platforms of the rules that are missing. */
export const joinRules = (index: RulesIndex, parts: readonly RulesPart[]): ShippedRules => ({
  packs: index.packs.map(({ platforms, ...pack }) => ({
    ...pack,
    rules: parts.flatMap(({ rules }) => rules[pack.name] ?? []).sort(byId),
    ...(parts.length < index.parts.length && { platforms }),
  })),
  aliases: index.aliases,
  literals: Object.assign({}, ...parts.map(({ literals }) => literals)),
})
