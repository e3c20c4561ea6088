import type { SyntaxNode } from '../../kernel/syntax-tree.ts'
import type { Expression, Lambda, Method } from '../source/source-unit.ts'
import { textExpression } from '../source/source-unit.ts'
import {
  calleeName,
  codeChildren,
  decodeEscapes,
  type ExpressionRule,
  type ExpressionSyntax,
  escapedText,
  firstChild,
  joinChildren,
  joinNames,
  joinParts,
  nodeName,
  nodeText,
  type ReadNode,
  thisName,
} from './expression-reader.ts'
import { SCRIPT_CALLS } from './relevant-calls.ts'

export const scriptArguments = (node: SyntaxNode): readonly SyntaxNode[] =>
  codeChildren(node.field('arguments'))

/** In the tree, the callee of `await get<Item>(url)` is `await get`. */
const calleeOf = (node: SyntaxNode): SyntaxNode | undefined => {
  const callee = node.field('function')
  return callee?.kind === 'await_expression' ? callee.children()[0] : callee
}

/** The name of a called function; of `require('x')(…)`, the module. */
const nameOfCallee = (callee: SyntaxNode | undefined): string => {
  if (callee?.kind === 'identifier') return callee.text()
  const [module] = callee?.field('function')?.text() === 'require' ? scriptArguments(callee) : []
  return module?.kind === 'string' ? module.text().slice(1, -1) : ''
}

/** Objects whose members are environment variables. */
const ENVIRONMENT = /^(process|import\.meta)\.env$/

/** An environment variable is a placeholder: `${URL}`. */
const memberName = (object: Expression, member: string): Expression | undefined =>
  object.kind === 'name' && ENVIRONMENT.test(object.name)
    ? textExpression(`\${${member}}`)
    : joinNames(object, member)

/** A variable with a default is `${URL:http://a}`; of other alternatives, the first, or the one that is a call. */
const orDefault = (left: Expression, right: Expression): Expression => {
  const isVariable = left.kind === 'text' && /^(\$\{\w+:?)+\}+$/.test(left.text)
  if (isVariable && right.kind === 'text')
    return textExpression(left.text.replace(/\}+$/, (braces) => `:${right.text}${braces}`))
  // The default is a template or a constant: `${URL:` and `}` around it.
  if (isVariable && (right.kind === 'join' || right.kind === 'name'))
    return joinParts([
      textExpression(left.text.replace(/\}+$/, ':')),
      right,
      textExpression(/\}+$/.exec(left.text)?.[0] ?? ''),
    ])
  return left.kind !== 'text' && right.kind === 'call' ? right : left
}

/** The key of an object that is spread into another one: `...users`. */
const SPREAD = '...'

