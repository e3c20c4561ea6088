import { childOfKind, type SyntaxNode } from '../../kernel/syntax-tree.ts'
import { type CallExpression, type Expression, textExpression } from '../source/source-unit.ts'
import type { RelevantCalls } from './relevant-calls.ts'

const MAX_DEPTH = 100
const MAX_ANCESTORS = 60

const OTHER: Expression = { kind: 'other', text: '' }

export type ReadNode = (node: SyntaxNode | undefined) => Expression

/** Translates a node of one language into an expression; undefined for other nodes. */
export type ExpressionRule = (node: SyntaxNode, read: ReadNode) => Expression | undefined

/** The expressions of one language. */
export interface ExpressionSyntax {
  readonly rule: ExpressionRule
  /** The calls that are read; all others are skipped. */
  readonly names: RelevantCalls
  /** The kinds of their nodes. */
  readonly callKinds: readonly string[]
  /** The called name, without reading receiver and arguments. */
  readonly nameOf: (call: SyntaxNode) => string
}

/**
 * Reads the expressions of one file. Nodes are memoized and the depth is bounded, so that a chain of ten thousand
 * calls takes linear time and does not overflow the stack.
 */
export class ExpressionReader {
  readonly #syntax: ExpressionSyntax
  readonly #memo = new Map<number, Expression>()
  #depth = 0

  constructor(syntax: ExpressionSyntax) {
    this.#syntax = syntax
  }

  readonly read = (node: SyntaxNode | undefined): Expression => {
    if (node === undefined) return OTHER
    const { id } = node
    const memoized = this.#memo.get(id)
    if (memoized !== undefined) return memoized
    if (this.#depth >= MAX_DEPTH) return OTHER
    this.#depth += 1
    const found = this.#syntax.rule(node, this.read) ?? OTHER
    this.#depth -= 1
    this.#memo.set(id, found)
    return found
  }

  /** The relevant calls in a node, whose text is prefiltered: that is a hundred times cheaper than a search of the tree. */
  callsIn(node: SyntaxNode | undefined, text = node?.text() ?? ''): readonly CallExpression[] {
    const { names, callKinds } = this.#syntax
    return node !== undefined && names.within.test(text) ? this.calls(node.descend(callKinds)) : []
  }

  /** The relevant calls among these nodes, in source order. */
  calls(nodes: readonly SyntaxNode[]): readonly CallExpression[] {
    const { names, nameOf } = this.#syntax
    return nodes.flatMap((node) => {
      if (!names.exactly.test(nameOf(node))) return []
      const found = this.read(node)
      if (found.kind !== 'call') return []
      return names.nested.test(found.call.name)
        ? [{ ...found.call, within: this.#enclosingCalls(node, found.call) }]
        : [found.call]
    })
  }

  /** The calls in whose arguments a call stands. Those that are chained on it do not enclose it. */
  #enclosingCalls(node: SyntaxNode, inner: CallExpression): readonly CallExpression[] {
    const calls: CallExpression[] = []
    let below = inner
    let at = node.parent()
    for (let step = 0; at !== undefined && step < MAX_ANCESTORS; step += 1, at = at.parent()) {
      const found = this.read(at)
      // Kotlin: a call with a lambda behind its arguments is two nodes, and one call.
      if (found.kind !== 'call' || found.call === below) continue
      const { receiver } = found.call
      if (receiver?.kind !== 'call' || receiver.call !== below) calls.push(found.call)
      below = found.call
    }
    return calls
  }
}

/** The children of a node without its comments. */
export const codeChildren = (node: SyntaxNode | undefined): readonly SyntaxNode[] =>
  (node?.children() ?? []).filter(({ kind }) => !kind.endsWith('comment'))

/** The member of `a.b` in Kotlin and Swift. */
export const navigatedName = (node: SyntaxNode | undefined): string =>
  childOfKind(childOfKind(node, 'navigation_suffix'), 'simple_identifier')?.text() ?? ''

/** The parts of a string literal with templates in it; empty when it has none. */
export const joinChildren: ExpressionRule = (node, read) =>
  joinParts(node.children().length === 0 ? [textExpression('')] : node.children().map(read))

/** The value of a node that only wraps another one. */
export const firstChild: ExpressionRule = (node, read) => read(node.children()[0])

export const nodeText: ExpressionRule = (node) => textExpression(node.text())

export const nodeName: ExpressionRule = (node) => ({ kind: 'name', name: node.text() })

export const thisName: ExpressionRule = () => ({ kind: 'name', name: 'this' })

export const escapedText: ExpressionRule = (node) => textExpression(decodeEscapes(node.text()))

/** The name of a called function; of a member, the name of the member. */
export const calleeName = (callee: SyntaxNode | undefined, memberKind: string, nameField: string): string =>
  (callee?.kind === memberKind ? callee.field(nameField) : callee)?.text().slice(0, 100) ?? ''

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  s: ' ',
  '0': '\0',
}

/** Decodes the escape sequences of a string literal, given without quotes. */
export const decodeEscapes = (text: string): string =>
  text.replace(/\\(u+[0-9a-fA-F]{4}|\r?\n|[\s\S])/g, (_, code: string) => {
    if (code.startsWith('u') && code.length > 1)
      return String.fromCharCode(Number.parseInt(code.slice(-4), 16))
    if (code.endsWith('\n')) return ''
    return ESCAPES[code] ?? code
  })

/** Concatenates parts. Adjacent texts are merged; a single part is returned as it is. */
export const joinParts = (parts: readonly Expression[]): Expression => {
  const flat = parts.flatMap((part) => (part.kind === 'join' ? part.parts : [part]))
  const merged: Expression[] = []
  for (const part of flat) {
    const last = merged.at(-1)
    if (part.kind === 'text' && last?.kind === 'text')
      merged[merged.length - 1] = textExpression(last.text + part.text)
    else merged.push(part)
  }
  const [only] = merged
  return merged.length === 1 && only !== undefined ? only : { kind: 'join', parts: merged }
}

/** `a.b` from `a` and `b`; `this.b` is `b`. */
export const joinNames = (object: Expression, member: string): Expression | undefined => {
  if (object.kind !== 'name') return undefined
  return { kind: 'name', name: object.name === 'this' ? member : `${object.name}.${member}` }
}
