import { childrenOfKind, type SyntaxNode } from '../../kernel/syntax-tree.ts'
import type { CallExpression, Expression } from '../source/source-unit.ts'
import {
  calleeName,
  decodeEscapes,
  type ExpressionRule,
  type ExpressionSyntax,
  joinNames,
  joinParts,
} from './expression-reader.ts'
import { calledValue, fillMarks } from './python-values.ts'
import { PYTHON_CALLS } from './relevant-calls.ts'

const text = (value: string): Expression => ({ kind: 'text', text: value })

const withoutComments = (node: SyntaxNode | undefined): readonly SyntaxNode[] =>
  (node?.children() ?? []).filter(({ kind }) => kind !== 'comment')

/** Positional arguments, then one record of the keyword arguments. */
const readPythonArguments = (
  list: SyntaxNode | undefined,
  read: (node: SyntaxNode | undefined) => Expression,
): readonly Expression[] => {
  const all = withoutComments(list)
  const keywords = all.filter(({ kind }) => kind === 'keyword_argument')
  const positional = all.filter(({ kind }) => kind !== 'keyword_argument').map(read)
  if (keywords.length === 0) return positional
  const entries = new Map(
    keywords.map((one) => [one.field('name')?.text() ?? '', read(one.field('value'))] as const),
  )
  return [...positional, { kind: 'record', entries }]
}

const RULES: Readonly<Record<string, ExpressionRule>> = {
  string: (node, read) => {
    const raw = /^[a-z]*r/i.test(node.text().slice(0, 3))
    const parts = childrenOfKind(node, 'string_content', 'interpolation').map((one) =>
      one.kind === 'interpolation'
        ? read(one.field('expression') ?? one.children()[0])
        : text(raw ? one.text() : decodeEscapes(one.text())),
    )
    return joinParts(parts.length === 0 ? [text('')] : parts)
  },
  concatenated_string: (node, read) => joinParts(node.children().map(read)),
  identifier: (node) => ({ kind: 'name', name: /^(self|cls)$/.test(node.text()) ? 'this' : node.text() }),
  integer: (node) => text(node.text()),
  float: (node) => text(node.text()),
  true: () => text('True'),
  false: () => text('False'),
  list_splat: (node, read) => read(node.children()[0]),
  await: (node, read) => read(node.children()[0]),
  parenthesized_expression: (node, read) => read(node.children()[0]),
  attribute: (node, read) => joinNames(read(node.field('object')), node.field('attribute')?.text() ?? ''),
  binary_operator: (node, read) => {
    const operator = node.field('operator')?.text()
    const left = read(node.field('left'))
    if (operator === '+') return joinParts([left, read(node.field('right'))])
    if (operator !== '%' || left.kind !== 'text') return undefined
    const right = read(node.field('right'))
    const values = right.kind === 'list' ? right.items : [right]
    return fillMarks(left.text, /%[sd]/, values)
  },
  boolean_operator: (node, read) => {
    const left = read(node.field('left'))
    const right = read(node.field('right'))
    const isVariable = left.kind === 'text' && /^\$\{\w+\}$/.test(left.text)
    return isVariable && right.kind === 'text' ? text(left.text.replace(/\}$/, `:${right.text}}`)) : left
  },
  subscript: (node, read) => {
    const owner = node.field('value')?.text().slice(0, 40) ?? ''
    const key = read(node.field('subscript'))
    if (key.kind !== 'text') return undefined
    if (/^(os\.)?environ$/.test(owner)) return text(`\${${key.text}}`)
    return /(^|\.)config$/.test(owner) ? { kind: 'name', name: `config[${key.text}]` } : undefined
  },
  list: (node, read) => ({ kind: 'list', items: withoutComments(node).map(read) }),
  tuple: (node, read) => ({ kind: 'list', items: withoutComments(node).map(read) }),
  dictionary: (node, read) => ({
    kind: 'record',
    entries: new Map(
      childrenOfKind(node, 'pair').flatMap((one) => {
        const key = read(one.field('key'))
        return key.kind === 'text' ? [[key.text, read(one.field('value'))] as const] : []
      }),
    ),
  }),
  call: (node, read) => {
    const callee = node.field('function')
    const args = readPythonArguments(node.field('arguments'), read)
    const member = callee?.kind === 'attribute'
    const name = member
      ? callee.field('attribute')?.text()
      : callee?.kind === 'identifier'
        ? callee.text()
        : ''
    const call: CallExpression = {
      ...(member && { receiver: read(callee.field('object')) }),
      name: name ?? '',
      makes: !member && /^[A-Z]/.test(name ?? ''),
      args,
      line: (member ? callee.field('attribute')?.line : undefined) ?? node.line,
    }
    return calledValue(call) ?? { kind: 'call', call }
  },
}

export const PYTHON: ExpressionSyntax = {
  rule: (node, read) => RULES[node.kind]?.(node, read),
  names: PYTHON_CALLS,
  nameOf: (node) => calleeName(node.field('function'), 'attribute', 'attribute'),
}
