import { optional } from '../../kernel/optional.ts'
import { childOfKind, childrenOfKind, digestOf, type SyntaxNode } from '../../kernel/syntax-tree.ts'
import type { Expression } from '../source/source-unit.ts'
import {
  type Annotation,
  type ImportBinding,
  type Method,
  NO_METHOD,
  NO_UNIT,
  nameIn,
  plainVariable,
  type SourceUnit,
  type TypeUnit,
  type Variable,
} from '../source/source-unit.ts'
import { ExpressionReader } from './expression-reader.ts'
import { PYTHON } from './python-expression.ts'

const ASSIGNMENTS = ['assignment', 'augmented_assignment', 'as_pattern', 'named_expression']
const CATCHES = ['except_clause']
const RETURNS = ['return_statement']
const IMPORTS = ['import_statement', 'import_from_statement']
const CLASSES = ['class_definition']
const PARAMETERS = ['identifier', 'typed_parameter', 'default_parameter', 'typed_default_parameter']
/** Statements whose blocks belong to the scope around them. */
const COMPOUNDS =
  /^(if_statement|else_clause|elif_clause|try_statement|except_clause|finally_clause|with_statement|for_statement|while_statement|block)$/
const MAX_NESTING = 12

/** The imported names of a statement, by their name in the file. */
const importedNames = (statement: SyntaxNode): readonly (readonly [string, ImportBinding])[] => {
  const from = statement.kind === 'import_from_statement' ? statement.children()[0] : undefined
  const module = from?.text().replace(/\s/g, '') ?? ''
  const names = statement.children().slice(from === undefined ? 0 : 1)
  return names.flatMap((one): readonly (readonly [string, ImportBinding])[] => {
    const alias = one.kind === 'aliased_import' ? one.field('alias')?.text() : undefined
    const name = (one.kind === 'aliased_import' ? one.field('name') : one)?.text() ?? ''
    if (one.kind === 'comment') return []
    // The key cannot be a name: the import binds all names of the module.
    if (one.kind === 'wildcard_import') return [[`* ${module}`, { module, name: '*' }]]
    if (from !== undefined) return [[alias ?? name, { module, name }]]
    // `import a.b` binds `a`; `import a.b as c` binds the inner module.
    return alias === undefined
      ? [[name.split('.')[0] ?? name, { module: name, name: '*' }]]
      : [[alias, { module: name, name: '*' }]]
  })
}

/** A definition without its decorators. */
const definitionOf = (node: SyntaxNode): SyntaxNode =>
  (node.kind === 'decorated_definition' ? node.field('definition') : undefined) ?? node

