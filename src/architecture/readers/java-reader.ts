import { optional } from '../../kernel/optional.ts'
import { childOfKind, childrenOfKind, digestOf, type SyntaxNode } from '../../kernel/syntax-tree.ts'
import {
  type Annotation,
  type Expression,
  type Method,
  NO_UNIT,
  type SourceUnit,
  type TypeKind,
  type TypeUnit,
  type Variable,
} from '../source/source-unit.ts'
import {
  codeChildren,
  decodeEscapes,
  ExpressionReader,
  type ExpressionRule,
  type ExpressionSyntax,
  joinNames,
  joinParts,
  nodeName,
  type ReadNode,
  thisName,
} from './expression-reader.ts'
import { jvmCalls } from './relevant-calls.ts'

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

const isSum = (node: SyntaxNode): boolean => node.field('operator')?.text() === '+'

/** The parts of `a + b + c`. Iterative, because the tree is left-deep and may be long. */
const sumParts = (node: SyntaxNode, read: ReadNode): readonly Expression[] => {
  const parts: Expression[] = []
  let at: SyntaxNode | undefined = node
  while (at?.kind === 'binary_expression' && isSum(at)) {
    parts.push(read(at.field('right')))
    at = at.field('left')
  }
  parts.push(read(at))
  return parts.reverse()
}

const javaAnnotation = (node: SyntaxNode, read: ReadNode): Annotation => {
  const name = node.field('name')?.text() ?? ''
  const args = new Map<string, Expression>()
  for (const one of codeChildren(node.field('arguments'))) {
    if (one.kind === 'element_value_pair') args.set(one.field('key')?.text() ?? '', read(one.field('value')))
    else args.set('value', read(one))
  }
  return { name: name.slice(name.lastIndexOf('.') + 1), line: node.line, args }
}

const RULES: Readonly<Record<string, ExpressionRule>> = {
  string_literal: (node) => ({ kind: 'text', text: literal(node.text()) }),
  identifier: nodeName,
  this: thisName,
  field_access: (node, read) => joinNames(read(node.field('object')), node.field('field')?.text() ?? ''),
  parenthesized_expression: (node, read) => read(codeChildren(node)[0]),
  cast_expression: (node, read) => read(node.field('value')),
  binary_expression: (node, read) => (isSum(node) ? joinParts(sumParts(node, read)) : undefined),
  decimal_integer_literal: (node) => ({ kind: 'text', text: node.text().replace(/[_lL]/g, '') }),
  class_literal: (node) => ({ kind: 'other', text: node.text() }),
  true: () => ({ kind: 'text', text: 'true' }),
  false: () => ({ kind: 'text', text: 'false' }),
  array_initializer: (node, read) => ({ kind: 'list', items: codeChildren(node).map(read) }),
  element_value_array_initializer: (node, read) => ({ kind: 'list', items: codeChildren(node).map(read) }),
  array_creation_expression: (node, read) => read(node.field('value')),
  annotation: (node, read) => ({ kind: 'annotation', annotation: javaAnnotation(node, read) }),
  marker_annotation: (node, read) => ({ kind: 'annotation', annotation: javaAnnotation(node, read) }),
  method_invocation: (node, read) => {
    const [receiver, name] = [node.field('object'), node.field('name')]
    return {
      kind: 'call',
      call: {
        ...optional({ receiver: receiver && read(receiver) }),
        name: name?.text() ?? '',
        makes: false,
        args: codeChildren(node.field('arguments')).map(read),
        line: name?.line ?? node.line,
      },
    }
  },
  object_creation_expression: (node, read) => ({
    kind: 'call',
    call: {
      name: node.field('type')?.text() ?? '',
      makes: true,
      args: codeChildren(node.field('arguments')).map(read),
      line: node.line,
    },
  }),
}

const JAVA: Omit<ExpressionSyntax, 'names'> = {
  callKinds: ['method_invocation', 'object_creation_expression'],
  rule: (node, read) => RULES[node.kind]?.(node, read),
  nameOf: (call) => call.field(call.kind === 'method_invocation' ? 'name' : 'type')?.text() ?? '',
}

const KINDS: Readonly<Record<string, TypeKind>> = {
  class_declaration: 'class',
  interface_declaration: 'interface',
  record_declaration: 'record',
  enum_declaration: 'enum',
  annotation_type_declaration: '@interface',
}

const LOCALS = ['local_variable_declaration', 'assignment_expression']
const CATCHES = ['catch_clause']
const TYPE_KINDS = Object.keys(KINDS)

const collapseSpaces = (text: string): string => text.replace(/\s+/g, ' ')

class JavaReader {
  readonly #expressions: ExpressionReader

  constructor(imports: readonly string[]) {
    this.#expressions = new ExpressionReader({ ...JAVA, names: jvmCalls(imports) })
  }

