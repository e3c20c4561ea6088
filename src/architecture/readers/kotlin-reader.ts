import { optional } from '../../kernel/optional.ts'
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
import { KOTLIN, kotlinAnnotation } from './kotlin-expression.ts'
import { jvmCalls } from './relevant-calls.ts'

/** Parts of Kotlin declarations that the grammar does not name. */

const TYPES = ['user_type', 'nullable_type', 'function_type']
const typesOf = (nodes: readonly SyntaxNode[]): string =>
  (nodes.find(({ kind }) => TYPES.includes(kind))?.text() ?? '').replace(/\s+/g, ' ').replace(/\?$/, '')

const writtenType = (node: SyntaxNode | undefined): string => typesOf(node?.children() ?? [])

/** The value of a delegated property: the last statement of `by lazy { … }`, else the delegate itself. */
const delegated = (delegate: SyntaxNode | undefined): SyntaxNode | undefined => {
  const value = delegate?.children()[0]
  const [callee, suffix] = value?.children() ?? []
  if (value?.kind !== 'call_expression' || callee?.text() !== 'lazy') return value
  const lambda = childOfKind(childOfKind(suffix, 'annotated_lambda'), 'lambda_literal')
  return childOfKind(lambda, 'statements')?.children().at(-1)
}

const kotlinKind = (node: SyntaxNode, modifiers: SyntaxNode | undefined): TypeKind => {
  if (node.kind === 'object_declaration') return 'object'
  const keywords = node.words()
  const text = modifiers?.text() ?? ''
  if (keywords.includes('interface')) return 'interface'
  if (keywords.includes('enum')) return 'enum'
  if (/\bannotation$/.test(text)) return '@interface'
  if (/\bdata$/.test(text)) return 'record'
  return /\b(abstract|sealed)$/.test(text) ? 'abstract class' : 'class'
}

/** Children of a property that are not its value. */
const NOT_VALUES = new Set([
  'modifiers',
  'binding_pattern_kind',
  'variable_declaration',
  'type_parameters',
  'getter',
  'setter',
  'property_delegate',
  'line_comment',
  'multiline_comment',
])

const LOCALS = ['property_declaration', 'assignment']
const CATCHES = ['catch_block']
const IMPORTS = ['import_header']
const CLASSES = ['class_declaration', 'object_declaration']

class KotlinReader {
  readonly expressions: ExpressionReader

  constructor(imports: readonly string[]) {
    this.expressions = new ExpressionReader({ ...KOTLIN, names: jvmCalls(imports) })
  }

  annotations(modifiers: SyntaxNode | undefined): readonly Annotation[] {
    return childrenOfKind(modifiers, 'annotation').map((one) => kotlinAnnotation(one, this.expressions.read))
  }

  property(node: SyntaxNode): Variable {
    const declared = childOfKind(node, 'variable_declaration')
    const value =
      node.children().find(({ kind }) => !NOT_VALUES.has(kind) && !TYPES.includes(kind)) ??
      delegated(childOfKind(node, 'property_delegate'))
    return {
      name: childOfKind(declared, 'simple_identifier')?.text() ?? '',
      type: writtenType(declared),
      line: node.line,
      annotations: this.annotations(childOfKind(node, 'modifiers')),
      ...optional({ value: value && this.expressions.read(value) }),
    }
  }

  assignment(node: SyntaxNode): Variable {
    const [left, right] = node.children()
    const name = (left?.text() ?? '').replace(/^this\./, '')
    return plainVariable(name, node.line, this.expressions.read(right))
  }

  parameter(node: SyntaxNode, modifiers: SyntaxNode | undefined): Variable {
    return {
      name: childOfKind(node, 'simple_identifier')?.text() ?? '',
      type: writtenType(node),
      line: node.line,
      annotations: this.annotations(modifiers),
    }
  }

  parameters(node: SyntaxNode | undefined): readonly Variable[] {
    let modifiers: SyntaxNode | undefined
    return (node?.children() ?? []).flatMap((one) => {
      if (one.kind === 'parameter_modifiers') modifiers = one
      if (one.kind !== 'parameter') return []
      const found = this.parameter(one, modifiers)
      modifiers = undefined
      return [found]
    })
  }

  /** The receiver of an extension function is its first parameter, `this`. */
  method(node: SyntaxNode): Method {
    const parametersAt = node.children().findIndex(({ kind }) => kind === 'function_value_parameters')
    const receiver = typesOf(node.children().slice(0, parametersAt)) || undefined
    const body = childOfKind(node, 'function_body')
    const name = childOfKind(node, 'simple_identifier')
    return {
      name: name?.text() ?? '',
      line: name?.line ?? node.line,
      lines: body === undefined ? 0 : Math.max(1, body.lastLine - body.line - 1),
      annotations: this.annotations(childOfKind(node, 'modifiers')),
      returns: typesOf(node.children().slice(parametersAt)),
      parameters: [
        ...(receiver === undefined ? [] : [plainVariable('this', node.line, undefined, receiver)]),
        ...this.parameters(node.children()[parametersAt]),
      ],
      ...this.body(body),
    }
  }

