import type { Comment, FileContent } from '../../gate/ports.ts'
import type { Matcher, TextMatcher } from '../../gate/rules/rule.ts'
import { isRecord } from '../../kernel/encoding/json.ts'
import { optional } from '../../kernel/optional.ts'
import { readSource, type SourceText } from '../../kernel/text/decode.ts'
import type { LanguageName } from '../../kernel/text/languages.ts'
import { parseText, type SgNode } from '../syntax/ast-grep.ts'
import { findTextComments, TextLines, type TextSearches } from './match-text.ts'
import { cachedKindNumber, groupOf, type PreparedMatcher, runMatchers } from './matchers.ts'
import { findKinds, makePrefilter, requiredLiterals } from './prefilter.ts'
import type { RequiredLiterals } from './required-literals.ts'

interface Gap {
  readonly parent: RegExp
  readonly before?: RegExp
  readonly text: RegExp
  readonly after?: RegExp
}

/** The errors that the grammars report for valid syntax that they do not know. */
const GAPS: readonly Gap[] = [
  // `<in T>`, `<out T extends U>`, `<in out T>`: the error is the variance modifier, or the identifier after it.
  { parent: /^type_parameters$/, text: /^(?:in|out|in\s+out)$/, after: /^[\p{ID_Start}$_]/u },
  {
    parent: /^type_parameters?$/,
    before: /^(?:in|out)$/,
    text: /^(?:out\s+)?[\p{ID_Start}$_][\p{ID_Continue}$]*$/u,
  },
  // `export type * from 'a'`, `import defer * as a from 'a'`
  { parent: /^export_statement$/, before: /^export$/, text: /^type$/, after: /^\*/ },
  { parent: /^import_statement$/, before: /^import$/, text: /^defer$/, after: /^\*/ },
]

/** Whether an error node is a gap of the grammar and not a syntax error in the file. */
const isGap = (error: SgNode): boolean => {
  const text = error.text()
  const candidates = GAPS.filter((gap) => gap.text.test(text))
  if (candidates.length === 0) return false
  const [parent, before, after] = [error.parent()?.kind(), error.prev()?.text(), error.next()?.text()]
  return candidates.some(
    (gap) =>
      gap.parent.test(String(parent)) &&
      (gap.before === undefined || gap.before.test(before ?? '')) &&
      (gap.after === undefined || gap.after.test(after ?? '')),
  )
}

interface SpecBasics {
  readonly trusted: boolean
  /** The highest severity of its rules, as a number: the hits of the most severe rules are kept when there are too many. */
  readonly rank: number
}

export interface SyntaxSpec extends SpecBasics {
  readonly language: LanguageName
  readonly body: Matcher
  /** Meta-variables in the message of the rule. */
  readonly variables: readonly string[]
  readonly requiredLiterals?: RequiredLiterals
  readonly text?: undefined
}

interface TextSpec extends SpecBasics {
  readonly text: TextMatcher
  /** Placeholders are no matches. */
  readonly secret: boolean
}

/** The matcher of a rule, and of its copies under other names. */
export type MatcherSpec = SyntaxSpec | TextSpec

/** One parse of a file: the grammar, and the matchers (by index) that run on its tree. */
interface GrammarPass {
  readonly grammar: string
  readonly comments: readonly string[]
  readonly matchers: readonly number[]
}

/** What is done with the files of a group: the parses, and the matchers (by index) that run on the text. */
export interface FilePasses {
  readonly passes: readonly GrammarPass[]
  readonly texts: readonly number[]
}

/**
 * Matcher, line, column, end line, end column (from 0), the values of the meta-variables, and the names of the
 * declarations around it.
 */
export type RuleHit = readonly [
  number,
  number,
  number,
  number,
  number,
  Readonly<Record<string, string>> | undefined,
  string?,
]

