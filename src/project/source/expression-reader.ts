import type { RelevantCalls } from './relevant-calls.ts'
import type { CallExpression, Expression } from './source-unit.ts'
import type { SyntaxNode } from './syntax-tree.ts'

const MAX_DEPTH = 100
/** Calls whose place inside other calls matters: routes are nested in their prefixes. */
const NESTED = /^(GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS)$/
const MAX_CLIMB = 60

const OTHER: Expression = { kind: 'other', text: '' }

/** How one language spells what an expression can be. Undefined: none of these. */
export type ExpressionRule = (
  node: SyntaxNode,
  read: (node: SyntaxNode | undefined) => Expression,
) => Expression | undefined

/** How one language is read. */
export interface ExpressionSyntax {
  readonly rule: ExpressionRule
  /** Calls worth reading. */
  readonly names: RelevantCalls
  /** The name of what a node of a call calls, without reading the rest of it. */
  readonly nameOf: (call: SyntaxNode) => string
}

/**
 * Reads expressions of one file. Each node is read once, and never deeper than a bound: a chain of ten thousand
 * calls must cost ten thousand steps, not their square, and no stack.
 */
export class ExpressionReader {
  readonly #rule: ExpressionRule
  readonly #names: RelevantCalls
  readonly #nameOf: (call: SyntaxNode) => string
  readonly #known = new Map<number, Expression>()
  #depth = 0

  constructor({ rule, names, nameOf }: ExpressionSyntax) {
    this.#rule = rule
    this.#names = names
    this.#nameOf = nameOf
  }

  readonly read = (node: SyntaxNode | undefined): Expression => {
    if (node === undefined) return OTHER
    const { id } = node
    const known = this.#known.get(id)
    if (known !== undefined) return known
    if (this.#depth >= MAX_DEPTH) return OTHER
    this.#depth += 1
    const found = this.#rule(node, this.read) ?? OTHER
    this.#depth -= 1
    this.#known.set(id, found)
    return found
  }

  /** The calls among these nodes that matter, in the order of the text. */
  calls(nodes: readonly SyntaxNode[]): readonly CallExpression[] {
    return nodes.flatMap((node) => {
      if (!this.#names.exactly.test(this.#nameOf(node))) return []
      const found = this.read(node)
      if (found.kind !== 'call') return []
      return NESTED.test(found.call.name) ? [{ ...found.call, within: this.#around(node) }] : [found.call]
    })
  }

  #around(node: SyntaxNode): readonly CallExpression[] {
    const around: CallExpression[] = []
    let at = node.parent()
    for (let step = 0; at !== undefined && step < MAX_CLIMB; step += 1, at = at.parent()) {
      const found = this.read(at)
      if (found.kind === 'call') around.push(found.call)
    }
    return around
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  b: '\b',
  f: '\f',
  s: ' ',
  '0': '\0',
}

/** What a literal's text stands for, without its quotes. */
export const decodeEscapes = (text: string): string =>
  text.replace(/\\(u+[0-9a-fA-F]{4}|\r?\n|[\s\S])/g, (_, code: string) => {
    if (code.startsWith('u') && code.length > 1)
      return String.fromCharCode(Number.parseInt(code.slice(-4), 16))
    if (code.endsWith('\n')) return ''
    return ESCAPES[code] ?? code
  })

/** Neighbouring texts become one; a single part stands for itself. */
export const joinParts = (parts: readonly Expression[]): Expression => {
  const flat = parts.flatMap((part) => (part.kind === 'join' ? part.parts : [part]))
  const merged: Expression[] = []
  for (const part of flat) {
    const last = merged.at(-1)
    if (part.kind === 'text' && last?.kind === 'text')
      merged[merged.length - 1] = { kind: 'text', text: last.text + part.text }
    else merged.push(part)
  }
  const [only] = merged
  return merged.length === 1 && only !== undefined ? only : { kind: 'join', parts: merged }
}

/** `a.b` from `a` and `b`; what belongs to `this` is known by its own name. */
export const joinNames = (object: Expression, member: string): Expression | undefined => {
  if (object.kind !== 'name') return undefined
  return { kind: 'name', name: object.name === 'this' ? member : `${object.name}.${member}` }
}