  body(body: SyntaxNode | undefined): Pick<Method, 'locals' | 'calls' | 'digest' | 'silentCatches'> {
    const text = body?.text() ?? ''
    const calls = this.expressions.callsIn(body, text)
    const locals = calls.length > 0 ? (body?.descend(LOCALS) ?? []) : []
    const catches = /\bcatch\b/.test(text) ? (body?.descend(CATCHES) ?? []) : []
    return {
      locals: locals.map((one) => (one.kind === 'assignment' ? this.assignment(one) : this.property(one))),
      calls,
      digest: digestOf(body, text),
      silentCatches: catches
        .filter(
          (one) =>
            childOfKind(one, 'statements') === undefined &&
            childOfKind(one, 'line_comment', 'multiline_comment') === undefined,
        )
        .map(({ line }) => line),
    }
  }

  /**
   * The grammar parses `@Path("/x")` on its own line as an annotated parenthesis, an expression before the class.
   * This happens only with one argument without a name.
   */
  #detachedAnnotations(node: SyntaxNode | undefined): readonly Annotation[] {
    if (node?.kind !== 'prefix_expression') return []
    const [marked, rest] = node.children()
    if (marked?.kind !== 'annotation') return []
    const annotation = kotlinAnnotation(marked, this.expressions.read)
    if (rest?.kind !== 'parenthesized_expression') return [annotation, ...this.#detachedAnnotations(rest)]
    return [{ ...annotation, args: new Map([['value', this.expressions.read(rest)]]) }]
  }

  type(node: SyntaxNode, before?: SyntaxNode): TypeUnit {
    const body = childOfKind(node, 'class_body', 'enum_class_body')
    const companions = childrenOfKind(body, 'companion_object').map((one) => childOfKind(one, 'class_body'))
    const members = [body, ...companions].flatMap((one) => one?.children() ?? [])
    const of = (kind: string) => members.filter((one) => one.kind === kind)
    const above = childrenOfKind(node, 'delegation_specifier')
    const base = above
      .map((one) => childOfKind(childOfKind(one, 'constructor_invocation'), 'user_type'))
      .find(Boolean)
    const name = childOfKind(node, 'type_identifier', 'simple_identifier')
    const modifiers = childOfKind(node, 'modifiers')
    return {
      name: name?.text() ?? '',
      kind: kotlinKind(node, modifiers),
      line: name?.line ?? node.line,
      lines: node.lastLine - node.line + 1,
      annotations: [...this.#detachedAnnotations(before), ...this.annotations(modifiers)],
      ...optional({ extends: base?.text() }),
      implements: above.flatMap((one) => childOfKind(one, 'user_type')?.text() ?? []),
      fields: [
        ...this.#constructorProperties(node),
        ...of('property_declaration').map((one) => this.property(one)),
      ],
      constructors: this.#constructors(node, name?.text() ?? ''),
      methods: of('function_declaration').map((one) => this.method(one)),
      calls: [...of('property_declaration'), ...of('anonymous_initializer')].flatMap((one) =>
        this.expressions.callsIn(one),
      ),
    }
  }

  #constructorProperties(node: SyntaxNode): readonly Variable[] {
    return childrenOfKind(childOfKind(node, 'primary_constructor'), 'class_parameter').map((one) =>
      this.parameter(one, childOfKind(one, 'modifiers')),
    )
  }

  #constructors(node: SyntaxNode, name: string): readonly Method[] {
    const primary = childOfKind(node, 'primary_constructor')
    if (primary === undefined) return []
    return [
      {
        ...NO_METHOD,
        name,
        line: primary.line,
        annotations: this.annotations(childOfKind(primary, 'modifiers')),
        parameters: this.#constructorProperties(node),
      },
    ]
  }
}

export const readKotlin = (file: string, root: SyntaxNode): SourceUnit => {
  const imports = root.descend(IMPORTS).map((one) => childOfKind(one, 'identifier')?.text() ?? '')
  const reader = new KotlinReader(imports)
  const functions = root
    .children()
    .filter(({ kind }) => kind === 'function_declaration')
    .map((one) => reader.method(one))
  const properties = root.children().filter(({ kind }) => kind === 'property_declaration')
  const constants = properties.map((one) => reader.property(one))
  const before = new Map(root.children().map((one, at, all) => [one.id, all[at - 1]]))
  return {
    ...NO_UNIT,
    file,
    language: 'kotlin',
    package: childOfKind(childOfKind(root, 'package_header'), 'identifier')?.text() ?? '',
    imports,
    types: root.descend(CLASSES).map((one) => reader.type(one, before.get(one.id))),
    functions,
    topLevel: {
      ...NO_METHOD,
      locals: [...constants, ...functions.flatMap(({ locals, parameters }) => [...parameters, ...locals])],
      calls: [
        ...functions.flatMap(({ calls }) => calls),
        ...properties.flatMap((one) => reader.expressions.callsIn(one)),
      ],
      silentCatches: functions.flatMap(({ silentCatches }) => silentCatches),
    },
  }
}