export interface FileScan {
  readonly hits: readonly RuleHit[]
  readonly comments: readonly Comment[]
  readonly broken?: readonly [line: number, column: number]
  /** The error is a gap of the grammar: the language accepts the text. */
  readonly gap?: boolean
  readonly cut?: boolean
  readonly doubt?: SourceText['doubt']
}

export const IGNORE_WORD = 'warrant-ignore'
const MAX_HITS = 10_000
// Comparing the text of every node is fastest for short files, but quadratic in the depth of the tree.
const SHORT_TEXT = 32_768
const MISSING = { regex: '^$' }
const MISSING_DEEP = { all: [{ not: { has: { pattern: '$$_' } } }, MISSING] }

/**
 * A token that the parser inserts (MISSING) is nearly always a bracket, so searching for MISSING nodes pays only when
 * brackets are unbalanced. Other syntax errors are ERROR nodes.
 */
const areBracketsBalanced = (text: string): boolean => {
  let round = 0
  let square = 0
  let curly = 0
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index)
    if (code === 40) round++
    else if (code === 41) round--
    else if (code === 91) square++
    else if (code === 93) square--
    else if (code === 123) curly++
    else if (code === 125) curly--
  }
  return round === 0 && square === 0 && curly === 0
}

const ERROR = 'ERROR'

interface PreparedPass extends GrammarPass {
  /** The matchers that may match a text. */
  readonly candidates: (text: string) => readonly PreparedMatcher[]
}

/** Passes that are ready to run. */
export interface PreparedPasses {
  readonly passes: readonly PreparedPass[]
  readonly texts: ReadonlySet<number>
  readonly searches: TextSearches
}

const preparePass = (pass: GrammarPass, all: readonly MatcherSpec[]): PreparedPass => {
  const specs = pass.matchers.flatMap((index) => {
    const spec = all[index]
    return spec === undefined || spec.text !== undefined ? [] : [{ spec, index }]
  })
  const prefilter = makePrefilter(
    specs.map(({ spec }) => spec.requiredLiterals ?? requiredLiterals(spec.body, spec.language)),
  )
  const groups: Map<string, string>[] = []
  const prepared = new Map<number, PreparedMatcher>()
  // With the first text that it may match: most matchers of a small change never are.
  const prepareAt = (place: number): PreparedMatcher[] => {
    const known = prepared.get(place)
    const one = specs[place]
    if (known !== undefined || one === undefined) return known === undefined ? [] : [known]
    const { spec, index } = one
    const kinds = findKinds(isRecord(spec.body.rule) ? spec.body.rule : {})
    const matcher = { ...spec, index, group: groupOf(spec, groups), kinds }
    prepared.set(place, matcher)
    return [matcher]
  }
  return { ...pass, candidates: (text) => prefilter(text).flatMap(prepareAt) }
}

/** Prepares passes once for all files of a group. */
export const prepare = (
  { passes, texts }: FilePasses,
  all: readonly MatcherSpec[],
  searches: TextSearches,
): PreparedPasses => ({
  passes: passes.map((pass) => preparePass(pass, all)),
  texts: new Set(texts),
  searches,
})

const isMissing = (node: SgNode): boolean =>
  (!node.isNamed() || String(node.kind()).endsWith('identifier')) && node.text() === ''

/** The position of the first syntax error. */
const findBreak = (root: SgNode, grammar: string, text: string): readonly [number, number] | undefined => {
  const error = cachedKindNumber(grammar, ERROR)
  const missing = text.length > SHORT_TEXT ? MISSING_DEEP : MISSING
  const nodes =
    error !== undefined && areBracketsBalanced(text)
      ? root.findAll(error)
      : root.findAll({ rule: { any: [{ kind: ERROR }, missing] } })
  const node = nodes.find((one) => (one.kind() === ERROR ? !isGap(one) : isMissing(one)))
  if (node === undefined) return undefined
  const { line, column } = node.range().start
  return [line, column]
}

