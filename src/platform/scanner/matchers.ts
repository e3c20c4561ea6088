import { pushTo } from '../../kernel/multimap.ts'
import { kindNumber, type SgNode } from '../syntax/ast-grep.ts'
import type { RuleHit, SyntaxSpec } from './scan-file.ts'

const MAX_VARIABLE_CHARS = 80

/** A matcher that is ready to run. */
export interface PreparedMatcher extends SyntaxSpec {
  readonly index: number
  readonly kinds: readonly string[] | undefined
  /** True when the body has only `rule`, so that it can be one branch of an `any`. */
  readonly simple: boolean
}

const variablesOf = (
  node: SgNode,
  names: readonly string[],
): Readonly<Record<string, string>> | undefined => {
  if (names.length === 0) return undefined
  const texts = names.map((name) => [name, (node.getMatch(name)?.text() ?? '').slice(0, MAX_VARIABLE_CHARS)])
  return Object.fromEntries(texts)
}

const toHit = (matcher: PreparedMatcher, node: SgNode): RuleHit => {
  const { start, end } = node.range()
  return [matcher.index, start.line, start.column, end.line, end.column, variablesOf(node, matcher.variables)]
}

/** Kind numbers by grammar and name: a lookup by name costs as much as a search in the tree. */
const numbers = new Map<string, number | undefined>()

export const cachedKindNumber = (grammar: string, kind: string): number | undefined => {
  const key = `${grammar} ${kind}`
  if (!numbers.has(key)) numbers.set(key, kindNumber(grammar, kind))
  return numbers.get(key)
}

/** Whether a tree has nodes of a kind; true for kinds that the grammar does not know. */
const kindFinder = (root: SgNode, grammar: string): ((kind: string) => boolean) => {
  const known = new Map<string, boolean>()
  return (kind) => {
    const number = cachedKindNumber(grammar, kind)
    const found = known.get(kind) ?? (number === undefined || root.find(number) !== null)
    known.set(kind, found)
    return found
  }
}

const mayMatch = ({ kinds }: PreparedMatcher, kind: string): boolean =>
  kinds === undefined || kinds.includes(kind)

/** Which of the candidate nodes this matcher matches. */
const hitsAmong = (root: SgNode, matcher: PreparedMatcher, nodes: readonly SgNode[]): RuleHit[] => {
  const config = matcher.body as never
  // `node.matches` compiles the rule at each call; `root.findAll` compiles it once and walks the tree.
  const matched =
    nodes.length <= 3 && matcher.variables.length === 0
      ? nodes.filter((node) => node.matches(config))
      : root.findAll(config)
  return matched.map((node) => toHit(matcher, node))
}

/** Runs all simple matchers as one `any`; where several could have matched a node, each is run again. */
const runSimple = (root: SgNode, matchers: readonly PreparedMatcher[]): RuleHit[] => {
  if (matchers.length === 0) return []
  const hits: RuleHit[] = []
  const ambiguous = new Map<PreparedMatcher, SgNode[]>()
  for (const node of root.findAll({ rule: { any: matchers.map(({ body }) => body.rule) } } as never)) {
    const kind = String(node.kind())
    const candidates = matchers.filter((matcher) => mayMatch(matcher, kind))
    const [only] = candidates
    if (only !== undefined && candidates.length === 1) hits.push(toHit(only, node))
    else for (const matcher of candidates) pushTo(ambiguous, matcher, node)
  }
  return [...hits, ...[...ambiguous].flatMap(([matcher, nodes]) => hitsAmong(root, matcher, nodes))]
}

/**
 * ast-grep compiles a rule for every tree, which costs more than the walk: matchers whose node kinds are not in the
 * tree are skipped.
 */
export const runMatchers = (
  root: SgNode,
  grammar: string,
  matchers: readonly PreparedMatcher[],
): RuleHit[] => {
  const hasKind = kindFinder(root, grammar)
  const candidates = matchers.filter(({ kinds }) => kinds === undefined || kinds.some(hasKind))
  return [
    ...runSimple(
      root,
      candidates.filter(({ simple }) => simple),
    ),
    ...candidates
      .filter(({ simple }) => !simple)
      .flatMap((matcher) => root.findAll(matcher.body as never).map((node) => toHit(matcher, node))),
  ]
}
