import type { Matcher } from '../../gate/rules/rule.ts'
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
 * Compiling a rule for a file costs more than running it, and most rules have nothing to say about most files. So we
 * work out which words a file must hold for a rule to match at all. Whatever we do not understand asks for nothing.
 */

const NOTHING: RequiredLiterals = []

const record = (value: unknown): Matcher | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Matcher) : undefined
const records = (value: unknown): readonly Matcher[] => {
  const list: readonly unknown[] = Array.isArray(value) ? value : []
  return list.map(record).filter((one) => one !== undefined)
}

// A pattern's own words stand in the text as they stand in the pattern; its variables start with a dollar sign.
const patternWords = (pattern: string): RequiredLiterals =>
  [...pattern.matchAll(/(?<![\w$µ])[A-Za-z_]\w*/g)]
    .map(([word]) => [word])
    .filter(([word = '']) => word.length >= MIN_LENGTH)

/** Kinds of node that cannot be without their keyword, whatever the grammar. */
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
/** The same where a grammar uses the kind for nothing else. */
const PRECISE: Readonly<Record<string, readonly string[]>> = {
  class: ['class_declaration', 'abstract_class_declaration', 'public_field_definition'],
  interface: ['interface_declaration'],
}
const PRECISE_LANGUAGES = ['typescript', 'tsx', 'javascript', 'java']

const keywordOf = (kind: string, precise: boolean): RequiredLiterals =>
  [...Object.entries(KEYWORDS), ...(precise ? Object.entries(PRECISE) : [])]
    .filter(([, kinds]) => kinds.includes(kind))
    .map(([word]) => [word])

const patternNeedles = (pattern: unknown): RequiredLiterals => {
  if (typeof pattern === 'string') return patternWords(pattern)
  const { context, selector, strictness = 'smart' } = record(pattern) ?? {}
  // Of a context only the selected node counts, and looser comparisons pass over words.
  if (selector !== undefined || typeof context !== 'string') return NOTHING
  return strictness === 'smart' || strictness === 'cst' ? patternWords(context) : NOTHING
}

/** Each utility is read once, and one that is being read asks for nothing: they may refer to each other at will. */
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
      ...patternNeedles(rule.pattern),
      ...(typeof rule.regex === 'string' ? regexLiterals(rule.regex) : NOTHING),
      ...(typeof rule.kind === 'string' ? keywordOf(rule.kind, this.#precise) : NOTHING),
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

/** The words without which a rule cannot match. */
export const requiredLiterals = (body: Matcher, language: string): RequiredLiterals =>
  bestOf(new Collector(record(body.utils) ?? {}, language).of(body.rule))

/** The kinds of node a rule can match; undefined when it does not say. */
export const findKinds = (rule: Matcher): readonly string[] | undefined => {
  if (typeof rule.kind === 'string') return /^\w+$/.test(rule.kind) ? [rule.kind] : undefined
  const said = records(rule.all)
    .map(findKinds)
    .find((kinds) => kinds !== undefined)
  if (said !== undefined) return said
  const branches = records(rule.any).map(findKinds)
  return branches.length === 0 || branches.includes(undefined)
    ? undefined
    : branches.flatMap((kinds) => kinds ?? [])
}

/** Tells which of many rules may match a text, in one pass over it. */
export const makePrefilter = (all: readonly RequiredLiterals[]): ((text: string) => number[]) => {
  const words = [...new Set(all.flat(2))].sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
  const everyone = all.map((_, index) => index)
  if (words.length === 0) return () => everyone
  // Longest first, and every start is tried: what is missed at a start is a beginning of the word found there.
  const pattern = new RegExp(words.map(escapeRegExp).join('|'), 'g')
  const shorter = new Map<string, readonly string[]>()
  // Worked out for words that turn up: most never do.
  const beginnings = (word: string): readonly string[] => {
    const known = shorter.get(word) ?? words.filter((other) => word.startsWith(other))
    shorter.set(word, known)
    return known
  }
  return (text) => {
    const found = new Set<string>()
    pattern.lastIndex = 0
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      pattern.lastIndex = match.index + 1
      for (const word of beginnings(match[0])) found.add(word)
    }
    return everyone.filter((index) => all[index]?.every((choices) => choices.some((word) => found.has(word))))
  }
}
