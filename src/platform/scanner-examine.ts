import type { Comment } from '../gate/ports.ts'
import type { Matcher } from '../gate/rule.ts'
import { findKinds, findNeedles, makeSieve } from './scanner-needles.ts'
import type { Needles } from './scanner-regex.ts'
import { decodeText, parseText, type SgNode } from './syntax.ts'

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
const MAX_VARIABLE = 80
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

const breaks = (text: string): readonly Matcher[] =>
  addsUp(text) ? [{ kind: 'ERROR' }] : [{ kind: 'ERROR' }, text.length > SHALLOW ? MISSING_DEEP : MISSING]

interface Ready extends Probe {
  readonly index: number
  readonly kinds: readonly string[] | undefined
  /** A part of a larger rule: nothing of its own goes beside `rule`. */
  readonly simple: boolean
}

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

const variablesOf = (
  node: SgNode,
  names: readonly string[],
): Readonly<Record<string, string>> | undefined => {
  if (names.length === 0) return undefined
  const texts = names.map((name) => [name, (node.getMatch(name)?.text() ?? '').slice(0, MAX_VARIABLE)])
  return Object.fromEntries(texts)
}

const hitOf = (probe: Ready, node: SgNode): Hit => {
  const { start, end } = node.range()
  return [probe.index, start.line, start.column, end.line, end.column, variablesOf(node, probe.variables)]
}

/** Which of the nodes that some rule matched are this rule's. */
const ownHits = (root: SgNode, probe: Ready, nodes: readonly SgNode[]): Hit[] => {
  const config = probe.body as never
  const possible =
    probe.kinds === undefined ? nodes : nodes.filter((node) => probe.kinds?.includes(String(node.kind())))
  if (possible.length === 0) return []
  // Asking a node compiles the rule anew; asking the tree compiles it once and walks.
  const mine =
    possible.length <= 3 && probe.variables.length === 0
      ? possible.filter((node) => node.matches(config))
      : root.findAll(config)
  return mine.map((node) => hitOf(probe, node))
}

/** All simple rules go through the tree as one; whoever of them matched is then found out. */
const runProbes = (root: SgNode, probes: readonly Ready[], extra: readonly Matcher[]) => {
  const simple = probes.filter((probe) => probe.simple)
  const joined = [...extra, ...simple.map(({ body }) => body.rule)]
  const nodes = joined.length === 0 ? [] : root.findAll({ rule: { any: joined } } as never)
  const hits = [
    ...simple.flatMap((probe) => ownHits(root, probe, nodes)),
    ...probes
      .filter((probe) => !probe.simple)
      .flatMap((probe) => root.findAll(probe.body as never).map((node) => hitOf(probe, node))),
  ]
  return { nodes, hits }
}

const firstBreak = (nodes: readonly SgNode[]): readonly [number, number] | undefined => {
  const node = nodes.find((one) => one.kind() === 'ERROR' || isMissing(one))
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
  const passes = trees.map(({ root, probes }, place) =>
    runProbes(
      root,
      probes.filter(({ trusted }) => trusted),
      place === 0 ? breaks(text) : [],
    ),
  )
  const broken = firstBreak(passes[0]?.nodes ?? [])
  const comments = main === undefined ? [] : findComments(main.root, text, main.reading.comments)
  const report = (hits: readonly Hit[]): Examined => ({
    hits: hits.toSorted(byPlace).slice(0, MAX_HITS),
    comments,
    ...(broken !== undefined && { broken }),
    ...(hits.length > MAX_HITS && { cut: true }),
  })
  const first = passes.flatMap(({ hits }) => hits)
  const guests = trees.map(({ root, probes }) => ({ root, probes: probes.filter(({ trusted }) => !trusted) }))
  if (guests.every(({ probes }) => probes.length === 0)) return report(first)
  sofar(report(first))
  return report([...first, ...guests.flatMap(({ root, probes }) => runProbes(root, probes, []).hits)])
}
