import type { Matcher } from '../gate/rule.ts'

/**
 * Compiling a rule for a file costs more than running it, and most rules have nothing to say about most files. So we
 * work out which words a file must hold for a rule to match at all. Each list is an alternative: one of its words
 * must be there; all lists must be satisfied. Whatever we do not understand asks for nothing.
 */
export type Needles = readonly (readonly string[])[]

const NOTHING: Needles = []
const MIN_LENGTH = 2

const record = (value: unknown): Matcher | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Matcher) : undefined
const records = (value: unknown): readonly Matcher[] => {
  const list: readonly unknown[] = Array.isArray(value) ? value : []
  return list.map(record).filter((one) => one !== undefined)
}

// A pattern's own words stand in the text as they stand in the pattern; its variables start with a dollar sign.
const patternWords = (pattern: string): Needles =>
  [...pattern.matchAll(/(?<![\w$µ])[A-Za-z_]\w*/g)]
    .map(([word]) => [word])
    .filter(([word = '']) => word.length >= MIN_LENGTH)

/**
 * The longest text that every match of a branch holds. Groups, classes and whatever is repeated or optional count
 * as nothing.
 */
const literalRun = (branch: string): string | undefined => {
  const plain = branch.replace(/\\./g, ' ').replace(/.[?*]|.?\{[^}]*\}[?+]?/g, ' ')
  return plain
    .split(/[^\w:/@-]+/)
    .filter((run) => run.length >= MIN_LENGTH)
    .toSorted((a, b) => b.length - a.length)[0]
}

const withoutClasses = (regex: string): string => regex.replace(/\[(?:\\.|[^\]\\])*\][?*+]*/g, ' ')

/** One of these words is in every text the regex matches. Flags, look-around and odd classes are left alone. */
const regexWords = (regex: string): Needles => {
  if (/\(\?[^:]|\[\^?\]|\\[pPxuU]/.test(regex)) return NOTHING
  let plain = withoutClasses(regex)
  const whole = /^\^?\((?:\?:)?([^()]*)\)\$?$/.exec(plain)?.[1]
  if (whole !== undefined) plain = whole
  // From the inside out, until no group is left.
  for (let before = ''; before !== plain; ) {
    before = plain
    plain = plain.replace(/(?<!\\)\((?:\?:)?(?:\\.|[^()\\])*\)[?*+]?(?:\{[^}]*\})?/g, ' ')
  }
  const words = plain.split('|').map(literalRun)
  return words.some((word) => word === undefined) ? NOTHING : [words.flatMap((word) => word ?? [])]
}

/** Kinds of node that cannot be without their keyword, whatever the grammar. */
const KEYWORDS: Readonly<Record<string, string>> = {
  catch_clause: 'catch',
  catch_block: 'catch',
  debugger_statement: 'debugger',
  with_statement: 'with',
  switch_statement: 'switch',
  switch_expression: 'switch',
  new_expression: 'new',
  import_statement: 'import',
  import_declaration: 'import',
  except_clause: 'except',
  defer_statement: 'defer',
  assert_statement: 'assert',
  throw_statement: 'throw',
}
const keyword = (kind: string): Needles => {
  const word = Object.hasOwn(KEYWORDS, kind) ? KEYWORDS[kind] : undefined
  return word === undefined ? NOTHING : [[word]]
}

const rarest = (needles: Needles): readonly string[] | undefined =>
  needles.toSorted((a, b) => weight(b) - weight(a))[0]
// Few long words are the rarest.
const weight = (words: readonly string[]): number =>
  Math.min(...words.map((word) => word.length)) - words.length / 4

const alternatives = (branches: readonly Needles[]): Needles => {
  const chosen = branches.map(rarest)
  return chosen.includes(undefined) ? NOTHING : [chosen.flatMap((words) => words ?? [])]
}

const patternNeedles = (pattern: unknown): Needles => {
  if (typeof pattern === 'string') return patternWords(pattern)
  const { context, selector, strictness = 'smart' } = record(pattern) ?? {}
  // Of a context only the selected node counts, and looser comparisons pass over words.
  if (selector !== undefined || typeof context !== 'string') return NOTHING
  return strictness === 'smart' || strictness === 'cst' ? patternWords(context) : NOTHING
}

const distinct = (needles: Needles): Needles => [
  ...new Map(needles.map((words) => [words.join('|'), words])).values(),
]

/** Each utility is read once, and one that is being read asks for nothing: they may refer to each other at will. */
class Collector {
  readonly #utils: Matcher
  readonly #known = new Map<string, Needles>()
  constructor(utils: Matcher) {
    this.#utils = utils
  }

  of(value: unknown): Needles {
    const rule = record(value)
    if (rule === undefined) return NOTHING
    const any = records(rule.any)
    return distinct([
      ...patternNeedles(rule.pattern),
      ...(typeof rule.regex === 'string' ? regexWords(rule.regex) : NOTHING),
      ...(typeof rule.kind === 'string' ? keyword(rule.kind) : NOTHING),
      ...[rule.inside, rule.has, rule.precedes, rule.follows].flatMap((one) => this.of(one)),
      ...records(rule.all).flatMap((one) => this.of(one)),
      ...(any.length === 0 ? NOTHING : alternatives(any.map((one) => this.of(one)))),
      ...(typeof rule.matches === 'string' ? this.#utility(rule.matches) : NOTHING),
    ])
  }

  #utility(name: string): Needles {
    const known = this.#known.get(name)
    if (known !== undefined) return known
    this.#known.set(name, NOTHING)
    const needles = this.of(this.#utils[name])
    this.#known.set(name, needles)
    return needles
  }
}

/** The words without which a rule cannot match. */
export const findNeedles = (body: Matcher): Needles => new Collector(record(body.utils) ?? {}).of(body.rule)

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
export const makeSieve = (all: readonly Needles[]): ((text: string) => number[]) => {
  const words = [...new Set(all.flat(2))].sort((a, b) => b.length - a.length || (a < b ? -1 : 1))
  const everyone = all.map((_, index) => index)
  if (words.length === 0) return () => everyone
  // Longest first, and every start is tried: what is missed at a start is a beginning of the word found there.
  const pattern = new RegExp(words.map((word) => word.replace(/[^\w ]/g, '\\$&')).join('|'), 'g')
  const shorter = new Map(words.map((word) => [word, words.filter((other) => word.startsWith(other))]))
  return (text) => {
    const found = new Set<string>()
    pattern.lastIndex = 0
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      pattern.lastIndex = match.index + 1
      for (const word of shorter.get(match[0]) ?? []) found.add(word)
    }
    return everyone.filter((index) => all[index]?.every((choices) => choices.some((word) => found.has(word))))
  }
}
