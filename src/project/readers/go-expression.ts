import type { Expression } from '../source/source-unit.ts'
import { childrenOfKind, type SyntaxNode } from '../source/syntax-tree.ts'
import {
  calleeName,
  decodeEscapes,
  type ExpressionRule,
  type ExpressionSyntax,
  joinNames,
  joinParts,
} from './expression-reader.ts'
import { GO_CALLS } from './relevant-calls.ts'

const text = (value: string): Expression => ({ kind: 'text', text: value })

/** `fmt.Sprintf("http://%s/x", host)` as the parts that it joins. */
const formatted = (args: readonly Expression[]): Expression | undefined => {
  const [format, ...values] = args
  if (format?.kind !== 'text') return undefined
  const pieces = format.text.split(/%[-+#\d.]*[a-zA-Z]/)
  return joinParts(
    pieces.flatMap((piece, at) => {
      const value = values[at]
      return at < pieces.length - 1 && value !== undefined ? [text(piece), value] : [text(piece)]
    }),
  )
}

const literalEntries = (
  node: SyntaxNode,
  read: (one: SyntaxNode | undefined) => Expression,
): readonly (readonly [string, Expression])[] =>
  childrenOfKind(node, 'keyed_element').flatMap((one) => {
    const [key, value] = childrenOfKind(one, 'literal_element')
    if (key === undefined || value === undefined) return []
    return [[key.text().replace(/^"|"$/g, ''), read(value.children()[0] ?? value)] as const]
  })

const RULES: Readonly<Record<string, ExpressionRule>> = {
  interpreted_string_literal: (node) => text(decodeEscapes(node.text().slice(1, -1))),
  raw_string_literal: (node) => text(node.text().slice(1, -1)),
  int_literal: (node) => text(node.text()),
  identifier: (node) => ({ kind: 'name', name: node.text() }),
  literal_element: (node, read) => read(node.children()[0]),
  parenthesized_expression: (node, read) => read(node.children()[0]),
  unary_expression: (node, read) => read(node.field('operand')),
  selector_expression: (node, read) =>
    joinNames(read(node.field('operand')), node.field('field')?.text() ?? ''),
  binary_expression: (node, read) =>
    node.field('operator')?.text() === '+'
      ? joinParts([read(node.field('left')), read(node.field('right'))])
      : undefined,
  composite_literal: (node, read) => {
    const body = node.field('body')
    if (body === undefined) return undefined
    const entries = literalEntries(body, read)
    if (entries.length > 0) return { kind: 'record', entries: new Map(entries) }
    return { kind: 'list', items: childrenOfKind(body, 'literal_element').map(read) }
  },
  call_expression: (node, read) => {
    const callee = node.field('function')
    const args = (node.field('arguments')?.children() ?? [])
      .filter(({ kind }) => kind !== 'comment')
      .map(read)
    const member = callee?.kind === 'selector_expression'
    const name = calleeName(callee, 'selector_expression', 'field')
    if (name === 'Sprintf') return formatted(args)
    if ((name === 'Getenv' || name === 'MustGetenv') && args[0]?.kind === 'text')
      return text(`\${${args[0].text}}`)
    return {
      kind: 'call',
      call: {
        ...(member && { receiver: read(callee.field('operand')) }),
        name,
        makes: false,
        args,
        line: (member ? callee.field('field')?.line : undefined) ?? node.line,
      },
    }
  },
}

export const GO: ExpressionSyntax = {
  rule: (node, read) => RULES[node.kind]?.(node, read),
  names: GO_CALLS,
  nameOf: (node) => calleeName(node.field('function'), 'selector_expression', 'field'),
}
