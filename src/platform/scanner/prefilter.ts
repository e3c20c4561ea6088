import type { Matcher } from '../../gate/rules/rule.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { escapeRegExp } from '../../kernel/text/escape-regexp.ts'
import {
  bestOf,
  distinct,
  eitherOf,
  MIN_LENGTH,
  type RequiredLiterals,
  regexLiterals,
} from './required-literals.ts'

/**
 * Compiling a rule for a file costs more than running it, and most rules match in few files. So the scanner computes
 * the literals that a file must contain for a rule to match, as ripgrep does. Syntax that is not understood here
 * requires no literal, so a rule is never skipped wrongly.
 */

const NOTHING: RequiredLiterals = []

const record = (value: unknown): Matcher | undefined => (isRecord(value) ? value : undefined)
const records = (value: unknown): readonly Matcher[] => {
  const list: readonly unknown[] = Array.isArray(value) ? value : []
  return list.map(record).filter((one) => one !== undefined)
}

// The identifiers of a pattern occur unchanged in matching text; meta-variables start with `$`.
const patternWords = (pattern: string): RequiredLiterals =>
  [...pattern.matchAll(/(?<![\w$µ])[A-Za-z_]\w*/g)]
    .map(([word]) => [word])
    .filter(([word = '']) => word.length >= MIN_LENGTH)

/** Keyword → node kinds that always contain it, in all grammars. */
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  catch: ['catch_clause', 'catch_block'],
  debugger: ['debugger_statement'],
  with: ['with_statement'],
  switch: ['switch_statement', 'switch_expression'],
  new: ['new_expression'],
  import: ['import_statement', 'import_declaration'],
  except: ['except_clause'],
  defer: ['defer_statement'],
  assert: ['assert_statement'],
  throw: ['throw_statement'],
}
/** The same, for languages in which the kind always contains the keyword. */
const PRECISE: Readonly<Record<string, readonly string[]>> = {
  class: ['class_declaration', 'abstract_class_declaration', 'public_field_definition'],
  interface: ['interface_declaration'],
}
const PRECISE_LANGUAGES = ['typescript', 'tsx', 'javascript', 'java']

const keywordsFor = (kind: string, precise: boolean): RequiredLiterals =>
  [...Object.entries(KEYWORDS), ...(precise ? Object.entries(PRECISE) : [])]
    .filter(([, kinds]) => kinds.includes(kind))
    .map(([word]) => [word])

const patternLiterals = (pattern: unknown): RequiredLiterals => {
  if (typeof pattern === 'string') return patternWords(pattern)
  const { context, selector, strictness = 'smart' } = record(pattern) ?? {}
  // Only the selected node of a context has to match, and looser strictness skips tokens.
  if (selector !== undefined || typeof context !== 'string') return NOTHING
  return strictness === 'smart' || strictness === 'cst' ? patternWords(context) : NOTHING
}

/** Reads each utility once. A utility that refers to itself requires nothing, so recursion ends. */
class Collector {
  readonly #utils: Matcher
  readonly #precise: boolean
  readonly #known = new Map<string, RequiredLiterals>()
  constructor(utils: Matcher, language: string) {
    this.#utils = utils
    this.#precise = PRECISE_LANGUAGES.includes(language)
  }

  of(value: unknown): RequiredLiterals {
    const rule = record(value)
    if (rule === undefined) return NOTHING
    const any = records(rule.any)
    return distinct([
      ...patternLiterals(rule.pattern),
      ...(typeof rule.regex === 'string' ? regexLiterals(rule.regex) : NOTHING),
      ...(typeof rule.kind === 'string' ? keywordsFor(rule.kind, this.#precise) : NOTHING),
      ...[rule.inside, rule.has, rule.precedes, rule.follows].flatMap((one) => this.of(one)),
      ...records(rule.all).flatMap((one) => this.of(one)),
      ...(any.length === 0 ? NOTHING : eitherOf(any.map((one) => this.of(one)))),
      ...(typeof rule.matches === 'string' ? this.#utility(rule.matches) : NOTHING),
    ])
  }

  #utility(name: string): RequiredLiterals {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    this.#known.set(name, NOTHING)
    const literals = this.of(this.#utils[name])
    this.#known.set(name, literals)
    return literals
  }
}

/** The literals without which a rule cannot match. */
export const requiredLiterals = (body: Matcher, language: string): RequiredLiterals =>
  bestOf(new Collector(record(body.utils) ?? {}, language).of(body.rule))

/** The node kinds that a rule can match; undefined when it does not restrict them. */
export const findKinds = (rule: Matcher): readonly string[] | undefined => {
  if (typeof rule.kind === 'string') return /^\w+$/.test(rule.kind) ? [rule.kind] : undefined
  const named = records(rule.all)
    .map(findKinds)
    .find((kinds) => kinds !== undefined)
  if (named !== undefined) return named
  const branches = records(rule.any).map(findKinds)
  return branches.length === 0 || branches.includes(undefined)
    ? undefined
    : branches.flatMap((kinds) => kinds ?? [])
}

/** Compiling the expression for all words takes as long as looking for each word in so many characters. */
const PLAIN_CHARS = 16_384

const longestFirst = (a: string, b: string): number => b.length - a.length || (a < b ? -1 : 1)

/** Finds which of the words occur in a text. The first texts are searched for each word, further ones in one pass. */
const makeWordFinder = (words: readonly string[]): ((text: string) => ReadonlySet<string>) => {
  let left = PLAIN_CHARS
  let pattern: RegExp | undefined
  const prefixes = new Map<string, readonly string[]>()
  // Computed only for words that occur: most never do.
  const prefixesOf = (word: string): readonly string[] => {
    const known = prefixes.get(word) ?? words.filter((other) => word.startsWith(other))
    prefixes.set(word, known)
    return known
  }
  return (text) => {
    left -= text.length
    if (left >= 0) return new Set(words.filter((word) => text.includes(word)))
    // Longest first, at every position: a word that is missed at a position is a prefix of the word found there.
    pattern ??= new RegExp([...words].sort(longestFirst).map(escapeRegExp).join('|'), 'g')
    const found = new Set<string>()
    pattern.lastIndex = 0
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      pattern.lastIndex = match.index + 1
      for (const word of prefixesOf(match[0])) found.add(word)
    }
    return found
  }
}

/** Returns a function that finds the rules (by index) that may match a text, in one pass over the text. */
export const makePrefilter = (all: readonly RequiredLiterals[]): ((text: string) => number[]) => {
  const words = [...new Set(all.flat(2))]
  const everyIndex = all.map((_, index) => index)
  if (words.length === 0) return () => everyIndex
  const findWords = makeWordFinder(words)
  return (text) => {
    const found = findWords(text)
    return everyIndex.filter((index) =>
      all[index]?.every((choices) => choices.some((word) => found.has(word))),
    )
  }
}
