import { childOfKind, childrenOfKind, type SyntaxNode } from '../../kernel/syntax-tree.ts'
import type { Annotation, Expression } from '../source/source-unit.ts'
import {
  decodeEscapes,
  type ExpressionRule,
  type ExpressionSyntax,
  joinNames,
  joinParts,
} from './expression-reader.ts'

type Read = (node: SyntaxNode | undefined) => Expression

const isComment = ({ kind }: SyntaxNode): boolean => kind.endsWith('comment')

const text = (value: string): Expression => ({ kind: 'text', text: value })

const memberOf = (node: SyntaxNode | undefined): string =>
  childOfKind(childOfKind(node, 'navigation_suffix'), 'simple_identifier')?.text() ?? ''

const argumentsOf = (suffix: SyntaxNode | undefined): readonly SyntaxNode[] =>
  childrenOfKind(childOfKind(suffix, 'value_arguments'), 'value_argument')

const valueIn = (argument: SyntaxNode): SyntaxNode | undefined =>
  argument
    .children()
    .filter((one) => !isComment(one))
    .at(-1)

/** `create<Api>()` names a type and no value: the type stands for its class. */
const typeArguments = (suffix: SyntaxNode | undefined): readonly Expression[] =>
  childrenOfKind(childOfKind(suffix, 'type_arguments'), 'type_projection').map((one) => ({
    kind: 'other',
    text: `${one.text()}.class`,
  }))

const callOf = (node: SyntaxNode, read: Read): Expression => {
  const [callee, suffix] = node.children()
  // `route("/x") { … }` is a call of `route("/x")` with a lambda.
  if (callee?.kind === 'call_expression' && childOfKind(suffix, 'value_arguments') === undefined)
    return read(callee)
  const navigates = callee?.kind === 'navigation_expression'
  const name = navigates ? memberOf(callee) : (callee?.text().slice(0, 200) ?? '')
  const given = argumentsOf(suffix).map((one) => read(valueIn(one)))
  return {
    kind: 'call',
    call: {
      ...(navigates && { receiver: read(callee?.children()[0]) }),
      name,
      // Kotlin has no `new`: a capital letter marks a constructor.
      makes: /^[A-Z]/.test(name) && !/^[A-Z_]+$/.test(name),
      args: given.length > 0 ? given : typeArguments(suffix),
      line: (navigates ? childOfKind(callee, 'navigation_suffix')?.line : undefined) ?? node.line,
    },
  }
}

export const kotlinAnnotation = (node: SyntaxNode, read: Read): Annotation => {
  const made = childOfKind(node, 'constructor_invocation')
  const name = childOfKind(made ?? node, 'user_type')?.text() ?? ''
  const args = new Map<string, Expression>()
  const positional: Expression[] = []
  for (const one of argumentsOf(made)) {
    const key = one.words().includes('=') ? one.children()[0]?.text() : undefined
    if (key === undefined) positional.push(read(valueIn(one)))
    else args.set(key, read(valueIn(one)))
  }
  const [only] = positional
  if (only !== undefined)
    args.set('value', positional.length === 1 ? only : { kind: 'list', items: positional })
  return { name: name.slice(name.lastIndexOf('.') + 1), line: node.line, args }
}

const RULES: Readonly<Record<string, ExpressionRule>> = {
  string_literal: (node, read) =>
    joinParts(node.children().length === 0 ? [text('')] : node.children().map(read)),
  string_content: (node) => text(decodeEscapes(node.text())),
  character_escape_seq: (node) => text(decodeEscapes(node.text())),
  interpolated_identifier: (node) => ({ kind: 'name', name: node.text() }),
  interpolated_expression: (node, read) => read(node.children()[0]),
  simple_identifier: (node) => ({ kind: 'name', name: node.text() }),
  this_expression: () => ({ kind: 'name', name: 'this' }),
  integer_literal: (node) => text(node.text().replaceAll('_', '')),
  long_literal: (node) => text(node.text().replace(/[_L]/g, '')),
  boolean_literal: (node) => text(node.text()),
  navigation_expression: (node, read) => {
    const object = read(node.children()[0])
    // `Order::class.java` is the class, as `Order::class` is.
    return object.kind === 'other' && object.text !== '' ? object : joinNames(object, memberOf(node))
  },
  callable_reference: (node) =>
    node.words().includes('class')
      ? { kind: 'other', text: `${node.children()[0]?.text() ?? ''}.class` }
      : undefined,
  parenthesized_expression: (node, read) => read(node.children().find((one) => !isComment(one))),
  as_expression: (node, read) => read(node.children()[0]),
  additive_expression: (node, read) =>
    node.words().includes('+')
      ? joinParts(
          node
            .children()
            .filter((one) => !isComment(one))
            .map(read),
        )
      : undefined,
  collection_literal: (node, read) => ({
    kind: 'list',
    items: node
      .children()
      .filter((one) => !isComment(one))
      .map(read),
  }),
  call_expression: (node, read) => {
    const found = callOf(node, read)
    const listed = found.kind === 'call' && /^(arrayOf|listOf|setOf)$/.test(found.call.name)
    return listed ? { kind: 'list', items: found.call.args } : found
  },
  constructor_invocation: (node, read) => ({
    kind: 'call',
    call: {
      name: childOfKind(node, 'user_type')?.text() ?? '',
      makes: true,
      args: argumentsOf(node).map((one) => read(valueIn(one))),
      line: node.line,
    },
  }),
}

const calledName = (node: SyntaxNode): string => {
  const [callee] = node.children()
  if (callee?.kind === 'navigation_expression') return memberOf(callee)
  return callee?.kind === 'simple_identifier' ? callee.text() : ''
}

export const KOTLIN: Omit<ExpressionSyntax, 'names'> = {
  rule: (node, read) => RULES[node.kind]?.(node, read),
  nameOf: calledName,
}
