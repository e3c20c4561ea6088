import type { CompiledRule, Match } from '../../gate/ports.ts'
import { grammarFor, grammarsFor } from '../../gate/rules/languages.ts'
import { extensionOf, LANGUAGES } from '../../kernel/text/languages.ts'
import type { GrammarPass, MatcherSpec, RuleHit } from './scan-file.ts'

/** Files that the same probes look at, with the same grammars, share a course. */
export interface ScanGroup {
  readonly id: number
  readonly readings: readonly GrammarPass[]
  /** Ids and messages for the hits of each probe, for files of this course. */
  readonly rules: ReadonlyMap<number, readonly CompiledRule[]>
  readonly trusted: boolean
}

const VARIABLE = /\${1,3}([A-Z][A-Z0-9_]*)/g

const variablesIn = (message: string): readonly string[] =>
  [...new Set([...message.matchAll(VARIABLE)].map(([, name]) => name ?? ''))].sort()

const fill = (message: string, values: Readonly<Record<string, string>> | undefined): string =>
  values === undefined ? message : message.replace(VARIABLE, (whole, name: string) => values[name] ?? whole)

/** Works out once what has to run on which files. */
export class ScanPlan {
  readonly probes: readonly MatcherSpec[]
  readonly #rules: readonly { readonly rule: CompiledRule; readonly probe: number }[]
  readonly #reaches: readonly ((path: string) => boolean)[]
  readonly #groups = new Map<string, ScanGroup | undefined>()
  #count = 0

  constructor(rules: readonly CompiledRule[]) {
    const matchers = new Map<string, number>()
    const list: MatcherSpec[] = []
    this.#rules = rules.map((rule) => {
      const { language, matcher: body, trusted, words } = rule
      const variables = variablesIn(rule.message)
      const key = JSON.stringify([language, body, variables, trusted])
      const probe = matchers.get(key) ?? list.length
      if (probe === list.length)
        list.push({ language, body, variables, trusted, ...(words !== undefined && { words }) })
      matchers.set(key, probe)
      return { rule, probe }
    })
    this.probes = list
    this.#reaches = [...new Set(rules.map(({ covers }) => covers))]
  }

  /** The rules behind a probe, for messages about it. */
  idsOf(matcher: number): readonly string[] {
    return this.#rules.filter((one) => one.probe === matcher).map(({ rule }) => rule.id)
  }

  /** The probes that came with the repository, each with every grammar it may meet. */
  userRules(): readonly { readonly probe: number; readonly grammar: string }[] {
    return this.probes.flatMap(({ language, trusted }, matcher) =>
      trusted
        ? []
        : [...new Set(grammarsFor(language).values())].map((grammar) => ({
            probe: matcher,
            grammar,
          })),
    )
  }

  /** What looks at a path; undefined when nothing does. */
  courseFor(path: string): ScanGroup | undefined {
    const extension = extensionOf(path)
    const reached = this.#reaches.map((covers) => covers(path))
    const key = `${extension} ${reached.map(Number).join('')}`
    if (!this.#groups.has(key)) this.#groups.set(key, this.#plot(extension, reached))
    return this.#groups.get(key)
  }

  #plot(extension: string, reached: readonly boolean[]): ScanGroup | undefined {
    const covers = new Set(this.#reaches.filter((_, index) => reached[index]))
    const grammars = new Map<string, { comments: readonly string[]; probes: Set<number> }>()
    const rules = new Map<number, CompiledRule[]>()
    for (const { rule, probe: matcher } of this.#rules) {
      const grammar = grammarFor(rule.language, extension)
      if (grammar === undefined || !covers.has(rule.covers)) continue
      const entry = grammars.get(grammar) ?? {
        comments: LANGUAGES[rule.language].comments,
        probes: new Set(),
      }
      grammars.set(grammar, { ...entry, probes: entry.probes.add(matcher) })
      rules.set(matcher, [...(rules.get(matcher) ?? []), rule])
    }
    if (rules.size === 0) return undefined
    const readings = [...grammars]
      .sort(([a], [b]) => (a < b ? 1 : -1))
      .map(([grammar, { comments, probes: matchers }]) => ({ grammar, comments, probes: [...matchers] }))
    const trusted = [...rules.values()].flat().every((rule) => rule.trusted)
    return { id: this.#count++, readings, rules, trusted }
  }
}

const byPlace = (a: Match, b: Match): number =>
  a.line - b.line || a.column - b.column || (a.ruleId < b.ruleId ? -1 : a.ruleId > b.ruleId ? 1 : 0)

const samePlace = (a: Match, b: Match | undefined): boolean =>
  b !== undefined && byPlace(a, b) === 0 && a.endLine === b.endLine && a.endColumn === b.endColumn

/**
 * Hits under the names of the rules they belong to, counted from 1, in the order of the text. A rule that reads a
 * file with two grammars has one match to a place.
 */
export const toMatches = (hits: readonly RuleHit[], group: ScanGroup): Match[] =>
  hits
    .flatMap(([matcher, line, column, endLine, endColumn, values]) =>
      (group.rules.get(matcher) ?? []).map((rule) => ({
        ruleId: rule.id,
        message: fill(rule.message, values),
        line: line + 1,
        column: column + 1,
        endLine: endLine + 1,
        endColumn: endColumn + 1,
      })),
    )
    .sort(byPlace)
    .filter((match, index, all) => !samePlace(match, all[index - 1]))
