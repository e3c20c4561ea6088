import { childrenOfKind, type SyntaxNode } from '../../kernel/syntax-tree.ts'
import type { Expression } from '../source/source-unit.ts'
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

/** The first argument is the name of an environment variable, the second one its default. */
const READS_ENVIRONMENT =
  /^(must|get|lookup|read|load|fetch)?_?(get)?_?env(ironment)?_?(or|with|var|variable|value|string|str|default|fallback)*_?(else|default|fallback)?$/i
const VARIABLE_NAME = /^[A-Z][A-Z0-9_]*$/

/** `os.Getenv("X")` is `${X}`; `getEnv("X", "y")` is `${X:y}`. */
const environment = (name: string, [first, second]: readonly Expression[]): Expression | undefined => {
  if (first?.kind !== 'text' || !VARIABLE_NAME.test(first.text) || !READS_ENVIRONMENT.test(name))
    return undefined
  return second?.kind === 'text' || second?.kind === 'name'
    ? joinParts([text(`\${${first.text}:`), second, text('}')])
    : text(`\${${first.text}}`)
}

/** `flag.String("addr", "localhost:9092", "usage")` is `${-addr:localhost:9092}`. */
const flagDefault = (
  owner: SyntaxNode | undefined,
  name: string,
  [flag, value]: readonly Expression[],
): Expression | undefined =>
  name === 'String' && /^p?flag$/.test(owner?.text() ?? '') && flag?.kind === 'text' && value?.kind === 'text'
    ? text(`\${-${flag.text}:${value.text}}`)
    : undefined

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
    const type = node.field('type')
    if (entries.length > 0)
      return {
        kind: 'record',
        entries: new Map(entries),
        ...(type !== undefined && { type: type.text().slice(0, 200) }),
      }
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
    const owner = member ? callee.field('operand') : undefined
    if (name === 'GetString' && owner?.text() === 'viper' && args[0]?.kind === 'text')
      return text(`\${${args[0].text}}`)
    const known = environment(name, args) ?? flagDefault(owner, name, args)
    if (known !== undefined) return known
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
