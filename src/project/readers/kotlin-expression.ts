import type { Annotation, Expression } from '../source/source-unit.ts'
import { childOfKind, childrenOfKind, type SyntaxNode } from '../source/syntax-tree.ts'
import {
  decodeEscapes,
  type ExpressionRule,
  type ExpressionSyntax,
  joinNames,
  joinParts,
} from './expression-reader.ts'
import { JVM_CALLS } from './relevant-calls.ts'

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

const callOf = (node: SyntaxNode, read: Read): Expression => {
  const [callee, suffix] = node.children()
  const navigates = callee?.kind === 'navigation_expression'
  const name = navigates ? memberOf(callee) : (callee?.text().slice(0, 200) ?? '')
  return {
    kind: 'call',
    call: {
      ...(navigates && { receiver: read(callee?.children()[0]) }),
      name,
      // Kotlin has no `new`: a capital letter marks a constructor.
      makes: /^[A-Z]/.test(name) && !/^[A-Z_]+$/.test(name),
      args: argumentsOf(suffix).map((one) => read(valueIn(one))),
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
  navigation_expression: (node, read) => joinNames(read(node.children()[0]), memberOf(node)),
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

export const KOTLIN: ExpressionSyntax = {
  rule: (node, read) => RULES[node.kind]?.(node, read),
  names: JVM_CALLS,
  nameOf: calledName,
}
