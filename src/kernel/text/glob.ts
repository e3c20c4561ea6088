/**
 * Glob matching without regular expressions. The time is at most proportional to the length of the pattern times
 * the length of the path, whatever pattern a caller sends.
 */

type Token =
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'star' }
  | { readonly kind: 'set'; readonly not: boolean; readonly ranges: readonly (readonly [string, string])[] }

type NameTest = (name: string) => boolean

/** One part of a pattern between slashes; `deep` is `**`, any number of names. */
type Part = 'deep' | NameTest

const SPECIAL = /[*?[\\]/

const readSet = (chars: readonly string[], from: number): [Token, number] | undefined => {
  let at = from + 1
  const not = chars[at] === '!' || chars[at] === '^'
  if (not) at += 1
  const ranges: [string, string][] = []
  for (let first = true; at < chars.length; first = false) {
    const char = chars[at] as string
    if (char === ']' && !first) return [{ kind: 'set', not, ranges }, at + 1]
    const high = chars[at + 1] === '-' && chars[at + 2] !== ']' ? chars[at + 2] : undefined
    ranges.push([char, high ?? char])
    at += high === undefined ? 1 : 3
  }
  return undefined
}

const readTokens = (pattern: string): readonly Token[] => {
  const chars = [...pattern]
  const tokens: Token[] = []
  for (let at = 0; at < chars.length; ) {
    const char = chars[at] as string
    const set = char === '[' ? readSet(chars, at) : undefined
    if (set !== undefined) {
      tokens.push(set[0])
      at = set[1]
      continue
    }
    const escaped = char === '\\' && at + 1 < chars.length
    if (char === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' })
    } else if (char === '?') tokens.push({ kind: 'any' })
    else tokens.push({ kind: 'char', char: escaped ? (chars[at + 1] as string) : char })
    at += escaped ? 2 : 1
  }
  return tokens
}

const fits = (token: Token | undefined, char: string): boolean => {
  switch (token?.kind) {
    case 'char':
      return token.char === char
    case 'any':
      return true
    case 'set':
      return token.not !== token.ranges.some(([low, high]) => low <= char && char <= high)
    default:
      return false
  }
}

/** Matches with two pointers and backtracks to the last star only: an earlier star could not help. */
const matchAll = <T>(
  length: number,
  items: readonly T[],
  isStar: (at: number) => boolean,
  suits: (at: number, item: T) => boolean,
): boolean => {
  let at = 0
  let item = 0
  let star = -1
  let resume = 0
  while (item < items.length) {
    if (at < length && isStar(at)) {
      star = at
      resume = item
      at += 1
    } else if (at < length && suits(at, items[item] as T)) {
      at += 1
      item += 1
    } else if (star >= 0) {
      resume += 1
      item = resume
      at = star + 1
    } else return false
  }
  while (at < length && isStar(at)) at += 1
  return at === length
}

const compileName = (pattern: string): NameTest => {
  if (pattern === '*') return () => true
  if (!SPECIAL.test(pattern)) return (name) => name === pattern
  const ending = pattern.slice(1)
  if (pattern.startsWith('*') && !SPECIAL.test(ending)) return (name) => name.endsWith(ending)
  const tokens = readTokens(pattern)
  return (name) =>
    matchAll(
      tokens.length,
      [...name],
      (at) => tokens[at]?.kind === 'star',
      (at, char) => fits(tokens[at], char),
    )
}

export type PathTest = (segments: readonly string[]) => boolean

interface Glob {
  readonly test: PathTest
  /** Number of segments that a matching path has; undefined for any number. */
  readonly depth: number | undefined
}

const readPattern = (pattern: string): Glob => {
  const names = pattern.split('/').filter((name) => name !== '' && name !== '.')
  const parts: Part[] = names.map((name) => (name === '**' ? 'deep' : compileName(name)))
  if (parts.at(-1) === 'deep') parts.push(() => true)
  const depth = parts.includes('deep') ? undefined : parts.length
  const test: PathTest = (segments) =>
    (depth === undefined || segments.length === depth) &&
    matchAll(
      parts.length,
      segments,
      (at) => parts[at] === 'deep',
      (at, name) => {
        const part = parts[at]
        return part !== undefined && part !== 'deep' && part(name)
      },
    )
  return { test, depth }
}

/** Tests a whole path by its segments. `**` matches any number of segments, at the end at least one. */
export const compileGlob = (pattern: string): PathTest => readPattern(pattern).test

const MAX_ALTERNATIVES = 64

/** Expands `{a,b}`, innermost first. Beyond `MAX_ALTERNATIVES` the remaining braces are literal. */
export const expandBraces = (pattern: string): readonly string[] => {
  let open = [pattern]
  for (;;) {
    const all = open.flatMap((one) => {
      const found = /^(.*)\{([^{}]*,[^{}]*)\}(.*)$/s.exec(one)
      if (found === null) return [one]
      const [, before = '', inside = '', after = ''] = found
      return inside.split(',').map((choice) => `${before}${choice}${after}`)
    })
    const next = [...new Set(all)]
    if (next.length === open.length && next.every((one, at) => one === open[at])) return open
    if (next.length > MAX_ALTERNATIVES) return open
    open = next
  }
}

/** A pattern without a slash matches a name at any depth. */
const readPatterns = (patterns: readonly string[]): readonly Glob[] =>
  patterns
    .flatMap(expandBraces)
    .map((pattern) => readPattern(pattern.includes('/') ? pattern : `**/${pattern}`))

/** Tests a path against any of the patterns. */
export const anyGlob = (patterns: readonly string[]): PathTest => {
  const globs = readPatterns(patterns)
  return (segments) => globs.some(({ test }) => test(segments))
}

/** The same for paths with a given number of segments; undefined when no pattern can match them. */
export const globsByDepth = (patterns: readonly string[]): ((depth: number) => PathTest | undefined) => {
  const globs = readPatterns(patterns)
  const known = new Map<number, PathTest | undefined>()
  return (depth) => {
    if (known.has(depth)) return known.get(depth)
    const some = globs.filter((glob) => glob.depth === undefined || glob.depth === depth)
    const test: PathTest | undefined =
      some.length === 0 ? undefined : (segments) => some.some((glob) => glob.test(segments))
    known.set(depth, test)
    return test
  }
}
