import type { Comment } from '../../gate/ports.ts'
import type { Matcher } from '../../gate/rules/rule.ts'
import { decodeSource } from '../../kernel/text/decode.ts'
import type { LanguageName } from '../../kernel/text/languages.ts'
import { parseText, type SgNode } from '../syntax/ast-grep.ts'
import { isGap } from './grammar-gaps.ts'
import { numberOf, type PreparedMatcher, runMatchers } from './matchers.ts'
import { findKinds, makePrefilter, requiredLiterals } from './prefilter.ts'
import type { RequiredLiterals } from './required-literals.ts'

/** A rule's matcher as the engine runs it. Rules with equal matchers share one. */
export interface MatcherSpec {
  readonly language: LanguageName
  readonly body: Matcher
  /** Variables the message asks for. */
  readonly variables: readonly string[]
  readonly trusted: boolean
  readonly words?: RequiredLiterals
}

/** Which probes look at a file, for each grammar that has to read it. */
export interface GrammarPass {
  readonly grammar: string
  readonly comments: readonly string[]
  readonly probes: readonly number[]
}

/** Probe, line, column, end line, end column (from 0), and what the variables stood for. */
export type RuleHit = readonly [
  number,
  number,
  number,
  number,
  number,
  Readonly<Record<string, string>> | undefined,
]

export interface FileScan {
  readonly hits: readonly RuleHit[]
  readonly comments: readonly Comment[]
  readonly broken?: readonly [line: number, column: number]
  readonly cut?: boolean
}

export const IGNORE_WORD = 'warrant-ignore'
export const MAX_HITS = 10_000
// Looking at the text of every node is fastest, but quadratic in the depth of the tree.
const SHALLOW = 32_768
const MISSING = { regex: '^$' }
const MISSING_DEEP = { all: [{ not: { has: { pattern: '$$_' } } }, MISSING] }

/**
 * Where the parser puts in a token that is not there, it is nearly always a bracket; looking for such tokens is worth
 * it only when brackets do not add up. Anything else that does not parse shows as an error in the tree.
 */
const addsUp = (text: string): boolean => {
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

interface ReadyReading extends GrammarPass {
  readonly probesReady: readonly PreparedMatcher[]
  readonly sieve: (text: string) => number[]
}

const ready = (matchers: readonly MatcherSpec[], index: number): PreparedMatcher[] => {
  const matcher = matchers[index]
  if (matcher === undefined) return []
  const simple = Object.keys(matcher.body).length === 1
  return [{ ...matcher, index, simple, kinds: findKinds((matcher.body.rule ?? {}) as Matcher) }]
}

/** Prepares readings once for all files that share them. */
export const prepare = (readings: readonly GrammarPass[], matchers: readonly MatcherSpec[]): ReadyReading[] =>
  readings.map((reading) => {
    const probesReady = reading.probes.flatMap((index) => ready(matchers, index))
    return {
      ...reading,
      probesReady,
      sieve: makePrefilter(
        probesReady.map(({ body, language, words }) => words ?? requiredLiterals(body, language)),
      ),
    }
  })

const isMissing = (node: SgNode): boolean =>
  (!node.isNamed() || String(node.kind()).endsWith('identifier')) && node.text() === ''

/** Where the text does not parse, first. */
const findBreak = (root: SgNode, grammar: string, text: string): readonly [number, number] | undefined => {
  const error = numberOf(grammar, ERROR)
  const missing = text.length > SHALLOW ? MISSING_DEEP : MISSING
  const nodes =
    error !== undefined && addsUp(text)
      ? root.findAll(error)
      : root.findAll({ rule: { any: [{ kind: ERROR }, missing] } } as never)
  const node = nodes.find((one) => (one.kind() === ERROR ? !isGap(one) : isMissing(one)))
  if (node === undefined) return undefined
  const { line, column } = node.range().start
  return [line, column]
}

const findComments = (root: SgNode, text: string, kinds: readonly string[]): Comment[] => {
  if (!text.includes(IGNORE_WORD) || kinds.length === 0) return []
  const nodes = root.findAll({ rule: { any: kinds.map((kind) => ({ kind })) } } as never)
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

const byPlace = (a: RuleHit, b: RuleHit): number => a[1] - b[1] || a[2] - b[2] || a[0] - b[0]

/**
 * Reads one file. Trusted rules come first, and `sofar` hears of them before the others start: a rule that never
 * comes back must not take along what the trusted ones had to say.
 */
export const scanFile = (
  bytes: Uint8Array,
  readings: readonly ReadyReading[],
  sofar: (examined: FileScan) => void,
): FileScan | 'binary' => {
  const text = decodeSource(bytes)
  if (text === undefined) return 'binary'
  const trees = readings.map((reading) => {
    const root = parseText(reading.grammar, text)
    const matchers = reading.sieve(text).flatMap((place) => reading.probesReady[place] ?? [])
    return { root, probes: matchers, reading }
  })
  const [main] = trees
  const run = (trusted: boolean): RuleHit[] =>
    trees.flatMap(({ root, probes: matchers, reading }) =>
      runMatchers(
        root,
        reading.grammar,
        matchers.filter((matcher) => matcher.trusted === trusted),
      ),
    )
  const broken = main && findBreak(main.root, main.reading.grammar, text)
  const first = run(true)
  const comments = main === undefined ? [] : findComments(main.root, text, main.reading.comments)
  const report = (hits: readonly RuleHit[]): FileScan => ({
    hits: hits.toSorted(byPlace).slice(0, MAX_HITS),
    comments,
    ...(broken !== undefined && { broken }),
    ...(hits.length > MAX_HITS && { cut: true }),
  })
  if (trees.every(({ probes: matchers }) => matchers.every(({ trusted }) => trusted))) return report(first)
  sofar(report(first))
  return report([...first, ...run(false)])
}