const findComments = (root: SgNode, text: string, kinds: readonly string[]): Comment[] => {
  if (!text.includes(IGNORE_WORD) || kinds.length === 0) return []
  const nodes = root.findAll({ rule: { any: kinds.map((kind) => ({ kind })) } })
  return nodes
    .filter((node) => node.text().includes(IGNORE_WORD))
    .map((node) => {
      const { start, end } = node.range()
      const before = text.slice(text.lastIndexOf('\n', start.index - 1) + 1, start.index)
      return {
        text: node.text(),
        line: start.line + 1,
        column: start.column + 1,
        endLine: end.line + 1,
        alone: before.trim() === '',
      }
    })
}

/** At most MAX_HITS hits: those of the most severe rules, shipped rules first. */
const keepMostSevere = (hits: readonly RuleHit[], all: readonly MatcherSpec[]): readonly RuleHit[] => {
  if (hits.length <= MAX_HITS) return hits
  const rank = ([index]: RuleHit): number =>
    2 * (all[index]?.rank ?? 0) + Number(all[index]?.trusted ?? false)
  return hits.toSorted((a, b) => rank(b) - rank(a) || byPlace(a, b)).slice(0, MAX_HITS)
}

const byPlace = (a: RuleHit, b: RuleHit): number => a[1] - b[1] || a[2] - b[2] || a[0] - b[0]

/** Tells whether the error of a scan is one of the file or of the grammar. */
export const confirmError = async (
  scan: FileScan,
  bytes: Uint8Array,
  grammar: string | undefined,
): Promise<FileScan> => {
  if (scan.broken === undefined || grammar === undefined) return scan
  const { isSyntaxError } = await import('./syntax-error.ts')
  return (await isSyntaxError(grammar, readSource(bytes, grammar).text)) ? scan : { ...scan, gap: true }
}

/**
 * Scans one file. Trusted rules run first, and `onPartial` gets their result before user rules start: a user rule
 * that hangs must not lose the hits of the trusted ones.
 */
export const scanFile = (
  { path, bytes }: FileContent,
  { passes, texts, searches }: PreparedPasses,
  onPartial: (scan: FileScan) => void,
): FileScan => {
  const { text, doubt } = readSource(bytes, passes[0]?.grammar ?? '')
  const lines = new TextLines(text)
  const trees = passes.map(({ grammar, comments, candidates }) => {
    const root = parseText(grammar, text)
    return { root, grammar, comments, matchers: candidates(text) }
  })
  const [main] = trees
  const found = searches.candidates(text).filter((index) => texts.has(index))
  const isTrusted = (index: number): boolean => searches.all[index]?.trusted ?? false
  const run = (trusted: boolean): RuleHit[] => [
    ...trees.flatMap(({ root, grammar, matchers }) =>
      runMatchers(
        root,
        grammar,
        matchers.filter((matcher) => matcher.trusted === trusted),
      ),
    ),
    ...found
      .filter((index) => isTrusted(index) === trusted)
      .flatMap((index) => searches.run(index, lines, path, MAX_HITS + 1)),
  ]
  const broken = main && findBreak(main.root, main.grammar, text)
  const trustedHits = run(true)
  const comments =
    main === undefined
      ? findTextComments(lines, path, IGNORE_WORD)
      : findComments(main.root, text, main.comments)
  const toScan = (hits: readonly RuleHit[]): FileScan => ({
    hits: keepMostSevere(hits, searches.all).toSorted(byPlace),
    comments,
    ...optional({ broken }),
    ...(hits.length > MAX_HITS && { cut: true }),
    // A text that no compiler reads has no other meaning to miss.
    ...(main !== undefined && optional({ doubt })),
  })
  const isPlain = trees.every(({ matchers }) => matchers.every(({ trusted }) => trusted))
  if (isPlain && found.every(isTrusted)) return toScan(trustedHits)
  onPartial(toScan(trustedHits))
  return toScan([...trustedHits, ...run(false)])
}
