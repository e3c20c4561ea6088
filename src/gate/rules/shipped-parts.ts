import { expandBraces } from '../../kernel/text/glob.ts'
import { LANGUAGES, type LanguageName } from '../../kernel/text/languages.ts'
import { rulePlatforms } from './compile.ts'
import { findLanguage, grammarFor } from './languages.ts'
import type { Pack, ShippedRules } from './packs.ts'
import type { RuleFile, SyntaxRuleFile } from './rule.ts'

/** Which rules are about files with certain names, told without compiling their globs. */

const LEAST_LENGTH = 2
const PLAIN = /^[ -~]+$/

/** The longest text in a glob without braces that a matching path contains; undefined when that is not plain. */
const literalOf = (glob: string): string | undefined => {
  if (/[{}]|\[[\]!^]/.test(glob) || !PLAIN.test(glob)) return undefined
  const texts = glob.split(/[*?/]|\[[^\]]*\]/)
  const longest = texts.reduce((best, one) => (one.length > best.length ? one : best), '')
  return longest.length < LEAST_LENGTH ? undefined : longest.toLowerCase()
}

const isProgramEnd = (word: string): boolean =>
  Object.values(LANGUAGES).some(({ extensions }) => extensions.some((one) => word === `.${one}`))

/**
 * Words, in lower case, of which the path of every matching file contains one. Undefined for globs without such words
 * and for those about programs, which most changes contain.
 */
export const globWords = (globs: RuleFile['files']): readonly string[] | undefined => {
  if (globs === undefined || globs.length === 0) return undefined
  const words = globs.flatMap((one) => expandBraces(typeof one === 'string' ? one : one.glob)).map(literalOf)
  const known = words.filter((word) => word !== undefined)
  return known.length < words.length || known.some(isProgramEnd) ? undefined : [...new Set(known)]
}

export const containsWord = (paths: readonly string[], words: readonly string[]): boolean =>
  paths.some((path) => {
    const lower = path.toLowerCase()
    return words.some((word) => lower.includes(word))
  })

/**
 * The shipped rules are kept in several files: parsing all of them takes longer than a small change takes otherwise.
 * `shared` are those about text and those of several languages; `named` those about the text of files with certain
 * names, such as `Dockerfile`; `seed` those that run in that profile only.
 */
export type PartName = LanguageName | 'shared' | 'named' | 'seed'

/** The rules of one file, by pack. */
export interface RulesPart {
  readonly rules: Readonly<Record<string, readonly RuleFile[]>>
  readonly literals: ShippedRules['literals']
}

type Utilities = NonNullable<SyntaxRuleFile['utils']>

/** A part as it is stored: rules have their utilities in common, so each is stored once and referred to by number. */
export interface StoredPart extends Pick<RulesPart, 'literals'> {
  readonly rules: Readonly<Record<string, readonly StoredRule[]>>
  readonly utilities: readonly Utilities[string][]
}

type StoredRule = Omit<RuleFile, 'utils'> & { utils?: Readonly<Record<string, number>> }

/** What is known of the packs without their rules. */
export interface RulesIndex {
  readonly packs: readonly Required<Omit<Pack, 'rules'>>[]
  readonly aliases: ShippedRules['aliases']
  readonly parts: readonly PartName[]
  /** The path of a file that a rule of the part `named` reads contains one of these, in lower case. */
  readonly names: readonly string[]
}

/** The files that rules are loaded for. */
export interface RuleScope {
  readonly extensions: ReadonlySet<string>
  /** Undefined: files of any name. */
  readonly paths?: readonly string[]
}

const partOf = (rule: RuleFile): PartName => {
  if (rule.metadata?.profile === 'seed') return 'seed'
  if ('text' in rule) return globWords(rule.files) === undefined ? 'shared' : 'named'
  if (rule.metadata?.languages !== undefined) return 'shared'
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
  const names = new Set<string>()
  for (const { name, rules } of packs)
    for (const rule of rules) {
      const key = partOf(rule)
      const part = parts.get(key) ?? { rules: {}, literals: {} }
      parts.set(key, part)
      part.rules[name] = [...(part.rules[name] ?? []), rule]
      const own = literals[rule.id]
      if (own !== undefined) part.literals[rule.id] = own
      if (key === 'named') for (const word of globWords(rule.files) ?? []) names.add(word)
    }
  const index = {
    packs: packs.map(({ rules, ...pack }) => ({ ...pack, platforms: distinctPlatforms(rules) })),
    aliases,
    parts: [...parts.keys()].sort(),
    names: [...names].sort(),
  }
  return { index, parts }
}

/** The part as it is stored. */
export const storePart = ({ rules, literals }: RulesPart): StoredPart => {
  const utilities: Utilities[string][] = []
  const numbers = new Map<string, number>()
  const numberOf = (utility: Utilities[string]): number => {
    const text = JSON.stringify(utility)
    const known = numbers.get(text)
    if (known !== undefined) return known
    numbers.set(text, utilities.length)
    return utilities.push(utility) - 1
  }
  const store = (rule: RuleFile): StoredRule => {
    const { utils, ...rest } = { utils: undefined, ...rule }
    if (utils === undefined) return rest
    const entries = Object.entries(utils as Utilities).map(([name, one]) => [name, numberOf(one)])
    return { ...rest, utils: Object.fromEntries(entries) as Record<string, number> }
  }
  const stored = Object.entries(rules).map(([pack, all]) => [pack, all.map(store)] as const)
  return { rules: Object.fromEntries(stored), literals, utilities }
}

/** The part behind a stored one, whose rules are completed in place. */
export const restorePart = (part: StoredPart): RulesPart => {
  for (const rules of Object.values(part.rules))
    for (const rule of rules as readonly { utils?: Record<string, unknown> }[])
      for (const [name, number] of Object.entries(rule.utils ?? {}))
        (rule.utils as Record<string, unknown>)[name] = part.utilities[number as number]
  return part as unknown as RulesPart
}

/** The parts with the rules of the default profile that may read these files. */
export const partsFor = (index: RulesIndex, { extensions, paths }: RuleScope): readonly PartName[] =>
  index.parts.filter((part) => {
    if (part === 'named') return paths === undefined || containsWord(paths, index.names)
    if (!(part in LANGUAGES)) return part === 'shared'
    return [...extensions].some((one) => grammarFor(part as LanguageName, one) !== undefined)
  })

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

const byId = (a: RuleFile, b: RuleFile): number => (a.id < b.id ? -1 : 1)
