import { ExpressionReader } from './expression-reader.ts'
import { JAVA_CALLS, javaAnnotation, javaExpression } from './java-expression.ts'
import {
  type Annotation,
  type Call,
  type Method,
  NO_METHOD,
  type SourceUnit,
  type TypeKind,
  type TypeUnit,
  type Variable,
} from './source-unit.ts'
import { childOfKind, childrenOfKind, digestOf, type SyntaxNode } from './syntax-tree.ts'

const KINDS: Readonly<Record<string, TypeKind>> = {
  class_declaration: 'class',
  interface_declaration: 'interface',
  record_declaration: 'record',
  enum_declaration: 'enum',
  annotation_type_declaration: '@interface',
}

const squeeze = (text: string): string => text.replace(/\s+/g, ' ')

class JavaReader {
  readonly #expressions = new ExpressionReader(javaExpression)

  annotations(node: SyntaxNode): readonly Annotation[] {
    const modifiers = childOfKind(node, 'modifiers')
    return childrenOfKind(modifiers, 'annotation', 'marker_annotation').map((one) =>
      javaAnnotation(one, this.#expressions.read),
    )
  }

  variables(node: SyntaxNode): readonly Variable[] {
    const type = squeeze(node.field('type')?.text() ?? '')
    return childrenOfKind(node, 'variable_declarator').map((one) => {
      const value = one.field('value')
      return {
        name: one.field('name')?.text() ?? '',
        // `var` says nothing: the value decides.
        type: type === 'var' ? '' : type,
        line: one.line,
        annotations: this.annotations(node),
        ...(value !== undefined && { value: this.#expressions.read(value) }),
      }
    })
  }

  parameters(node: SyntaxNode | undefined): readonly Variable[] {
    return childrenOfKind(node, 'formal_parameter').map((one) => ({
      name: one.field('name')?.text() ?? '',
      type: squeeze(one.field('type')?.text() ?? ''),
      line: one.line,
      annotations: this.annotations(one),
    }))
  }

  calls(node: SyntaxNode): readonly Call[] {
    return this.#expressions.calls(node.descend(JAVA_CALLS))
  }

  method(node: SyntaxNode): Method {
    const body = node.field('body')
    const locals = body?.descend(['local_variable_declaration', 'assignment_expression']) ?? []
    return {
      name: node.field('name')?.text() ?? '',
      line: node.field('name')?.line ?? node.line,
      lines: body === undefined ? 0 : Math.max(1, body.lastLine - body.line - 1),
      annotations: this.annotations(node),
      returns: squeeze(node.field('type')?.text() ?? ''),
      parameters: this.parameters(node.field('parameters')),
      locals: locals.flatMap((one) => this.local(one)),
      calls: body === undefined ? [] : this.calls(body),
      digest: digestOf(body),
      silentCatches: (body?.descend(['catch_clause']) ?? []).filter(isSilent).map(({ line }) => line),
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
      kind: kindOf(node),
      line: node.field('name')?.line ?? node.line,
      lines: node.lastLine - node.line + 1,
      annotations: this.annotations(node),
      ...(base !== undefined && { extends: squeeze(base.text()) }),
      implements: lists.flatMap(
        (one) =>
          one
            .children()[0]
            ?.children()
            .map((type) => squeeze(type.text())) ?? [],
      ),
      fields: [
        ...constants.flatMap((one) => this.variables(one)),
        ...this.parameters(node.field('parameters')),
      ],
      constructors: of('constructor_declaration', 'compact_constructor_declaration').map((one) =>
        this.method(one),
      ),
      methods: of('method_declaration').map((one) => this.method(one)),
      calls: [...constants, ...of('static_initializer', 'block', 'enum_constant')].flatMap((one) =>
        this.calls(one),
      ),
    }
  }
}

const isSilent = (node: SyntaxNode): boolean => node.field('body')?.children().length === 0

const kindOf = (node: SyntaxNode): TypeKind => {
  const kind = KINDS[node.kind] ?? 'class'
  return kind === 'class' && childOfKind(node, 'modifiers')?.words().includes('abstract')
    ? 'abstract class'
    : kind
}

export const readJava = (file: string, root: SyntaxNode): SourceUnit => {
  const reader = new JavaReader()
  const nameIn = (node: SyntaxNode) => node.text().replace(/^(package|import)\s+(static\s+)?|[\s;]/g, '')
  const declared = childOfKind(root, 'package_declaration')
  return {
    file,
    language: 'java',
    package: childOfKind(declared, 'scoped_identifier', 'identifier')?.text() ?? '',
    imports: childrenOfKind(root, 'import_declaration').map(nameIn),
    types: root.descend(Object.keys(KINDS)).map((node) => reader.type(node)),
    loose: NO_METHOD,
  }
}
