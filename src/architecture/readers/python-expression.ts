import { childrenOfKind, type SyntaxNode } from '../../kernel/syntax-tree.ts'
import type { CallExpression, Expression } from '../source/source-unit.ts'
import { keyword, textExpression } from '../source/source-unit.ts'
import {
  calleeName,
  codeChildren,
  decodeEscapes,
  type ExpressionRule,
  type ExpressionSyntax,
  firstChild,
  joinNames,
  joinParts,
  nodeText,
  type ReadNode,
} from './expression-reader.ts'
import { PYTHON_CALLS } from './relevant-calls.ts'

/** Calls of the standard library and of settings libraries whose value is text that can be known. */

/** Functions that read an environment variable: of the standard library, django-environ, decouple, environs. */
const STANDARD = /^(os\.)?(getenv|environ\.get)$/
const LIBRARY = /^((\w*env\w*|\w*Env\w*|config)(\.(str|url|get|__call__))?|get_from_env|\w+_from_env)$/
const VARIABLE_NAME = /^[A-Z][A-Z0-9_]+$/

/** `os.getenv("URL", "http://a")` is the placeholder `${URL:http://a}`. */
const environmentValue = (name: string, args: readonly Expression[]): Expression | undefined => {
  const [key] = args
  if (key?.kind !== 'text') return undefined
  if (!STANDARD.test(name) && !(LIBRARY.test(name) && VARIABLE_NAME.test(key.text))) return undefined
  const fallback = args[1]?.kind === 'record' ? keyword(args, 'default') : args[1]
  return textExpression(fallback?.kind === 'text' ? `\${${key.text}:${fallback.text}}` : `\${${key.text}}`)
}

/** Conversions: the value is the first argument. */
const CONVERSIONS = /^(str|int|URL|make_url|AnyUrl|AnyHttpUrl|HttpUrl|\w+Dsn|Path|SecretStr|quote|_)$/
/** Methods of text whose result has the same meaning. */
const SAME_TEXT =
  /^(strip|rstrip|lstrip|removesuffix|lower|unicode_string|get_secret_value|as_posix|resolve)$/

/** Replaces the marks of a format by values: `"a/{}".format(b)` is `"a/" + b`. */
const fillMarks = (format: string, mark: RegExp, values: readonly Expression[]): Expression => {
  const pieces = format.split(mark)
  return joinParts(
    pieces.flatMap((piece, at) =>
      at === pieces.length - 1
        ? [textExpression(piece)]
        : [textExpression(piece), values[at] ?? textExpression('{}')],
    ),
  )
}

/** With single slashes between the parts, as far as they are literal. */
const joinPaths = (parts: readonly Expression[]): Expression =>
  joinParts(
    parts.flatMap((part, at) => {
      const bare =
        part.kind === 'text' ? textExpression(part.text.replace(at === 0 ? /\/+$/ : /^\/+|\/+$/g, '')) : part
      return at === 0 ? [bare] : [textExpression('/'), bare]
    }),
  )

/** `PostgresDsn.build(scheme=…, host=…)` and `URL.create("postgresql", host=…)`, without user and password. */
const builtAddress = (args: readonly Expression[]): Expression | undefined => {
  const scheme = keyword(args, 'scheme') ?? keyword(args, 'drivername') ?? args[0]
  const host = keyword(args, 'host')
  if (scheme === undefined || scheme.kind === 'record' || host === undefined) return undefined
  const port = keyword(args, 'port')
  const database = keyword(args, 'path') ?? keyword(args, 'database')
  return joinParts([
    scheme,
    textExpression('://'),
    host,
    ...(port === undefined ? [] : [textExpression(':'), port]),
    ...(database === undefined ? [] : [textExpression('/'), database]),
  ])
}

/** The value of a call that only passes on or puts together its arguments; undefined for all other calls. */
const calledValue = ({ receiver, name, args }: CallExpression): Expression | undefined => {
  const owner = receiver?.kind === 'name' ? receiver.name : undefined
  const full = owner === undefined ? name : `${owner}.${name}`
  const [first, second] = args
  if (receiver === undefined || owner !== undefined) {
    const variable = environmentValue(full, args)
    if (variable !== undefined) return variable
  }
  if (/(^|\.)urljoin$/.test(full) && first !== undefined && second !== undefined)
    return joinPaths([first, second])
  if (full === 'os.path.join' || full === 'posixpath.join') return joinPaths(args)
  if (/^(build|create)$/.test(name) && /(Dsn|Url|URL)$/.test(owner ?? '')) return builtAddress(args)
  if (receiver === undefined) {
    if (name === 'dict' && first?.kind === 'record') return first
    if (name === 'Field') return keyword(args, 'default') ?? (first?.kind === 'text' ? first : undefined)
    if (name === 'getattr' && first?.kind === 'name' && second?.kind === 'text') {
      // A setting with a default is shown like a variable of the environment.
      const fallback = args[2]?.kind === 'text' ? args[2].text : undefined
      return fallback === undefined
        ? { kind: 'name', name: `${first.name}.${second.text}` }
        : textExpression(`\${${second.text}:${fallback}}`)
    }
    return first !== undefined && args.length === 1 && first.kind !== 'record' && CONVERSIONS.test(name)
      ? first
      : undefined
  }
  if (receiver.kind === 'text') {
    if (name === 'format')
      return fillMarks(
        receiver.text,
        /\{\w*\}/,
        args.filter(({ kind }) => kind !== 'record'),
      )
    if (name === 'join' && first?.kind === 'list')
      return joinParts(first.items.flatMap((one, at) => (at === 0 ? [one] : [receiver, one])))
  }
  return SAME_TEXT.test(name) && args.every(({ kind }) => kind === 'text') ? receiver : undefined
}

/** Positional arguments, then one record of the keyword arguments. */
const readPythonArguments = (list: SyntaxNode | undefined, read: ReadNode): readonly Expression[] => {
  const all = codeChildren(list)
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
        : textExpression(raw ? one.text() : decodeEscapes(one.text())),
    )
    return joinParts(parts.length === 0 ? [textExpression('')] : parts)
  },
  concatenated_string: (node, read) => joinParts(node.children().map(read)),
  identifier: (node) => ({ kind: 'name', name: /^(self|cls)$/.test(node.text()) ? 'this' : node.text() }),
  integer: nodeText,
  float: nodeText,
  true: () => textExpression('True'),
  false: () => textExpression('False'),
  list_splat: firstChild,
  await: firstChild,
  parenthesized_expression: firstChild,
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
    return isVariable && right.kind === 'text'
      ? textExpression(left.text.replace(/\}$/, `:${right.text}}`))
      : left
  },
  subscript: (node, read) => {
    const owner = node.field('value')?.text().slice(0, 40) ?? ''
    const key = read(node.field('subscript'))
    if (key.kind !== 'text') return undefined
    if (/^(os\.)?environ$/.test(owner)) return textExpression(`\${${key.text}}`)
    return /(^|\.)config$/.test(owner) ? { kind: 'name', name: `config[${key.text}]` } : undefined
  },
  list: (node, read) => ({ kind: 'list', items: codeChildren(node).map(read) }),
  tuple: (node, read) => ({ kind: 'list', items: codeChildren(node).map(read) }),
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
  callKinds: ['call'],
  nameOf: (node) => calleeName(node.field('function'), 'attribute', 'attribute'),
}
