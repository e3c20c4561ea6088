import { isRecord } from '../../kernel/encoding/json.ts'
import { pushTo } from '../../kernel/multimap.ts'
import { kindNumber, type SgNode } from '../syntax/ast-grep.ts'
import type { RuleHit, SyntaxSpec } from './scan-file.ts'

const MAX_VARIABLE_CHARS = 80

/** A matcher that is ready to run. */
export interface PreparedMatcher extends SyntaxSpec {
  readonly index: number
  readonly kinds: readonly string[] | undefined
  /** Matchers of one group can be branches of one `any`; undefined for a matcher that runs alone. */
  readonly group: number | undefined
}

/** Utilities by name, as text. */
type Utilities = Map<string, string>

/** Shipped rules have most of their utilities in common. */
const texts = new WeakMap<object, string>()

const textOf = (utility: unknown): string => {
  if (!isRecord(utility)) return JSON.stringify(utility)
  const known = texts.get(utility) ?? JSON.stringify(utility)
  texts.set(utility, known)
  return known
}

/**
 * Puts a matcher in the first group whose utilities of the same names are equal. A matcher with more than a rule and
 * utilities runs alone, and so does one of the repository with utilities.
 */
export const groupOf = ({ body, trusted }: SyntaxSpec, groups: Utilities[]): number | undefined => {
  const { rule: _, utils, ...rest } = body
  if (Object.keys(rest).length > 0 || (!trusted && 'utils' in body)) return undefined
  const own = Object.entries(isRecord(utils) ? utils : {}).map(
    ([name, util]) => [name, textOf(util)] as const,
  )
  const isFree = (group: Utilities) => own.every(([name, text]) => (group.get(name) ?? text) === text)
  const found = groups.findIndex(isFree)
  const at = found === -1 ? groups.push(new Map()) - 1 : found
  for (const [name, text] of own) groups[at]?.set(name, text)
  return at
}

const variablesOf = (
  node: SgNode,
  names: readonly string[],
): Readonly<Record<string, string>> | undefined => {
  if (names.length === 0) return undefined
  const texts = names.map((name) => [name, (node.getMatch(name)?.text() ?? '').slice(0, MAX_VARIABLE_CHARS)])
  return Object.fromEntries(texts)
}

/** Declarations that have a name, and values that get theirs from what they are assigned to. */
const DECLARATION =
  /^(?:class|interface|internal_module|module)$|(?:function|method|class|interface|constructor|enum|record|object|protocol|init|type)_(?:declaration|definition|spec)$/
const ASSIGNMENT =
  /(?:declarator|var_spec|field_definition|property_declaration|assignment|assignment_expression|^pair)$/
const FUNCTION_VALUE = /function|lambda|closure|func_literal/
const NAME_KINDS = new Set(['simple_identifier', 'type_identifier'])
const MAX_WITHIN_CHARS = 120

const nameOf = (node: SgNode): string =>
  (
    node.field('name') ??
    node.field('key') ??
    node.field('left') ??
    node.children().find((child) => NAME_KINDS.has(String(child.kind())))
  )?.text() ?? ''

/** The names of the declarations around a node, outermost first: `Account.withdraw`. Empty at the top of a file. */
const namesAround = (node: SgNode): string => {
  const names: string[] = []
  let isValue = false
  for (let around = node.parent(); around !== null; around = around.parent()) {
    const kind = String(around.kind())
    if (DECLARATION.test(kind) || (isValue && ASSIGNMENT.test(kind))) {
      names.unshift(nameOf(around))
      isValue = false
    } else if (FUNCTION_VALUE.test(kind)) isValue = true
  }
  return names.join('.').slice(-MAX_WITHIN_CHARS)
}

const toHit = (matcher: PreparedMatcher, node: SgNode): RuleHit => {
  const { start, end } = node.range()
  const place = [matcher.index, start.line, start.column, end.line, end.column] as const
  return [...place, variablesOf(node, matcher.variables), namesAround(node)]
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
  const config = matcher.body
  // `node.matches` compiles the rule at each call; `root.findAll` compiles it once and walks the tree.
  const matched =
    nodes.length <= 3 && matcher.variables.length === 0
      ? nodes.filter((node) => node.matches(config))
      : root.findAll(config)
  return matched.map((node) => toHit(matcher, node))
}

/** Runs the matchers of a group as one `any`; where several could have matched a node, each is run again. */
const runGroup = (root: SgNode, matchers: readonly PreparedMatcher[]): RuleHit[] => {
  const hits: RuleHit[] = []
  const ambiguous = new Map<PreparedMatcher, SgNode[]>()
  const any = matchers.map(({ body }) => body.rule)
  const utils: object = Object.assign({}, ...matchers.map(({ body }) => body.utils))
  for (const node of root.findAll({ rule: { any }, utils })) {
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
  const groups = new Map<number | PreparedMatcher, PreparedMatcher[]>()
  for (const matcher of matchers) {
    const { kinds, group } = matcher
    if (kinds === undefined || kinds.some(hasKind)) pushTo(groups, group ?? matcher, matcher)
  }
  return [...groups].flatMap(([key, together]) =>
    typeof key === 'number'
      ? runGroup(root, together)
      : root.findAll(key.body).map((node) => toHit(key, node)),
  )
}