const recordEntries = (node: SyntaxNode, read: ReadNode): readonly (readonly [string, Expression])[] =>
  node.children().flatMap((one) => {
    if (one.kind === 'shorthand_property_identifier')
      return [[one.text(), { kind: 'name' as const, name: one.text() }]]
    if (one.kind === 'method_definition')
      return [[one.field('name')?.text() ?? '', { kind: 'other' as const, text: '', lambda: lambdaOf(one) }]]
    if (one.kind === 'spread_element') {
      const value = read(one.children()[0])
      return value.kind === 'name' ? [[`${SPREAD}${value.name}`, value]] : []
    }
    if (one.kind !== 'pair') return []
    const key = (one.field('key')?.text() ?? '').replace(/^['"]|['"]$/g, '')
    const value = read(one.field('value'))
    return [[key, key === 'useFactory' ? withReturned(value, one.field('value'), read) : value]]
  })

/** Names of parameters; those of patterns are left out. */
const parameterNames = (node: SyntaxNode): readonly string[] => {
  const single = node.field('parameter')
  if (single !== undefined) return [single.text()]
  return (node.field('parameters')?.children() ?? []).flatMap((one) => {
    const name = one.field('pattern')
    return name?.kind === 'identifier' ? [name.text()] : []
  })
}

const lambdaOf = (node: SyntaxNode): Lambda => ({
  parameters: parameterNames(node),
  line: node.line,
  lastLine: node.lastLine,
})

const returnedNode = (node: SyntaxNode | undefined): SyntaxNode | undefined => {
  const body = node?.field('body')
  if (body?.kind !== 'statement_block') return body
  return body
    .children()
    .findLast(({ kind }) => kind === 'return_statement')
    ?.children()[0]
}

/** Methods whose results other calls use as addresses. */
const ADDRESS_METHOD = /ur[il]$|host$|address$|endpoint$|base$|origin$/i

/** What a method that is named after an address returns. */
export const addressReturned = (node: SyntaxNode, read: ReadNode): Pick<Method, 'returned'> => {
  const value = ADDRESS_METHOD.test(node.field('name')?.text() ?? '') ? returnedNode(node) : undefined
  return value === undefined ? {} : { returned: [read(value)] }
}

/** Options that a factory function returns. */
const withReturned = (value: Expression, node: SyntaxNode | undefined, read: ReadNode): Expression =>
  value.kind === 'other' && value.lambda !== undefined
    ? { ...value, lambda: { ...value.lambda, returns: read(returnedNode(node)) } }
    : value

const readLambda: ExpressionRule = (node) => ({ kind: 'other', text: '', lambda: lambdaOf(node) })

const RULES: Readonly<Record<string, ExpressionRule>> = {
  string: (node) => textExpression(decodeEscapes(node.text().slice(1, -1))),
  template_string: joinChildren,
  string_fragment: escapedText,
  template_substitution: firstChild,
  identifier: nodeName,
  this: thisName,
  number: nodeText,
  true: () => textExpression('true'),
  false: () => textExpression('false'),
  await_expression: firstChild,
  parenthesized_expression: firstChild,
  as_expression: firstChild,
  satisfies_expression: firstChild,
  non_null_expression: firstChild,
  meta_property: () => ({ kind: 'name', name: 'import.meta' }),
  member_expression: (node, read) => {
    const object = read(node.field('object'))
    const member = node.field('property')?.text() ?? ''
    // `new Users().router` reads as a call of `router`.
    return object.kind === 'call' && object.call.makes
      ? { kind: 'call', call: { receiver: object, name: member, makes: false, args: [], line: node.line } }
      : memberName(object, member)
  },
  arrow_function: readLambda,
  function_expression: readLambda,
  subscript_expression: (node, read) => {
    const object = read(node.field('object'))
    const key = read(node.field('index'))
    const isVariable = object.kind === 'name' && ENVIRONMENT.test(object.name)
    return isVariable && key.kind === 'text' ? memberName(object, key.text) : undefined
  },
  binary_expression: (node, read) => {
    const operator = node.field('operator')?.text() ?? ''
    const left = read(node.field('left'))
    const right = read(node.field('right'))
    if (operator === '+') return joinParts([left, right])
    return operator === '||' || operator === '??' ? orDefault(left, right) : undefined
  },
  array: (node, read) => ({ kind: 'list', items: node.children().map(read) }),
  object: (node, read) => ({ kind: 'record', entries: new Map(recordEntries(node, read)) }),
  call_expression: (node, read) => {
    const callee = calleeOf(node)
    // The number or text of a variable is written like the variable.
    if (callee?.kind === 'identifier' && /^(Number|String|parseInt)$/.test(callee.text()))
      return read(scriptArguments(node)[0])
    const member = callee?.kind === 'member_expression'
    return {
      kind: 'call',
      call: {
        ...(member && { receiver: read(callee?.field('object')) }),
        name: member ? (callee?.field('property')?.text() ?? '') : nameOfCallee(callee),
        makes: false,
        args: scriptArguments(node).map(read),
        line: (member ? callee?.field('property')?.line : undefined) ?? node.line,
      },
    }
  },
  new_expression: (node, read) => ({
    kind: 'call',
    call: {
      name: node.field('constructor')?.text().slice(0, 200) ?? '',
      makes: true,
      args: scriptArguments(node).map(read),
      line: node.line,
    },
  }),
}

export const calledName = (node: SyntaxNode): string =>
  calleeName(calleeOf(node) ?? node.field('constructor'), 'member_expression', 'property')

export const SCRIPT: ExpressionSyntax = {
  rule: (node, read) => RULES[node.kind]?.(node, read),
  names: SCRIPT_CALLS,
  callKinds: ['call_expression', 'new_expression'],
  nameOf: calledName,
}
