import { optional } from '../../kernel/optional.ts'
import { childOfKind, childrenOfKind, digestOf, type SyntaxNode } from '../../kernel/syntax-tree.ts'
import {
  type Annotation,
  callIn,
  type Method,
  NO_METHOD,
  nameIn,
  type SourceUnit,
  type TypeUnit,
  type Variable,
} from '../source/source-unit.ts'
import { ExpressionReader } from './expression-reader.ts'
import { addressReturned, SCRIPT } from './script-expression.ts'
import { moduleNames, patternNames, readBindings, readExports } from './script-modules.ts'

/** Directives at the start of a file or body: `'use server'`. */
const directivesOf = (node: SyntaxNode | undefined): readonly string[] => {
  const found: string[] = []
  for (const one of node?.children() ?? []) {
    if (one.kind === 'comment') continue
    const [value] = one.kind === 'expression_statement' ? one.children() : []
    if (value?.kind !== 'string') break
    found.push(value.text().slice(1, -1))
  }
  return found
}

/** `function a() {}` and `const a = () => {}` of one statement, exported or not. */
const functionsIn = (statement: SyntaxNode) => {
  const node = statement.kind === 'export_statement' ? statement.field('declaration') : statement
  if (/^(generator_)?function_declaration$/.test(node?.kind ?? ''))
    return [{ name: node?.field('name'), body: node?.field('body') }]
  return childrenOfKind(node, 'variable_declarator').flatMap((one) => {
    const value = one.field('value')
    return /^(arrow_function|function_expression)$/.test(value?.kind ?? '')
      ? [{ name: one.field('name'), body: value?.field('body') }]
      : []
  })
}

const VARIABLES = ['variable_declarator', 'assignment_expression']
const DECLARED = [...VARIABLES, 'required_parameter']
const CATCHES = ['catch_clause']
const NAME_FIELDS: Readonly<Record<string, string>> = {
  assignment_expression: 'left',
  required_parameter: 'pattern',
  optional_parameter: 'pattern',
}
const CLASSES = ['class_declaration', 'abstract_class_declaration']

const typeOf = (node: SyntaxNode | undefined): string =>
  node?.field('type')?.text().replace(/^:\s*/, '') ?? ''

/** The name of a variable, parameter or field; the left side of an assignment. */
const nameNode = (node: SyntaxNode): SyntaxNode | undefined => node.field(NAME_FIELDS[node.kind] ?? 'name')

class ScriptReader {
  readonly #expressions = new ExpressionReader(SCRIPT)

  decorator(node: SyntaxNode): Annotation {
    const [called] = node.children()
    const found = this.#expressions.read(called)
    const call = callIn(found)
    const name = call?.name ?? nameIn(found)
    const [first, ...others] = call?.args ?? []
    const named =
      first?.kind === 'record' ? [...first.entries] : first === undefined ? [] : [['value', first] as const]
    return {
      name,
      line: node.line,
      args: new Map([...named, ...others.map((one, at) => [`${at + 1}`, one] as const)]),
    }
  }

