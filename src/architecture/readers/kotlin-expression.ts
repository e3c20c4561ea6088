import { childOfKind, childrenOfKind, type SyntaxNode } from '../../kernel/syntax-tree.ts'
import type { Annotation, Expression } from '../source/source-unit.ts'
import { textExpression } from '../source/source-unit.ts'
import {
  codeChildren,
  type ExpressionRule,
  type ExpressionSyntax,
  escapedText,
  firstChild,
  joinChildren,
  joinNames,
  joinParts,
  navigatedName,
  nodeName,
  nodeText,
  type ReadNode,
  thisName,
} from './expression-reader.ts'

const argumentNodes = (suffix: SyntaxNode | undefined): readonly SyntaxNode[] =>
  childrenOfKind(childOfKind(suffix, 'value_arguments'), 'value_argument')

const valueIn = (argument: SyntaxNode): SyntaxNode | undefined => codeChildren(argument).at(-1)

/** `create<Api>()` names a type and no value: the type stands for its class. */
const typeArguments = (suffix: SyntaxNode | undefined): readonly Expression[] =>
  childrenOfKind(childOfKind(suffix, 'type_arguments'), 'type_projection').map((one) => ({
    kind: 'other',
    text: `${one.text()}.class`,
  }))

const kotlinCall = (node: SyntaxNode, read: ReadNode): Expression => {
  const [callee, suffix] = node.children()
  // `route("/x") { … }` is a call of `route("/x")` with a lambda.
  if (callee?.kind === 'call_expression' && childOfKind(suffix, 'value_arguments') === undefined)
    return read(callee)
  const navigates = callee?.kind === 'navigation_expression'
  const name = navigates ? navigatedName(callee) : (callee?.text().slice(0, 200) ?? '')
  const given = argumentNodes(suffix).map((one) => read(valueIn(one)))
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

export const kotlinAnnotation = (node: SyntaxNode, read: ReadNode): Annotation => {
  const made = childOfKind(node, 'constructor_invocation')
  const name = childOfKind(made ?? node, 'user_type')?.text() ?? ''
  const args = new Map<string, Expression>()
  const positional: Expression[] = []
  for (const one of argumentNodes(made)) {
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
  string_literal: joinChildren,
  string_content: escapedText,
  character_escape_seq: escapedText,
  interpolated_identifier: nodeName,
  interpolated_expression: firstChild,
  simple_identifier: nodeName,
  this_expression: thisName,
  integer_literal: (node) => textExpression(node.text().replaceAll('_', '')),
  long_literal: (node) => textExpression(node.text().replace(/[_L]/g, '')),
  boolean_literal: nodeText,
  navigation_expression: (node, read) => {
    const object = read(node.children()[0])
    // `Order::class.java` is the class, as `Order::class` is.
    return object.kind === 'other' && object.text !== '' ? object : joinNames(object, navigatedName(node))
  },
  callable_reference: (node) =>
    node.words().includes('class')
      ? { kind: 'other', text: `${node.children()[0]?.text() ?? ''}.class` }
      : undefined,
  parenthesized_expression: (node, read) => read(codeChildren(node)[0]),
  as_expression: firstChild,
  additive_expression: (node, read) =>
    node.words().includes('+') ? joinParts(codeChildren(node).map(read)) : undefined,
  collection_literal: (node, read) => ({
    kind: 'list',
    items: codeChildren(node).map(read),
  }),
  call_expression: (node, read) => {
    const found = kotlinCall(node, read)
    const listed = found.kind === 'call' && /^(arrayOf|listOf|setOf)$/.test(found.call.name)
    return listed ? { kind: 'list', items: found.call.args } : found
  },
  constructor_invocation: (node, read) => ({
    kind: 'call',
    call: {
      name: childOfKind(node, 'user_type')?.text() ?? '',
      makes: true,
      args: argumentNodes(node).map((one) => read(valueIn(one))),
      line: node.line,
    },
  }),
}

const kotlinName = (node: SyntaxNode): string => {
  const [callee] = node.children()
  if (callee?.kind === 'navigation_expression') return navigatedName(callee)
  return callee?.kind === 'simple_identifier' ? callee.text() : ''
}

export const KOTLIN: Omit<ExpressionSyntax, 'names'> = {
  callKinds: ['call_expression'],
  rule: (node, read) => RULES[node.kind]?.(node, read),
  nameOf: kotlinName,
}
