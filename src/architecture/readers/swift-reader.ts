import { childOfKind, childrenOfKind, digestOf, type SyntaxNode } from '../../kernel/syntax-tree.ts'
import {
  type Annotation,
  type Method,
  NO_METHOD,
  NO_UNIT,
  plainVariable,
  type SourceUnit,
  type TypeKind,
  type TypeUnit,
  type Variable,
} from '../source/source-unit.ts'
import { ExpressionReader } from './expression-reader.ts'
import { SWIFT, swiftAttribute } from './swift-expression.ts'

const LOCALS = ['property_declaration', 'assignment']
const IMPORTS = ['import_declaration']
const CLASSES = ['class_declaration', 'protocol_declaration']
const TYPES = ['user_type', 'optional_type', 'array_type', 'opaque_type', 'existential_type']
/** Children of a property that are not its value. */
const NOT_VALUES = new Set([
  'modifiers',
  'value_binding_pattern',
  'pattern',
  'type_annotation',
  'computed_property',
  'willset_didset_block',
  'comment',
  'multiline_comment',
])

const typeText = (node: SyntaxNode | undefined): string =>
  (childOfKind(node, ...TYPES)?.text() ?? '').replace(/^(some|any)\s+|[?!]$/g, '').slice(0, 200)

const swiftKind = (node: SyntaxNode): TypeKind => {
  const keywords = node.words()
  if (node.kind === 'protocol_declaration') return 'interface'
  return keywords.includes('enum') ? 'enum' : 'class'
}

class SwiftReader {
  readonly expressions = new ExpressionReader(SWIFT)

  attributes(node: SyntaxNode): readonly Annotation[] {
    return childrenOfKind(childOfKind(node, 'modifiers'), 'attribute').map(swiftAttribute)
  }

  property(node: SyntaxNode): Variable {
    const value = node.children().find(({ kind }) => !NOT_VALUES.has(kind))
    const computed = childOfKind(childOfKind(node, 'computed_property'), 'statements')
    // `var url: URL { URL(string: "…")! }`
    const only = value ?? (computed?.children().length === 1 ? computed.children()[0] : undefined)
    const returned = only?.kind === 'control_transfer_statement' ? only.children().at(-1) : only
    return {
      name: (childOfKind(node, 'pattern')?.text() ?? '').slice(0, 200),
      type: typeText(childOfKind(node, 'type_annotation')),
      line: node.line,
      annotations: this.attributes(node),
      ...(returned !== undefined && { value: this.expressions.read(returned) }),
    }
  }

  assignment(node: SyntaxNode): Variable {
    const [left, right] = node.children()
    const name = (left?.text() ?? '').replace(/^self\./, '').slice(0, 200)
    return plainVariable(name, node.line, this.expressions.read(right))
  }

  parameters(node: SyntaxNode): readonly Variable[] {
    return childrenOfKind(node, 'parameter').map((one) => {
      const name = childrenOfKind(one, 'simple_identifier').at(-1)?.text() ?? ''
      return plainVariable(name, one.line, undefined, typeText(one))
    })
  }

  /** A function or an initializer. */
  method(node: SyntaxNode): Method {
    const body = childOfKind(node, 'function_body')
    const name = childOfKind(node, 'simple_identifier')
    const text = body?.text() ?? ''
    const calls = this.expressions.callsIn(body, text)
    const locals = calls.length > 0 ? (body?.descend(LOCALS) ?? []) : []
    return {
      ...NO_METHOD,
      name: name?.text() ?? 'init',
      line: name?.line ?? node.line,
      lines: body === undefined ? 0 : Math.max(1, body.lastLine - body.line - 1),
      annotations: this.attributes(node),
      returns: typeText(node),
      parameters: this.parameters(node),
      locals: locals.map((one) => (one.kind === 'assignment' ? this.assignment(one) : this.property(one))),
      calls,
      digest: digestOf(body, text),
    }
  }

  type(node: SyntaxNode): TypeUnit {
    const body = childOfKind(node, 'class_body', 'enum_class_body', 'protocol_body')
    const members = body?.children() ?? []
    const of = (...kinds: readonly string[]) => members.filter(({ kind }) => kinds.includes(kind))
    const name = childOfKind(node, 'type_identifier', 'user_type')
    const properties = of('property_declaration')
    return {
      name: (name?.text() ?? '').replace(/^.*\./, '').slice(0, 200),
      kind: swiftKind(node),
      line: name?.line ?? node.line,
      lines: node.lastLine - node.line + 1,
      annotations: this.attributes(node),
      implements: childrenOfKind(node, 'inheritance_specifier').map((one) => one.text().slice(0, 200)),
      fields: properties.map((one) => this.property(one)),
      constructors: of('init_declaration').map((one) => this.method(one)),
      methods: of('function_declaration').map((one) => this.method(one)),
      calls: properties.flatMap((one) => this.expressions.callsIn(one)),
    }
  }
}

export const readSwift = (file: string, root: SyntaxNode): SourceUnit => {
  const reader = new SwiftReader()
  const outside = root.children().filter(({ kind }) => !CLASSES.includes(kind))
  const functions = outside
    .filter(({ kind }) => kind === 'function_declaration')
    .map((one) => reader.method(one))
  const statements = outside.filter(
    (one) => one.kind !== 'function_declaration' && !one.text().startsWith('#Preview'),
  )
  return {
    ...NO_UNIT,
    file,
    language: 'swift',
    imports: root.descend(IMPORTS).map((one) => childOfKind(one, 'identifier')?.text() ?? ''),
    types: root.descend(CLASSES).map((one) => reader.type(one)),
    functions,
    topLevel: {
      ...NO_METHOD,
      locals: statements
        .flatMap((one) => (LOCALS.includes(one.kind) ? [one] : []))
        .map((one) => (one.kind === 'assignment' ? reader.assignment(one) : reader.property(one))),
      calls: statements.flatMap((one) => reader.expressions.callsIn(one)),
    },
  }
}