  variable(node: SyntaxNode, named = nameNode(node)): Variable {
    const value = node.field(node.kind === 'assignment_expression' ? 'right' : 'value')
    const isLocal = VARIABLES.includes(node.kind)
    return {
      name:
        named
          ?.text()
          .replace(/^this\./, '')
          .slice(0, 200) ?? '',
      type: node.kind === 'assignment_expression' ? '' : typeOf(node),
      line: node.line,
      annotations: isLocal ? [] : childrenOfKind(node, 'decorator').map((one) => this.decorator(one)),
      ...optional({ value: value && this.#expressions.read(value) }),
    }
  }

  /** Names of a pattern such as `{ url, id: key }` have no known value. */
  variables(node: SyntaxNode): readonly Variable[] {
    const named = nameNode(node)
    if (named?.kind !== 'object_pattern' || node.kind === 'assignment_expression')
      return [this.variable(node, named)]
    return patternNames(named).map(([name]) => ({ name, type: '', line: node.line, annotations: [] }))
  }

  method(node: SyntaxNode, decorators: readonly SyntaxNode[]): Method {
    const [name, body] = [node.field('name'), node.field('body')]
    const text = body?.text() ?? ''
    return {
      name: name?.text() ?? '',
      line: name?.line ?? node.line,
      lines: body === undefined ? 0 : Math.max(1, body.lastLine - body.line - 1),
      annotations: decorators.map((one) => this.decorator(one)),
      returns: node.field('return_type')?.text().replace(/^:\s*/, '') ?? '',
      parameters: childrenOfKind(node.field('parameters'), 'required_parameter', 'optional_parameter').map(
        (one) => this.variable(one),
      ),
      locals: (body?.descend(VARIABLES) ?? []).map((one) => this.variable(one)),
      calls: this.#expressions.callsIn(body, text),
      ...addressReturned(node, this.#expressions.read),
      digest: digestOf(body, text),
      silentCatches: (/\bcatch\b/.test(text) ? (body?.descend(CATCHES) ?? []) : [])
        .filter((one) => one.field('body')?.children().length === 0)
        .map(({ line }) => line),
    }
  }

  type(node: SyntaxNode): TypeUnit {
    const outer = node.parent()
    const decorators = [node, ...(outer?.kind === 'export_statement' ? [outer] : [])].flatMap((one) =>
      childrenOfKind(one, 'decorator'),
    )
    const heritage = childOfKind(node, 'class_heritage')
    const base = childOfKind(heritage, 'extends_clause')?.children()[0]
    const body = node.field('body')
    const fields = childrenOfKind(body, 'public_field_definition', 'field_definition')
    const methods = this.#methods(body)
    return {
      name: node.field('name')?.text() ?? '',
      kind: node.kind === 'abstract_class_declaration' ? 'abstract class' : 'class',
      line: node.field('name')?.line ?? node.line,
      lines: node.lastLine - node.line + 1,
      annotations: decorators.map((one) => this.decorator(one)),
      ...optional({ extends: base?.text().slice(0, 200) }),
      implements:
        childOfKind(heritage, 'implements_clause')
          ?.children()
          .map((one) => one.text()) ?? [],
      fields: fields.map((one) => this.variable(one)),
      constructors: methods.filter(({ name }) => name === 'constructor'),
      methods: methods.filter(({ name }) => name !== 'constructor'),
      // Modules of Nest make their connections in a decorator.
      calls: [...decorators, ...fields].flatMap((one) => this.#expressions.callsIn(one)),
    }
  }

  /** In the tree, decorators are siblings before their method. */
  #methods(body: SyntaxNode | undefined): readonly Method[] {
    let decorators: SyntaxNode[] = []
    return (body?.children() ?? []).flatMap((one) => {
      if (one.kind === 'decorator') decorators.push(one)
      if (one.kind === 'decorator' || one.kind === 'comment') return []
      const found = one.kind === 'method_definition' ? [this.method(one, decorators)] : []
      decorators = []
      return found
    })
  }

  /** Declared functions with their directives; their code belongs to the top level. */
  functions(root: SyntaxNode): readonly Method[] {
    const inFile = directivesOf(root)
    return root.children().flatMap((one) =>
      functionsIn(one).map(({ name, body }) => ({
        ...NO_METHOD,
        name: name?.text() ?? '',
        line: name?.line ?? one.line,
        annotations: [...inFile, ...directivesOf(body)].map((directive) => ({
          name: directive,
          line: one.line,
          args: new Map(),
        })),
      })),
    )
  }

  /** `export default { … }` as a variable of this name. */
  #defaultExport(root: SyntaxNode): readonly Variable[] {
    return childrenOfKind(root, 'export_statement').flatMap((one) => {
      const value = one.field('value')
      return /^(object|call_expression|new_expression|satisfies_expression)$/.test(value?.kind ?? '')
        ? [{ ...this.variable(one), name: 'default' }]
        : []
    })
  }

  /** `enum Route { Users = 'users' }` as a record. */
  #enums(root: SyntaxNode): readonly Variable[] {
    const declared = root
      .children()
      .map((one) => (one.kind === 'export_statement' ? one.field('declaration') : one))
      .filter((one) => one?.kind === 'enum_declaration')
    return declared.map((one) => ({
      name: one?.field('name')?.text() ?? '',
      type: '',
      line: one?.line ?? 1,
      annotations: [],
      value: {
        kind: 'record',
        entries: new Map(
          childrenOfKind(one?.field('body'), 'enum_assignment').map((member) => [
            member.field('name')?.text() ?? '',
            this.#expressions.read(member.field('value')),
          ]),
        ),
      },
    }))
  }

  topLevel(root: SyntaxNode): Method {
    const outside = root
      .children()
      .filter((one) => !CLASSES.includes(one.kind) && childOfKind(one, ...CLASSES) === undefined)
    const declared = outside.flatMap((one) => one.descend(DECLARED))
    return {
      ...NO_METHOD,
      locals: [
        ...declared.flatMap((one) => this.variables(one)),
        ...this.#defaultExport(root),
        ...this.#enums(root),
      ],
      calls: outside.flatMap((one) => this.#expressions.callsIn(one)),
    }
  }
}

export const readScript = (file: string, root: SyntaxNode): SourceUnit => {
  const reader = new ScriptReader()
  return {
    file,
    language: 'script',
    package: '',
    imports: moduleNames(root),
    bindings: readBindings(root),
    exports: readExports(root),
    types: root.descend(CLASSES).map((one) => reader.type(one)),
    functions: reader.functions(root),
    topLevel: reader.topLevel(root),
  }
}
