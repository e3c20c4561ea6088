import type { NapiConfig } from '@ast-grep/napi'
import type { SyntaxNode, SyntaxParser } from '../../kernel/syntax-tree.ts'
import { parseLines, type SgNode } from './ast-grep.ts'
import { missingGrammar } from './grammar-packages.ts'

const rules = new WeakMap<readonly string[], NapiConfig>()

/** Callers pass constant lists, so each list becomes a rule once. */
const kindRule = (kinds: readonly string[]): NapiConfig => {
  const known = rules.get(kinds)
  if (known !== undefined) return known
  const rule: NapiConfig = { rule: { any: kinds.map((kind) => ({ kind })) } }
  rules.set(kinds, rule)
  return rule
}

/** Adapts a native node to the port. Values are cached, because each call into native code is slow. */
class TreeNode implements SyntaxNode {
  readonly #node: SgNode
  #lines: { readonly first: number; readonly last: number } | undefined
  #children: readonly SyntaxNode[] | undefined
  #kind: string | undefined

  constructor(node: SgNode) {
    this.#node = node
  }

  get id(): number {
    return this.#node.id()
  }

  get kind(): string {
    this.#kind ??= String(this.#node.kind())
    return this.#kind
  }

  get line(): number {
    return this.#range().first
  }

  get lastLine(): number {
    return this.#range().last
  }

  #range() {
    if (this.#lines === undefined) {
      const { start, end } = this.#node.range()
      this.#lines = { first: start.line + 1, last: end.line + 1 }
    }
    return this.#lines
  }

  text(): string {
    return this.#node.text()
  }

  field(name: string): SyntaxNode | undefined {
    return wrap(this.#node.field(name))
  }

  children(): readonly SyntaxNode[] {
    this.#children ??= this.#node.namedChildren().map((node) => new TreeNode(node))
    return this.#children
  }

  words(): readonly string[] {
    return this.#node
      .children()
      .filter((node) => !node.isNamed())
      .map((node) => String(node.kind()))
  }

  descend(kinds: readonly string[]): readonly SyntaxNode[] {
    return this.#node.findAll(kindRule(kinds)).map((node) => new TreeNode(node))
  }

  leaves(regex: string): readonly SyntaxNode[] {
    return this.#node
      .findAll({ rule: { regex } })
      .filter((node) => node.children().length === 0)
      .map((node) => new TreeNode(node))
  }

  parent(): SyntaxNode | undefined {
    return wrap(this.#node.parent())
  }
}

const wrap = (node: SgNode | null): SyntaxNode | undefined => (node === null ? undefined : new TreeNode(node))

export const syntaxTrees = (): SyntaxParser => ({
  parse: (grammar, text) => new TreeNode(parseLines(grammar, text)),
  missing: missingGrammar,
})
