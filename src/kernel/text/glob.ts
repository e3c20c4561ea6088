import { compileName, type NameTest } from './glob-name.ts'

/**
 * Glob matching without regular expressions: no pattern takes more time than its length times the length of the
 * path, so patterns from callers and from repositories are safe to run.
 */

export type PathTest = (segments: readonly string[]) => boolean

interface Glob {
  readonly test: PathTest
  /** Number of segments that a matching path has; undefined for any number. */
  readonly depth: number | undefined
}

const matchesAt = (names: readonly NameTest[], segments: readonly string[], from: number): boolean => {
  for (let at = 0; at < names.length; at += 1)
    if (names[at]?.(segments[from + at] ?? '') === false) return false
  return true
}

/** Names between two `**`: the first place from `from` on where they match, or -1. */
const findNames = (
  names: readonly NameTest[],
  segments: readonly string[],
  from: number,
  end: number,
): number => {
  for (let at = from; at + names.length <= end; at += 1) if (matchesAt(names, segments, at)) return at
  return -1
}

const isAnyName: NameTest = () => true

/** The names before, between and after each `**`. */
const splitAtDeep = (pattern: string, nocase: boolean): [NameTest[], ...NameTest[][]] => {
  const runs: [NameTest[], ...NameTest[][]] = [[]]
  let run = runs[0]
  for (const name of pattern.split('/')) {
    if (name === '' || name === '.') continue
    if (name !== '**') run.push(name === '*' ? isAnyName : compileName(name, nocase))
    else {
      run = []
      runs.push(run)
    }
  }
  // `**` at the end stands for at least one name.
  if (runs.length > 1 && run.length === 0) run.push(isAnyName)
  return runs
}

const readPattern = (pattern: string, nocase = false): Glob => {
  const [first, ...others] = splitAtDeep(pattern, nocase)
  const last = others.pop()
  if (last === undefined) {
    const depth = first.length
    return { test: (segments) => segments.length === depth && matchesAt(first, segments, 0), depth }
  }
  const between = others.filter((names) => names.length > 0)
  const test: PathTest = (segments) => {
    const end = segments.length - last.length
    if (end < first.length || !matchesAt(last, segments, end) || !matchesAt(first, segments, 0)) return false
    let at = first.length
    for (const names of between) {
      at = findNames(names, segments, at, end)
      if (at < 0) return false
      at += names.length
    }
    return true
  }
  return { test, depth: undefined }
}

/** Tests a whole path by its segments. `**` matches any number of segments, at the end at least one. */
export const compileGlob = (pattern: string): PathTest => readPattern(pattern).test

/** The most patterns that the braces of one glob may expand to. */
export const MAX_ALTERNATIVES = 64

const BRACES = /^(.*)\{([^{}]*,[^{}]*)\}(.*)$/s

/** Expands `{a,b}`, innermost first, up to `MAX_ALTERNATIVES`; beyond it braces stay and are matched literally. */
export const expandBraces = (pattern: string): readonly string[] => {
  let open = [pattern]
  if (!pattern.includes('{')) return open
  for (;;) {
    const all = open.flatMap((one) => {
      const found = BRACES.exec(one)
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

/** Whether a glob expands to more than `MAX_ALTERNATIVES` patterns, so that some of its braces stay unexpanded. */
export const exceedsAlternatives = (glob: string): boolean =>
  expandBraces(glob).some((one) => BRACES.test(one))

const LAST_CHOICE = /\{([^{}]*)\}([^*/{}]*)$/
const afterWildcard = (text: string): string =>
  text.slice(Math.max(...['*', '/', '}'].map((one) => text.lastIndexOf(one))) + 1)

/** How the last name of a matching path may end. Braces that are not expanded are matched literally. */
const possibleEnds = (glob: string, nocase: boolean): readonly string[] => {
  if (nocase || /[?[\\]/.test(glob)) return ['']
  const [, choices, rest = ''] = LAST_CHOICE.exec(glob) ?? []
  const ends =
    choices === undefined
      ? [afterWildcard(glob)]
      : [...choices.split(',').map((one) => `${afterWildcard(one)}${rest}`), `}${rest}`]
  // A last name `.` is no name.
  return ends.map((end) => (end === '.' ? '' : end))
}

const longestLiteral = (choice: string): string =>
  choice.split(/[*/]/).reduce((longest, one) => (one.length > longest.length ? one : longest), '')

/** Texts of which a matching path contains one: the choices of a `{...}`. Undefined when that is not plain. */
const neededTexts = (glob: string, nocase: boolean): readonly string[] | undefined => {
  // Choices within choices are not always needed.
  if (nocase || /[?[\\]/.test(glob) || /[{}]/.test(glob.replace(/\{[^{}]*\}/g, ''))) return undefined
  const groups = [...glob.matchAll(/\{([^{}]*,[^{}]*)\}/g)].map(([, choices = '']) =>
    choices.split(',').map(longestLiteral),
  )
  return groups.find((texts) => texts.every((one) => one.length > 1))
}

/** Compiles a glob with the first path that may match it: most paths do not. */
const whenLikely = (glob: string, nocase: boolean, compile: () => PathTest): PathTest => {
  const ends = possibleEnds(glob, nocase)
  const needed = neededTexts(glob, nocase)
  let test: PathTest | undefined
  return (segments) => {
    const name = segments[segments.length - 1] ?? ''
    if (!ends.some((end) => name.endsWith(end))) return false
    if (needed?.some((text) => segments.some((one) => one.includes(text))) === false) return false
    test ??= compile()
    return test(segments)
  }
}

/** `**` + `/name/**`: everything below folders of this name. */
const FOLDER = /^\*\*\/([^*?[\\/]+)\/\*\*$/

const compileAlternatives = (glob: string, nocase: boolean): PathTest => {
  const folders = new Set<string>()
  const tests: PathTest[] = []
  for (const one of expandBraces(glob)) {
    const [, folder = '.'] = (!nocase && FOLDER.exec(one)) || []
    if (folder === '.') tests.push(whenLikely(one, nocase, () => readPattern(one, nocase).test))
    else folders.add(folder)
  }
  const isBelow: PathTest = (segments) =>
    segments.some((name, at) => at < segments.length - 1 && folders.has(name))
  if (folders.size > 0) tests.push(isBelow)
  const [only] = tests
  if (only !== undefined && tests.length === 1) return only
  return (segments) => tests.some((test) => test(segments))
}

/** Compiles a glob with braces. Without a slash it matches names at the top only. */
export const compileBraceGlob = (glob: string, { nocase = false } = {}): PathTest =>
  whenLikely(glob, nocase, () => compileAlternatives(glob, nocase))

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
