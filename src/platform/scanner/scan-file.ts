import type { Comment } from '../../gate/ports.ts'
import type { Matcher } from '../../gate/rules/rule.ts'
import { decodeText, parseText, type SgNode } from '../syntax/ast-grep.ts'
import { isGap } from './grammar-gaps.ts'
import { numberOf, type Ready, runProbes } from './matchers.ts'
import { findKinds, findNeedles, makeSieve } from './prefilter.ts'
import type { Needles } from './required-literals.ts'

/** A rule's matcher as the engine runs it. Rules with equal matchers share one. */
export interface Probe {
  readonly language: string
  readonly body: Matcher
  /** Variables the message asks for. */
  readonly variables: readonly string[]
  readonly trusted: boolean
  readonly words?: Needles
}

/** Which probes look at a file, for each grammar that has to read it. */
export interface Reading {
  readonly grammar: string
  readonly comments: readonly string[]
  readonly probes: readonly number[]
}

/** Probe, line, column, end line, end column (from 0), and what the variables stood for. */
export type Hit = readonly [
  number,
  number,
  number,
  number,
  number,
  Readonly<Record<string, string>> | undefined,
]

export interface Examined {
  readonly hits: readonly Hit[]
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

interface ReadyReading extends Reading {
  readonly probesReady: readonly Ready[]
  readonly sieve: (text: string) => number[]
}

const ready = (probes: readonly Probe[], index: number): Ready[] => {
  const probe = probes[index]
  if (probe === undefined) return []
  const simple = Object.keys(probe.body).length === 1
  return [{ ...probe, index, simple, kinds: findKinds((probe.body.rule ?? {}) as Matcher) }]
}

/** Prepares readings once for all files that share them. */
export const prepare = (readings: readonly Reading[], probes: readonly Probe[]): ReadyReading[] =>
  readings.map((reading) => {
    const probesReady = reading.probes.flatMap((index) => ready(probes, index))
    return {
      ...reading,
      probesReady,
      sieve: makeSieve(probesReady.map(({ body, language, words }) => words ?? findNeedles(body, language))),
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

const byPlace = (a: Hit, b: Hit): number => a[1] - b[1] || a[2] - b[2] || a[0] - b[0]

/**
 * Reads one file. Trusted rules come first, and `sofar` hears of them before the others start: a rule that never
 * comes back must not take along what the trusted ones had to say.
 */
export const examine = (
  bytes: Uint8Array,
  readings: readonly ReadyReading[],
  sofar: (examined: Examined) => void,
): Examined | 'binary' => {
  const text = decodeText(bytes)
  if (text === undefined) return 'binary'
  const trees = readings.map((reading) => {
    const root = parseText(reading.grammar, text)
    const probes = reading.sieve(text).flatMap((place) => reading.probesReady[place] ?? [])
    return { root, probes, reading }
  })
  const [main] = trees
  const run = (trusted: boolean): Hit[] =>
    trees.flatMap(({ root, probes, reading }) =>
      runProbes(
        root,
        reading.grammar,
        probes.filter((probe) => probe.trusted === trusted),
      ),
    )
  const broken = main && findBreak(main.root, main.reading.grammar, text)
  const first = run(true)
  const comments = main === undefined ? [] : findComments(main.root, text, main.reading.comments)
  const report = (hits: readonly Hit[]): Examined => ({
    hits: hits.toSorted(byPlace).slice(0, MAX_HITS),
    comments,
    ...(broken !== undefined && { broken }),
    ...(hits.length > MAX_HITS && { cut: true }),
  })
  if (trees.every(({ probes }) => probes.every(({ trusted }) => trusted))) return report(first)
  sofar(report(first))
  return report([...first, ...run(false)])
}