/** `self.x` is `x`; `app.config["X"]` is `config[X]`. */
const assignedName = (target: string): string =>
  target.replace(/^(self|cls)\./, '').replace(/^(?:\w+\.)*(config)\[["'](\w+)["']\]$/, '$1[$2]')

class PythonReader {
  readonly #expressions = new ExpressionReader(PYTHON)

  decorator(node: SyntaxNode): Annotation {
    const [inside] = node.children()
    const found = this.#expressions.read(inside)
    if (found.kind !== 'call') return { name: nameIn(found), line: node.line, args: new Map() }
    const { receiver, name, args } = found.call
    const keywords = args.at(-1)
    const [first] = args
    const owner = receiver?.kind === 'name' ? `${receiver.name}.` : ''
    return {
      name: `${owner}${name}`,
      line: node.line,
      args: new Map([
        ...(first === undefined || first.kind === 'record' ? [] : [['value', first] as const]),
        ...(args.length < 2 ? [] : [['*', { kind: 'list', items: args } as const] as const]),
        ...(keywords?.kind === 'record' ? keywords.entries : []),
      ]),
    }
  }

  #readIfAny(node: SyntaxNode | undefined): Expression | undefined {
    return node === undefined ? undefined : this.#expressions.read(node)
  }

  /** Also `with … as name` and `name := …`. */
  assignment(node: SyntaxNode): Variable {
    const value =
      node.kind === 'as_pattern' ? node.children()[0] : (node.field('right') ?? node.field('value'))
    const target = node.field('left') ?? node.field('alias') ?? node.field('name')
    const name = assignedName(target?.text().slice(0, 200) ?? '')
    return plainVariable(name, node.line, this.#readIfAny(value), node.field('type')?.text())
  }

  parameter(node: SyntaxNode): Variable {
    const name = node.kind === 'identifier' ? node : (node.field('name') ?? node.children()[0])
    const value = this.#readIfAny(node.field('value'))
    return plainVariable(name?.text() ?? '', node.line, value, node.field('type')?.text())
  }

  method(node: SyntaxNode, decorators: readonly SyntaxNode[]): Method {
    const body = node.field('body')
    return {
      name: node.field('name')?.text() ?? '',
      line: node.field('name')?.line ?? node.line,
      lines: body === undefined ? 0 : body.lastLine - body.line + 1,
      annotations: decorators.map((one) => this.decorator(one)),
      returns: node.field('return_type')?.text() ?? '',
      parameters: childrenOfKind(node.field('parameters'), ...PARAMETERS).map((one) => this.parameter(one)),
      locals: (body?.descend(ASSIGNMENTS) ?? []).map((one) => this.assignment(one)),
      calls: this.#expressions.callsIn(body),
      returned: (body?.descend(RETURNS) ?? []).map((one) => this.#expressions.read(one.children()[0])),
      digest: digestOf(body, body?.text() ?? ''),
      silentCatches: (body?.descend(CATCHES) ?? [])
        .filter((one) => /^(pass|\.\.\.)$/.test(childOfKind(one, 'block')?.text().trim() ?? ''))
        .map(({ line }) => line),
    }
  }

  /** Functions that are statements of a body, with their decorators. */
  functions(body: SyntaxNode | undefined): readonly Method[] {
    return (body?.children() ?? []).flatMap((one) => {
      const definition = definitionOf(one)
      return definition.kind === 'function_definition'
        ? [this.method(definition, childrenOfKind(one, 'decorator'))]
        : []
    })
  }

  /** All functions outside of types, outer ones before those inside of them. */
  nestedFunctions(body: SyntaxNode | undefined, depth = 0): readonly Method[] {
    if (body === undefined || depth > MAX_NESTING) return []
    const inside = body.children().flatMap((one) => {
      const definition = definitionOf(one)
      if (definition.kind === 'function_definition')
        return this.nestedFunctions(definition.field('body'), depth + 1)
      return COMPOUNDS.test(one.kind) ? this.nestedFunctions(one, depth + 1) : []
    })
    return [...this.functions(body), ...inside]
  }

  type(node: SyntaxNode): TypeUnit {
    const outer = node.parent()
    const body = node.field('body')
    const bases = (node.field('superclasses')?.children() ?? []).filter(
      ({ kind }) => kind !== 'keyword_argument' && kind !== 'comment',
    )
    const [base, ...others] = bases.map((one) => one.text().slice(0, 200))
    const methods = this.functions(body)
    const statements = childrenOfKind(body, 'expression_statement')
    const fields = statements.flatMap((one) => childrenOfKind(one, ...ASSIGNMENTS))
    return {
      name: node.field('name')?.text() ?? '',
      kind: 'class',
      line: node.field('name')?.line ?? node.line,
      lines: node.lastLine - node.line + 1,
      annotations:
        outer?.kind === 'decorated_definition'
          ? childrenOfKind(outer, 'decorator').map((one) => this.decorator(one))
          : [],
      ...optional({ extends: base }),
      implements: others,
      fields: fields.map((one) => this.assignment(one)),
      constructors: methods.filter(({ name }) => name === '__init__'),
      methods: methods.filter(({ name }) => name !== '__init__'),
      calls: statements.flatMap((one) => this.#expressions.callsIn(one)),
    }
  }

  topLevel(root: SyntaxNode): Method {
    const outside = root.children().filter((one) => definitionOf(one).kind !== 'class_definition')
    return {
      ...NO_METHOD,
      locals: outside.flatMap((one) => one.descend(ASSIGNMENTS)).map((one) => this.assignment(one)),
      calls: outside.flatMap((one) => this.#expressions.callsIn(one)),
    }
  }
}

export const readPython = (file: string, root: SyntaxNode): SourceUnit => {
  const reader = new PythonReader()
  const statements = root.descend(IMPORTS)
  const names = statements.flatMap(importedNames)
  return {
    ...NO_UNIT,
    file,
    language: 'python',
    package: file.replace(/(\/__init__)?\.pyw?$/, '').replaceAll('/', '.'),
    imports: [...new Set(names.map(([, { module }]) => module))],
    bindings: new Map(names),
    types: root.descend(CLASSES).map((one) => reader.type(one)),
    functions: reader.nestedFunctions(root),
    topLevel: reader.topLevel(root),
  }
}
