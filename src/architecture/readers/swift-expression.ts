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
import { SWIFT_CALLS } from './relevant-calls.ts'

/** The first parameter of a closure; `$0` when it has no name. */
const closureParameter = (closure: SyntaxNode): Expression => {
  const types = childOfKind(closure, 'lambda_function_type')
  const [first] = childrenOfKind(childOfKind(types, 'lambda_function_type_parameters'), 'lambda_parameter')
  const name = childOfKind(first, 'simple_identifier')?.text()
  return { kind: 'name', name: name ?? '$0' }
}

/**
 * Arguments without a label in their order; those with one are a record at the end. A closure behind the arguments has
 * the label `{}` and is read as its first parameter.
 */
const swiftArguments = (suffix: SyntaxNode | undefined, read: ReadNode): readonly Expression[] => {
  const positional: Expression[] = []
  const labelled = new Map<string, Expression>()
  for (const one of childrenOfKind(childOfKind(suffix, 'value_arguments'), 'value_argument')) {
    const label = childOfKind(one, 'value_argument_label')?.text()
    const value = read(
      codeChildren(one)
        .filter(({ kind }) => kind !== 'value_argument_label')
        .at(-1),
    )
    if (label === undefined) positional.push(value)
    else labelled.set(label, value)
  }
  const closure = childOfKind(suffix, 'lambda_literal')
  if (closure !== undefined) labelled.set('{}', closureParameter(closure))
  return labelled.size === 0 ? positional : [...positional, { kind: 'record', entries: labelled }]
}

/** `.post` and `.postgres(…)`: the type before the dot is implied. */
const impliedMember = (node: SyntaxNode | undefined): string | undefined =>
  node?.kind === 'prefix_expression' && node.words().includes('.')
    ? childOfKind(node, 'simple_identifier')?.text()
    : undefined

const swiftName = (node: SyntaxNode): string => {
  const [callee] = node.children()
  if (callee?.kind === 'navigation_expression') return navigatedName(callee)
  return impliedMember(callee) ?? (callee?.kind === 'simple_identifier' ? callee.text() : '')
}

/** `ProcessInfo.processInfo.environment["X"]` is a call with brackets. */
const isSubscript = (suffix: SyntaxNode | undefined): boolean =>
  childOfKind(suffix, 'value_arguments')?.words().includes('[') === true

/** Environment variables: `Environment.get("X")`, `ProcessInfo.processInfo.environment["X"]`. */
const environmentVariable = (callee: Expression, [first]: readonly Expression[]): Expression | undefined =>
  first?.kind === 'text' &&
  callee.kind === 'name' &&
  /^Environment\.get$|(^|\.)environment$/.test(callee.name)
    ? textExpression(`\${${first.text}}`)
    : undefined

const swiftCall = (node: SyntaxNode, read: ReadNode): Expression => {
  const [callee, suffix] = node.children()
  const navigates = callee?.kind === 'navigation_expression'
  const name = swiftName(node)
  const args = swiftArguments(suffix, read)
  if (callee !== undefined && (isSubscript(suffix) || name === 'get')) {
    const variable = environmentVariable(read(callee), args)
    if (variable !== undefined || isSubscript(suffix)) return variable ?? { kind: 'other', text: '' }
  }
  return {
    kind: 'call',
    call: {
      ...(navigates && { receiver: read(callee?.children()[0]) }),
      name: name.slice(0, 100),
      makes: !navigates && /^[A-Z]/.test(name),
      args,
      line: (navigates ? childOfKind(callee, 'navigation_suffix')?.line : undefined) ?? node.line,
    },
  }
}

/** `@Model`, `@Field(key: "name")` */
export const swiftAttribute = (node: SyntaxNode): Annotation => ({
  name: (childOfKind(node, 'user_type')?.text() ?? '').slice(0, 100),
  line: node.line,
  args: new Map(),
})

const RULES: Readonly<Record<string, ExpressionRule>> = {
  line_string_literal: joinChildren,
  multi_line_string_literal: (node, read) => joinParts([textExpression(''), ...node.children().map(read)]),
  line_str_text: nodeText,
  multi_line_str_text: nodeText,
  str_escaped_char: escapedText,
  interpolated_expression: firstChild,
  simple_identifier: nodeName,
  self_expression: thisName,
  integer_literal: (node) => textExpression(node.text().replaceAll('_', '')),
  boolean_literal: nodeText,
  navigation_expression: (node, read) => {
    const [object] = node.children()
    const member = navigatedName(node)
    return (
      joinNames(read(object), member) ?? {
        kind: 'call',
        call: { receiver: read(object), name: member, makes: false, args: [], line: node.line },
      }
    )
  },
  prefix_expression: (node) => {
    const member = impliedMember(node)
    return member === undefined ? undefined : { kind: 'name', name: `.${member}` }
  },
  postfix_expression: firstChild,
  try_expression: (node, read) => read(node.children().at(-1)),
  await_expression: (node, read) => read(node.children().at(-1)),
  as_expression: firstChild,
  tuple_expression: (node, read) => (node.children().length === 1 ? read(node.children()[0]) : undefined),
  additive_expression: (node, read) =>
    node.words().includes('+') ? joinParts(node.children().map(read)) : undefined,
  // `Environment.get("X") ?? "y"` is `${X:y}`.
  nil_coalescing_expression: (node, read) => {
    const [value, fallback] = node.children().map(read)
    const [, variable] = (value?.kind === 'text' ? /^\$\{([A-Z][A-Z0-9_]*)\}$/.exec(value.text) : null) ?? []
    if (variable === undefined || fallback === undefined) return value
    return /^(text|name|join)$/.test(fallback.kind)
      ? joinParts([textExpression(`\${${variable}:`), fallback, textExpression('}')])
      : value
  },
  array_literal: (node, read) => ({
    kind: 'list',
    items: codeChildren(node).map(read),
  }),
  call_expression: swiftCall,
}

export const SWIFT: ExpressionSyntax = {
  rule: (node, read) => RULES[node.kind]?.(node, read),
  names: SWIFT_CALLS,
  callKinds: ['call_expression'],
  nameOf: swiftName,
}
