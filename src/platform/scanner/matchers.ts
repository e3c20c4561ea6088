import { kindNumber, type SgNode } from '../syntax/ast-grep.ts'
import type { MatcherSpec, RuleHit } from './scan-file.ts'

const MAX_VARIABLE = 80

/** A probe that is ready to run. */
export interface PreparedMatcher extends MatcherSpec {
  readonly index: number
  readonly kinds: readonly string[] | undefined
  /** A part of a larger rule: nothing of its own goes beside `rule`. */
  readonly simple: boolean
}

const variablesOf = (
  node: SgNode,
  names: readonly string[],
): Readonly<Record<string, string>> | undefined => {
  if (names.length === 0) return undefined
  const texts = names.map((name) => [name, (node.getMatch(name)?.text() ?? '').slice(0, MAX_VARIABLE)])
  return Object.fromEntries(texts)
}

const hitOf = (matcher: PreparedMatcher, node: SgNode): RuleHit => {
  const { start, end } = node.range()
  return [matcher.index, start.line, start.column, end.line, end.column, variablesOf(node, matcher.variables)]
}

/** Numbers of kinds, by grammar and name: asking for one by its name costs as much as looking for it. */
const numbers = new Map<string, number | undefined>()

export const numberOf = (grammar: string, kind: string): number | undefined => {
  const key = `${grammar} ${kind}`
  if (!numbers.has(key)) numbers.set(key, kindNumber(grammar, kind))
  return numbers.get(key)
}

/** Whether a tree has nodes of a kind. Where nobody knows the kind, it may. */
const kindFinder = (root: SgNode, grammar: string): ((kind: string) => boolean) => {
  const known = new Map<string, boolean>()
  return (kind) => {
    const number = numberOf(grammar, kind)
    const there = known.get(kind) ?? (number === undefined || root.find(number) !== null)
    known.set(kind, there)
    return there
  }
}

const mayMatch = ({ kinds }: PreparedMatcher, kind: string): boolean =>
  kinds === undefined || kinds.includes(kind)

/** Which of the nodes that some rule matched are this rule's. */
const ownHits = (root: SgNode, matcher: PreparedMatcher, nodes: readonly SgNode[]): RuleHit[] => {
  const config = matcher.body as never
  // Asking a node compiles the rule anew; asking the tree compiles it once and walks.
  const mine =
    nodes.length <= 3 && matcher.variables.length === 0
      ? nodes.filter((node) => node.matches(config))
      : root.findAll(config)
  return mine.map((node) => hitOf(matcher, node))
}

/** All simple rules go through the tree as one; where several may have matched, each is asked. */
const runSimple = (root: SgNode, matchers: readonly PreparedMatcher[]): RuleHit[] => {
  if (matchers.length === 0) return []
  const hits: RuleHit[] = []
  const unclear = new Map<PreparedMatcher, SgNode[]>()
  for (const node of root.findAll({ rule: { any: matchers.map(({ body }) => body.rule) } } as never)) {
    const kind = String(node.kind())
    const able = matchers.filter((matcher) => mayMatch(matcher, kind))
    const [only] = able
    if (only !== undefined && able.length === 1) hits.push(hitOf(only, node))
    else for (const matcher of able) unclear.set(matcher, [...(unclear.get(matcher) ?? []), node])
  }
  return [...hits, ...[...unclear].flatMap(([matcher, nodes]) => ownHits(root, matcher, nodes))]
}

/**
 * A rule is compiled for every tree it is asked of, which costs more than the walk: one whose kinds of node are not
 * in the tree is not asked.
 */
export const runMatchers = (
  root: SgNode,
  grammar: string,
  matchers: readonly PreparedMatcher[],
): RuleHit[] => {
  const isThere = kindFinder(root, grammar)
  const able = matchers.filter(({ kinds }) => kinds === undefined || kinds.some(isThere))
  return [
    ...runSimple(
      root,
      able.filter(({ simple }) => simple),
    ),
    ...able
      .filter(({ simple }) => !simple)
      .flatMap((matcher) => root.findAll(matcher.body as never).map((node) => hitOf(matcher, node))),
  ]
}