  annotations(node: SyntaxNode): readonly Annotation[] {
    const modifiers = childOfKind(node, 'modifiers')
    return childrenOfKind(modifiers, 'annotation', 'marker_annotation').map((one) =>
      javaAnnotation(one, this.#expressions.read),
    )
  }

  variables(node: SyntaxNode): readonly Variable[] {
    const type = collapseSpaces(node.field('type')?.text() ?? '')
    return childrenOfKind(node, 'variable_declarator').map((one) => {
      const value = one.field('value')
      return {
        name: one.field('name')?.text() ?? '',
        // The type of a `var` is inferred from its value.
        type: type === 'var' ? '' : type,
        line: one.line,
        annotations: this.annotations(node),
        ...optional({ value: value && this.#expressions.read(value) }),
      }
    })
  }

  parameters(node: SyntaxNode | undefined): readonly Variable[] {
    return childrenOfKind(node, 'formal_parameter').map((one) => ({
      name: one.field('name')?.text() ?? '',
      type: collapseSpaces(one.field('type')?.text() ?? ''),
      line: one.line,
      annotations: this.annotations(one),
    }))
  }

  method(node: SyntaxNode, withLocals = false): Method {
    const [name, body] = [node.field('name'), node.field('body')]
    const text = body?.text() ?? ''
    const calls = this.#expressions.callsIn(body, text)
    const annotations = this.annotations(node)
    // Variables are only needed to resolve relevant calls, and most methods have none.
    const needsNames = withLocals || calls.length > 0
    const locals = needsNames ? (body?.descend(LOCALS) ?? []) : []
    const catches = /\bcatch\b/.test(text) ? (body?.descend(CATCHES) ?? []) : []
    return {
      name: name?.text() ?? '',
      line: name?.line ?? node.line,
      lines: body === undefined ? 0 : Math.max(1, body.lastLine - body.line - 1),
      annotations,
      returns: collapseSpaces(node.field('type')?.text() ?? ''),
      parameters: needsNames || annotations.length > 0 ? this.parameters(node.field('parameters')) : [],
      locals: locals.flatMap((one) => this.local(one)),
      calls,
      digest: digestOf(body, text),
      silentCatches: catches.filter(isSilent).map(({ line }) => line),
    }
  }

  local(node: SyntaxNode): readonly Variable[] {
    if (node.kind === 'local_variable_declaration') return this.variables(node)
    const name =
      node
        .field('left')
        ?.text()
        .replace(/^this\./, '') ?? ''
    const value = this.#expressions.read(node.field('right'))
    return [{ name, type: '', line: node.line, annotations: [], value }]
  }

  type(node: SyntaxNode): TypeUnit {
    const body = node.field('body')
    const members =
      body?.children().flatMap((one) => (one.kind === 'enum_body_declarations' ? one.children() : [one])) ??
      []
    const of = (...kinds: readonly string[]) => members.filter(({ kind }) => kinds.includes(kind))
    const base = childOfKind(node, 'superclass')?.children()[0]
    const lists = childrenOfKind(node, 'super_interfaces', 'extends_interfaces')
    const constants = of('constant_declaration', 'field_declaration')
    return {
      name: node.field('name')?.text() ?? '',
      kind: typeKind(node),
      line: node.field('name')?.line ?? node.line,
      lines: node.lastLine - node.line + 1,
      annotations: this.annotations(node),
      ...optional({ extends: base && collapseSpaces(base.text()) }),
      implements: lists.flatMap(
        (one) =>
          one
            .children()[0]
            ?.children()
            .map((type) => collapseSpaces(type.text())) ?? [],
      ),
      fields: [
        ...constants.flatMap((one) => this.variables(one)),
        ...this.parameters(node.field('parameters')),
      ],
      constructors: of('constructor_declaration', 'compact_constructor_declaration').map((one) =>
        this.method(one, true),
      ),
      methods: of('method_declaration').map((one) => this.method(one)),
      calls: [...constants, ...of('static_initializer', 'block', 'enum_constant')].flatMap((one) =>
        this.#expressions.callsIn(one),
      ),
    }
  }
}

const isSilent = (node: SyntaxNode): boolean => node.field('body')?.children().length === 0

const typeKind = (node: SyntaxNode): TypeKind => {
  const kind = KINDS[node.kind] ?? 'class'
  return kind === 'class' && childOfKind(node, 'modifiers')?.words().includes('abstract')
    ? 'abstract class'
    : kind
}

export const readJava = (file: string, root: SyntaxNode): SourceUnit => {
  const nameIn = (node: SyntaxNode) => node.text().replace(/^(package|import)\s+(static\s+)?|[\s;]/g, '')
  const imports = childrenOfKind(root, 'import_declaration').map(nameIn)
  const reader = new JavaReader(imports)
  const declared = childOfKind(root, 'package_declaration')
  return {
    ...NO_UNIT,
    file,
    language: 'java',
    package: childOfKind(declared, 'scoped_identifier', 'identifier')?.text() ?? '',
    imports,
    types: root.descend(TYPE_KINDS).map((node) => reader.type(node)),
  }
}
