import type { SyntaxNode } from '../../kernel/syntax-tree.ts'
import type { Annotation, Expression } from '../source/source-unit.ts'
import {
  decodeEscapes,
  type ExpressionRule,
  type ExpressionSyntax,
  joinNames,
  joinParts,
} from './expression-reader.ts'

type Read = (node: SyntaxNode | undefined) => Expression

const literal = (text: string): string => {
  if (!text.startsWith('"""')) return decodeEscapes(text.slice(1, -1))
  const lines = text
    .slice(3, -3)
    .replace(/^[ \t]*\r?\n/, '')
    .split('\n')
  return decodeEscapes(
    lines
      .map((line) => line.trim())
      .join('\n')
      .trim(),
  )
}

const isComment = ({ kind }: SyntaxNode): boolean => kind.endsWith('comment')

const isSum = (node: SyntaxNode): boolean => node.field('operator')?.text() === '+'

/** The parts of `a + b + c`. Iterative, because the tree is left-deep and may be long. */
const sumParts = (node: SyntaxNode, read: Read): readonly Expression[] => {
  const parts: Expression[] = []
  let at: SyntaxNode | undefined = node
  while (at?.kind === 'binary_expression' && isSum(at)) {
    parts.push(read(at.field('right')))
    at = at.field('left')
  }
  parts.push(read(at))
  return parts.reverse()
}

const argumentsOf = (node: SyntaxNode | undefined, read: Read): readonly Expression[] =>
  (node?.children() ?? []).filter((one) => !isComment(one)).map(read)

export const javaAnnotation = (node: SyntaxNode, read: Read): Annotation => {
  const name = node.field('name')?.text() ?? ''
  const args = new Map<string, Expression>()
  for (const one of node.field('arguments')?.children() ?? []) {
    if (one.kind === 'element_value_pair') args.set(one.field('key')?.text() ?? '', read(one.field('value')))
    else if (!isComment(one)) args.set('value', read(one))
  }
  return { name: name.slice(name.lastIndexOf('.') + 1), line: node.line, args }
}

const RULES: Readonly<Record<string, ExpressionRule>> = {
  string_literal: (node) => ({ kind: 'text', text: literal(node.text()) }),
  identifier: (node) => ({ kind: 'name', name: node.text() }),
  this: () => ({ kind: 'name', name: 'this' }),
  field_access: (node, read) => joinNames(read(node.field('object')), node.field('field')?.text() ?? ''),
  parenthesized_expression: (node, read) => read(node.children().find((one) => !isComment(one))),
  cast_expression: (node, read) => read(node.field('value')),
  binary_expression: (node, read) => (isSum(node) ? joinParts(sumParts(node, read)) : undefined),
  decimal_integer_literal: (node) => ({ kind: 'text', text: node.text().replace(/[_lL]/g, '') }),
  class_literal: (node) => ({ kind: 'other', text: node.text() }),
  true: () => ({ kind: 'text', text: 'true' }),
  false: () => ({ kind: 'text', text: 'false' }),
  array_initializer: (node, read) => ({ kind: 'list', items: argumentsOf(node, read) }),
  element_value_array_initializer: (node, read) => ({ kind: 'list', items: argumentsOf(node, read) }),
  array_creation_expression: (node, read) => read(node.field('value')),
  annotation: (node, read) => ({ kind: 'annotation', annotation: javaAnnotation(node, read) }),
  marker_annotation: (node, read) => ({ kind: 'annotation', annotation: javaAnnotation(node, read) }),
  method_invocation: (node, read) => {
    const [receiver, name] = [node.field('object'), node.field('name')]
    return {
      kind: 'call',
      call: {
        ...(receiver !== undefined && { receiver: read(receiver) }),
        name: name?.text() ?? '',
        makes: false,
        args: argumentsOf(node.field('arguments'), read),
        line: name?.line ?? node.line,
      },
    }
  },
  object_creation_expression: (node, read) => ({
    kind: 'call',
    call: {
      name: node.field('type')?.text() ?? '',
      makes: true,
      args: argumentsOf(node.field('arguments'), read),
      line: node.line,
    },
  }),
}

export const JAVA: Omit<ExpressionSyntax, 'names'> = {
  rule: (node, read) => RULES[node.kind]?.(node, read),
  nameOf: (call) => call.field(call.kind === 'method_invocation' ? 'name' : 'type')?.text() ?? '',
}
