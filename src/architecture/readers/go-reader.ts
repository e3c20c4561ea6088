import { optional } from '../../kernel/optional.ts'
import { childrenOfKind, digestOf, type SyntaxNode } from '../../kernel/syntax-tree.ts'
import { folderOf } from '../source/source-files.ts'
import {
  type CallExpression,
  type Expression,
  type ImportBinding,
  type Method,
  NO_METHOD,
  NO_UNIT,
  plainVariable,
  type SourceUnit,
  type TypeUnit,
  textExpression,
  type Variable,
} from '../source/source-unit.ts'
import {
  calleeName,
  codeChildren,
  decodeEscapes,
  ExpressionReader,
  type ExpressionRule,
  type ExpressionSyntax,
  firstChild,
  joinNames,
  joinParts,
  nodeName,
  nodeText,
  type ReadNode,
} from './expression-reader.ts'
import { GO_CALLS } from './relevant-calls.ts'

/** `fmt.Sprintf("http://%s/x", host)` as the parts that it joins. */
const formatted = (args: readonly Expression[]): Expression | undefined => {
  const [format, ...values] = args
  if (format?.kind !== 'text') return undefined
  const pieces = format.text.split(/%[-+#\d.]*[a-zA-Z]/)
  return joinParts(
    pieces.flatMap((piece, at) => {
      const value = values[at]
      return at < pieces.length - 1 && value !== undefined
        ? [textExpression(piece), value]
        : [textExpression(piece)]
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
    ? joinParts([textExpression(`\${${first.text}:`), second, textExpression('}')])
    : textExpression(`\${${first.text}}`)
}

/** `flag.String("addr", "localhost:9092", "usage")` is `${-addr:localhost:9092}`. */
const flagDefault = (
  owner: SyntaxNode | undefined,
  name: string,
  [flag, value]: readonly Expression[],
): Expression | undefined =>
  name === 'String' && /^p?flag$/.test(owner?.text() ?? '') && flag?.kind === 'text' && value?.kind === 'text'
    ? textExpression(`\${-${flag.text}:${value.text}}`)
    : undefined

const literalEntries = (node: SyntaxNode, read: ReadNode): readonly (readonly [string, Expression])[] =>
  childrenOfKind(node, 'keyed_element').flatMap((one) => {
    const [key, value] = childrenOfKind(one, 'literal_element')
    if (key === undefined || value === undefined) return []
    return [[key.text().replace(/^"|"$/g, ''), read(value.children()[0] ?? value)] as const]
  })

const RULES: Readonly<Record<string, ExpressionRule>> = {
  interpreted_string_literal: (node) => textExpression(decodeEscapes(node.text().slice(1, -1))),
  raw_string_literal: (node) => textExpression(node.text().slice(1, -1)),
  int_literal: nodeText,
  identifier: nodeName,
  literal_element: firstChild,
  parenthesized_expression: firstChild,
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
        ...optional({ type: type?.text().slice(0, 200) }),
      }
    return { kind: 'list', items: childrenOfKind(body, 'literal_element').map(read) }
  },
  call_expression: (node, read) => {
    const callee = node.field('function')
    const args = codeChildren(node.field('arguments')).map(read)
    const member = callee?.kind === 'selector_expression'
    const name = calleeName(callee, 'selector_expression', 'field')
    if (name === 'Sprintf') return formatted(args)
    const owner = member ? callee.field('operand') : undefined
    if (name === 'GetString' && owner?.text() === 'viper' && args[0]?.kind === 'text')
      return textExpression(`\${${args[0].text}}`)
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

const GO: ExpressionSyntax = {
  rule: (node, read) => RULES[node.kind]?.(node, read),
  names: GO_CALLS,
  callKinds: ['call_expression'],
  nameOf: (node) => calleeName(node.field('function'), 'selector_expression', 'field'),
}

const CALLS = ['call_expression', 'composite_literal']
const IMPORTS = ['import_spec']
const STRUCTS = ['type_spec']
const VARIABLES = [
  'short_var_declaration',
  'assignment_statement',
  'var_spec',
  'const_spec',
  'return_statement',
]
/** A composite literal with the names of its fields: `Config{Addr: …}`. */
const KEYED_LITERAL = /\b\w+\{\s*\w+:/
/** Values that a function may return and that a detector may use. */
const RETURNED = /^(interpreted_string_literal|raw_string_literal|binary_expression|call_expression)$/
const FUNCTIONS = ['function_declaration', 'method_declaration']

/** The package name of an import path: `github.com/a/b/v2` is `b`. */
const importedPackage = (path: string): string =>
  path
    .replace(/\/v\d+$/, '')
    .replace(/^.*\//, '')
    .replace(/^go-|\.v\d+$|[-.]go$/g, '')

const importOf = (spec: SyntaxNode): readonly [string, ImportBinding] => {
  const module = spec.field('path')?.text().slice(1, -1) ?? ''
  return [spec.field('name')?.text() ?? importedPackage(module), { module, name: '*' }]
}

/** `env:"ADDR" envDefault:"x"` in the tag of a field: it gets its value from that environment variable. */
const taggedValue = (tag = ''): Pick<Variable, 'value'> => {
  const [, name] = /\b(?:env|envconfig|mapstructure):"([A-Z][A-Z0-9_]*)[",]/.exec(tag) ?? []
  if (name === undefined) return {}
  const [, fallback] = /\b(?:envDefault|env-default|default):"([^"]*)"/.exec(tag) ?? []
  const text = fallback === undefined ? `\${${name}}` : `\${${name}:${fallback}}`
  return { value: { kind: 'text', text } }
}

/** Comments before the package clause. */
const MAX_HEAD = 40

class GoReader {
  readonly #expressions = new ExpressionReader(GO)

  /** Relevant calls, and composite literals with a type as calls that make it. */
  calls(node: SyntaxNode): readonly CallExpression[] {
    const text = node.text()
    if (!GO.names.within.test(text) && !KEYED_LITERAL.test(text)) return []
    return node
      .descend(CALLS)
      .flatMap((one) =>
        one.kind === 'call_expression' ? this.#expressions.calls([one]) : this.#literal(one),
      )
  }

  #literal(node: SyntaxNode): readonly CallExpression[] {
    if (!/^(type_identifier|qualified_type)$/.test(node.field('type')?.kind ?? '')) return []
    const made = this.#expressions.read(node)
    if (made.kind !== 'record') return []
    const [name = '', owner] = (made.type ?? '').split('.').reverse()
    return [
      {
        ...(owner !== undefined && { receiver: { kind: 'name', name: owner } }),
        name,
        makes: true,
        args: [made],
        line: node.line,
      },
    ]
  }

  /** The value that a function returns, as a variable named `return`. */
  #returned(node: SyntaxNode): readonly Variable[] {
    const [value] = node.children()[0]?.children() ?? []
    if (value === undefined || !RETURNED.test(value.kind)) return []
    return [plainVariable('return', node.line, this.#expressions.read(value))]
  }

  /** Go assigns several names at once; with one value for all of them, the first gets it. */
  variables(node: SyntaxNode): readonly Variable[] {
    if (node.kind === 'return_statement') return this.#returned(node)
    const left = node.field('left') ?? node.field('name')
    const names = left?.kind === 'expression_list' ? left.children() : left === undefined ? [] : [left]
    const right = node.field('right') ?? node.field('value')
    const values = right?.children() ?? []
    const type = node.field('type')?.text() ?? ''
    return names.map((name, at) => {
      const value = values.length === names.length ? values[at] : at === 0 ? values[0] : undefined
      const read = value === undefined ? undefined : this.#expressions.read(value)
      return plainVariable(name.text().slice(0, 200), node.line, read, type)
    })
  }

  parameters(list: SyntaxNode | undefined): readonly Variable[] {
    return childrenOfKind(list, 'parameter_declaration').flatMap((one) => {
      const type = one.field('type')?.text().slice(0, 200) ?? ''
      const names = childrenOfKind(one, 'identifier')
      return names.map((name) => plainVariable(name.text(), one.line, undefined, type))
    })
  }

  /** A method is named with the type of its receiver: `Server.routes`; the receiver is its first parameter. */
  function(node: SyntaxNode): Method {
    const receiver = this.parameters(node.field('receiver'))
    const owner =
      receiver[0]?.type.replace(/^\*|\[.*$/g, '') ??
      node
        .field('receiver')
        ?.text()
        .replace(/[()*\s]/g, '')
    const name = node.field('name')?.text() ?? ''
    const body = node.field('body')
    return {
      ...NO_METHOD,
      name: owner === undefined ? name : `${owner}.${name}`,
      line: node.field('name')?.line ?? node.line,
      lines: body === undefined ? 0 : Math.max(1, body.lastLine - body.line - 1),
      returns: node.field('result')?.text().slice(0, 200) ?? '',
      parameters: [...receiver, ...this.parameters(node.field('parameters'))],
      locals: (body?.descend(VARIABLES) ?? []).flatMap((one) => this.variables(one)),
      calls: body === undefined ? [] : this.calls(body),
      digest: digestOf(body, body?.text() ?? ''),
    }
  }

  type(node: SyntaxNode): readonly TypeUnit[] {
    const struct = node.field('type')
    if (struct?.kind !== 'struct_type' && struct?.kind !== 'interface_type') return []
    const fields = childrenOfKind(struct.children()[0], 'field_declaration').flatMap((one) =>
      childrenOfKind(one, 'field_identifier').map((name) => ({
        name: name.text(),
        type: one.field('type')?.text().slice(0, 200) ?? '',
        line: one.line,
        annotations: [],
        ...taggedValue(one.field('tag')?.text()),
      })),
    )
    return [
      {
        name: node.field('name')?.text() ?? '',
        kind: struct.kind === 'struct_type' ? 'class' : 'interface',
        line: node.line,
        lines: node.lastLine - node.line + 1,
        annotations: [],
        implements: [],
        fields,
        constructors: [],
        methods: [],
        calls: [],
      },
    ]
  }
}

/** Files that no build contains: `//go:build ignore` before the package. */
const isExcluded = (root: SyntaxNode): boolean =>
  root
    .children()
    .slice(0, MAX_HEAD)
    .some(
      (one) =>
        one.kind === 'comment' && /^\/\/\s*(go:build|\+build)\s+(ignore|tools?|none)\b/.test(one.text()),
    )

export const readGo = (file: string, root: SyntaxNode): SourceUnit => {
  if (isExcluded(root)) return { ...NO_UNIT, file, language: 'go', package: folderOf(file) }
  const reader = new GoReader()
  const specs = root.descend(IMPORTS).map(importOf)
  const outside = root.children().filter(({ kind }) => !FUNCTIONS.includes(kind))
  return {
    ...NO_UNIT,
    file,
    language: 'go',
    // A package is a folder; its name in the code need not be unique.
    package: folderOf(file),
    imports: specs.map(([, { module }]) => module),
    bindings: new Map(specs),
    types: root.descend(STRUCTS).flatMap((one) => reader.type(one)),
    functions: childrenOfKind(root, ...FUNCTIONS).map((one) => reader.function(one)),
    topLevel: {
      ...NO_METHOD,
      locals: outside.flatMap((one) => one.descend(VARIABLES)).flatMap((one) => reader.variables(one)),
      calls: outside.flatMap((one) => reader.calls(one)),
    },
  }
}
