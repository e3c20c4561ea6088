import type { FileContent, Match } from '../../gate/ports.ts'
import type { CompiledRule } from '../../gate/rules/compiled-rule.ts'
import { grammarFor, grammarsFor, readsExtension } from '../../gate/rules/languages.ts'
import { pushTo } from '../../kernel/multimap.ts'
import { optional } from '../../kernel/optional.ts'
import { extensionOf, LANGUAGES, type MissingGrammar } from '../../kernel/text/languages.ts'
import { missingGrammar } from '../syntax/grammar-packages.ts'
import type { FilePasses, MatcherSpec, RuleHit } from './scan-file.ts'

type Coverage = CompiledRule['covers']

/** A matcher that has to compile for a grammar. */
export interface MatcherCheck {
  readonly matcher: number
  readonly grammar: string
}

/** Files that the same matchers apply to, with the same grammars, form one group. */
export interface ScanGroup extends FilePasses {
  readonly id: number
  /** The rules behind each matcher that apply to the files of this group. */
  readonly rules: ReadonlyMap<number, readonly CompiledRule[]>
  /** The packs of these rules. */
  readonly packs: readonly string[]
  readonly trusted: boolean
}

const SEVERITY_ORDER: readonly CompiledRule['severity'][] = ['INFO', 'WARN', 'ERROR', 'CRITICAL']

const VARIABLE = /\${1,3}([A-Z][A-Z0-9_]*)/g

const variablesIn = (message: string): readonly string[] =>
  [...new Set([...message.matchAll(VARIABLE)].map(([, name]) => name ?? ''))].sort()

const fillVariables = (message: string, values: Readonly<Record<string, string>> | undefined): string =>
  values === undefined ? message : message.replace(VARIABLE, (whole, name: string) => values[name] ?? whole)

type Unranked = MatcherSpec extends infer Spec
  ? Spec extends MatcherSpec
    ? Omit<Spec, 'rank'>
    : never
  : never

const specOf = (rule: CompiledRule): Unranked => {
  const { trusted } = rule
  if (rule.text !== undefined) return { text: rule.text, secret: rule.secret ?? false, trusted }
  const { language, matcher, requiredLiterals } = rule
  return {
    language,
    body: matcher,
    variables: variablesIn(rule.message),
    trusted,
    ...optional({ requiredLiterals }),
  }
}

/** Decides once which matchers run on which files. */
export class ScanPlan {
  readonly matchers: readonly MatcherSpec[]
  readonly #rules: readonly { readonly rule: CompiledRule; readonly matcher: number }[]
  /** Files of all other extensions are alike: no rule parses them. */
  readonly #extensions: ReadonlySet<string>
  /** By extension: the coverages of the rules that can read such a file. */
  readonly #coverages = new Map<string, readonly Coverage[]>()
  readonly #groups = new Map<string, ScanGroup | undefined>()
  #count = 0

  constructor(rules: readonly CompiledRule[]) {
    const firsts = new Map<unknown, { readonly rule: CompiledRule; readonly matcher: number }>()
    const list: (MatcherSpec & { rank: number })[] = []
    this.#rules = rules.map((rule) => {
      // The copies of a rule under its aliases have the same objects.
      const body = rule.text ?? rule.matcher.rule ?? rule.matcher
      const first = firsts.get(body)
      const isCopy = first?.rule.message === rule.message && first.rule.trusted === rule.trusted
      const matcher = isCopy ? first.matcher : list.length
      if (!isCopy) {
        list.push({ ...specOf(rule), rank: 0 })
        firsts.set(body, { rule, matcher })
      }
      const shared = list[matcher]
      if (shared !== undefined) shared.rank = Math.max(shared.rank, SEVERITY_ORDER.indexOf(rule.severity))
      return { rule, matcher }
    })
    this.matchers = list
    const languages = new Set(rules.flatMap(({ language }) => language ?? []))
    this.#extensions = new Set([...languages].flatMap((language) => [...grammarsFor(language).keys()]))
  }

  /** The ids of the rules behind a matcher, for messages. */
  ruleIdsOf(matcher: number): readonly string[] {
    return this.#rules.filter((one) => one.matcher === matcher).map(({ rule }) => rule.id)
  }

  /** The matchers of user rules, each with every installed grammar it may run on. */
  userRules(): readonly MatcherCheck[] {
    return this.matchers.flatMap((spec, matcher) =>
      spec.trusted || spec.text !== undefined
        ? []
        : [...new Set(grammarsFor(spec.language).values())]
            .filter((grammar) => missingGrammar(grammar) === undefined)
            .map((grammar) => ({ matcher, grammar })),
    )
  }

  /** The grammar without which the files of a group cannot be parsed; undefined when it is installed. */
  missingGrammarOf({ passes }: ScanGroup): MissingGrammar | undefined {
    for (const { grammar } of passes) {
      const missing = missingGrammar(grammar)
      if (missing !== undefined) return missing
    }
    return undefined
  }

  /** The group of a file; undefined when no rule applies to it. */
  groupFor({ path, secretsOnly = false }: FileContent): ScanGroup | undefined {
    const own = extensionOf(path)
    const extension = this.#extensions.has(own) ? own : ''
    const coverages = this.#coveragesFor(extension)
    let key = secretsOnly ? `${extension} secrets ` : `${extension} `
    for (const covers of coverages) key += covers(path) ? '1' : '0'
    if (!this.#groups.has(key)) {
      const covers = new Set(coverages.filter((one) => one(path)))
      this.#groups.set(key, this.#createGroup(extension, covers, secretsOnly))
    }
    return this.#groups.get(key)
  }

  #coveragesFor(extension: string): readonly Coverage[] {
    const known = this.#coverages.get(extension)
    if (known !== undefined) return known
    const readers = this.#rules.filter(({ rule }) => readsExtension(rule.language, extension))
    const coverages = [...new Set(readers.map(({ rule }) => rule.covers))]
    this.#coverages.set(extension, coverages)
    return coverages
  }

  #createGroup(
    extension: string,
    covers: ReadonlySet<Coverage>,
    secretsOnly: boolean,
  ): ScanGroup | undefined {
    const grammars = new Map<
      string,
      { readonly comments: readonly string[]; readonly matchers: Set<number> }
    >()
    const rules = new Map<number, CompiledRule[]>()
    const texts = new Set<number>()
    for (const { rule, matcher } of this.#rules) {
      if (secretsOnly && !(rule.text !== undefined && rule.everyKind)) continue
      if (rule.text !== undefined) {
        if (!covers.has(rule.covers)) continue
        texts.add(matcher)
        pushTo(rules, matcher, rule)
        continue
      }
      const grammar = grammarFor(rule.language, extension)
      if (grammar === undefined || !covers.has(rule.covers)) continue
      const entry = grammars.get(grammar) ?? {
        comments: LANGUAGES[rule.language].comments,
        matchers: new Set(),
      }
      entry.matchers.add(matcher)
      grammars.set(grammar, entry)
      pushTo(rules, matcher, rule)
    }
    if (rules.size === 0) return undefined
    const passes = [...grammars]
      .sort(([a], [b]) => (a < b ? 1 : -1))
      .map(([grammar, { comments, matchers }]) => ({ grammar, comments, matchers: [...matchers] }))
    const all = [...rules.values()].flat()
    const packs = [...new Set(all.map(({ pack }) => pack))].sort()
    const trusted = all.every((rule) => rule.trusted)
    return { id: this.#count++, passes, texts: [...texts], rules, packs, trusted }
  }

  /** The same group without parsing: rules about text read files that cannot be parsed. */
  textGroup(group: ScanGroup): ScanGroup {
    const key = `text ${group.id}`
    const rules = group.texts.flatMap((matcher) => group.rules.get(matcher) ?? [])
    const packs = [...new Set(rules.map(({ pack }) => pack))].sort()
    const known = this.#groups.get(key) ?? { ...group, id: this.#count++, passes: [], packs }
    this.#groups.set(key, known)
    return known
  }
}

const byPlace = (a: Match, b: Match): number =>
  a.line - b.line || a.column - b.column || (a.ruleId < b.ruleId ? -1 : a.ruleId > b.ruleId ? 1 : 0)

const longestFirst = (a: Match, b: Match): number => b.endLine - a.endLine || b.endColumn - a.endColumn

/**
 * Hits as matches of their rules, with positions from 1, in the order of the text. A rule has one match at a place,
 * the longest: it may read a file with two grammars, and match an expression and its first part.
 */
export const toMatches = (hits: readonly RuleHit[], group: ScanGroup): Match[] =>
  hits
    .flatMap(([matcher, line, column, endLine, endColumn, values, within]) =>
      (group.rules.get(matcher) ?? []).map((rule) => ({
        ruleId: rule.id,
        message: fillVariables(rule.message, values),
        line: line + 1,
        column: column + 1,
        endLine: endLine + 1,
        endColumn: endColumn + 1,
        ...(within ? { within } : {}),
      })),
    )
    .sort((a, b) => byPlace(a, b) || longestFirst(a, b))
    .filter((match, index, all) => {
      const last = all[index - 1]
      return last === undefined || byPlace(match, last) !== 0
    })
