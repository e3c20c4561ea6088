import {
  type Annotation,
  type CallExpression,
  type Expression,
  type Method,
  NO_METHOD,
  type SourceUnit,
  type TypeUnit,
  type Variable,
} from '../source/source-unit.ts'
import { childOfKind, childrenOfKind, digestOf, type SyntaxNode } from '../source/syntax-tree.ts'
import {
  decodeEscapes,
  ExpressionReader,
  type ExpressionRule,
  type ExpressionSyntax,
  joinNames,
  joinParts,
} from './expression-reader.ts'
import { SCRIPT_CALLS } from './relevant-calls.ts'
import { readBindings, readExports } from './script-modules.ts'

const text = (value: string): Expression => ({ kind: 'text', text: value })

const argumentsOf = (node: SyntaxNode): readonly SyntaxNode[] =>
  node
    .field('arguments')
    ?.children()
    .filter(({ kind }) => kind !== 'comment') ?? []

/** The name of a called function; of `require('x')(…)`, the module. */
const nameOfCallee = (callee: SyntaxNode | undefined): string => {
  if (callee?.kind === 'identifier') return callee.text()
  const [module] = callee?.field('function')?.text() === 'require' ? argumentsOf(callee) : []
  return module?.kind === 'string' ? module.text().slice(1, -1) : ''
}

const RULES: Readonly<Record<string, ExpressionRule>> = {
  string: (node) => text(decodeEscapes(node.text().slice(1, -1))),
  template_string: (node, read) =>
    joinParts(node.children().length === 0 ? [text('')] : node.children().map(read)),
  string_fragment: (node) => text(decodeEscapes(node.text())),
  template_substitution: (node, read) => read(node.children()[0]),
  identifier: (node) => ({ kind: 'name', name: node.text() }),
  this: () => ({ kind: 'name', name: 'this' }),
  number: (node) => text(node.text()),
  true: () => text('true'),
  false: () => text('false'),
  await_expression: (node, read) => read(node.children()[0]),
  parenthesized_expression: (node, read) => read(node.children()[0]),
  as_expression: (node, read) => read(node.children()[0]),
  member_expression: (node, read) =>
    joinNames(read(node.field('object')), node.field('property')?.text() ?? ''),
  binary_expression: (node, read) =>
    node.field('operator')?.text() === '+'
      ? joinParts([read(node.field('left')), read(node.field('right'))])
      : undefined,
  array: (node, read) => ({ kind: 'list', items: node.children().map(read) }),
  object: (node, read) => ({
    kind: 'record',
    entries: new Map(
      childrenOfKind(node, 'pair').map((one) => [
        (one.field('key')?.text() ?? '').replace(/^['"]|['"]$/g, ''),
        read(one.field('value')),
      ]),
    ),
  }),
  call_expression: (node, read) => {
    const callee = node.field('function')
    const member = callee?.kind === 'member_expression'
    return {
      kind: 'call',
      call: {
        ...(member && { receiver: read(callee?.field('object')) }),
        name: member ? (callee?.field('property')?.text() ?? '') : nameOfCallee(callee),
        makes: false,
        args: argumentsOf(node).map(read),
        line: (member ? callee?.field('property')?.line : undefined) ?? node.line,
      },
    }
  },
  new_expression: (node, read) => ({
    kind: 'call',
    call: {
      name: node.field('constructor')?.text().slice(0, 200) ?? '',
      makes: true,
      args: argumentsOf(node).map(read),
      line: node.line,
    },
  }),
}

const calledName = (node: SyntaxNode): string => {
  const callee = node.field('function')
  return (
    (callee?.kind === 'member_expression' ? callee.field('property') : callee)?.text().slice(0, 100) ?? ''
  )
}

const SCRIPT: ExpressionSyntax = {
  rule: (node, read) => RULES[node.kind]?.(node, read),
  names: SCRIPT_CALLS,
  nameOf: calledName,
}

/** Calls of `require`. */
const requireCalls = (root: SyntaxNode): readonly SyntaxNode[] =>
  /\brequire\s*\(/.test(root.text()) ? root.descend(CALLS).filter((one) => calledName(one) === 'require') : []

const CALLS = ['call_expression']
const VARIABLES = ['variable_declarator', 'assignment_expression']
const DECLARED = [...VARIABLES, 'required_parameter']
const CATCHES = ['catch_clause']
const CLASSES = ['class_declaration', 'abstract_class_declaration']

const typeOf = (node: SyntaxNode | undefined): string =>
  node?.field('type')?.text().replace(/^:\s*/, '') ?? ''

class ScriptReader {
  readonly #expressions = new ExpressionReader(SCRIPT)

  decorator(node: SyntaxNode): Annotation {
    const [called] = node.children()
    const found = this.#expressions.read(called)
    const call = found.kind === 'call' ? found.call : undefined
    const name = call?.name ?? (found.kind === 'name' ? found.name : '')
    const [first] = call?.args ?? []
    const args =
      first?.kind === 'record'
        ? first.entries
        : new Map(first === undefined ? [] : [['value', first] as const])
    return { name, line: node.line, args }
  }

  calls(node: SyntaxNode, text = node.text()): readonly CallExpression[] {
    return SCRIPT.names.within.test(text) ? this.#expressions.calls(node.descend(CALLS)) : []
  }

  variable(node: SyntaxNode): Variable {
    const value = node.field('value') ?? node.field('right')
    return {
      name:
        (node.field('name') ?? node.field('left') ?? node.field('pattern'))
          ?.text()
          .replace(/^this\./, '')
          .slice(0, 200) ?? '',
      type: typeOf(node),
      line: node.line,
      annotations: childrenOfKind(node, 'decorator').map((one) => this.decorator(one)),
      ...(value !== undefined && { value: this.#expressions.read(value) }),
    }
  }

  method(node: SyntaxNode, decorators: readonly SyntaxNode[]): Method {
    const body = node.field('body')
    return {
      name: node.field('name')?.text() ?? '',
      line: node.field('name')?.line ?? node.line,
      lines: body === undefined ? 0 : Math.max(1, body.lastLine - body.line - 1),
      annotations: decorators.map((one) => this.decorator(one)),
      returns: node.field('return_type')?.text().replace(/^:\s*/, '') ?? '',
      parameters: childrenOfKind(node.field('parameters'), 'required_parameter', 'optional_parameter').map(
        (one) => this.variable(one),
      ),
      locals: (body?.descend(VARIABLES) ?? []).map((one) => this.variable(one)),
      calls: body === undefined ? [] : this.calls(body),
      digest: digestOf(body, body?.text() ?? ''),
      silentCatches: (body?.descend(CATCHES) ?? [])
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
      ...(base !== undefined && { extends: base.text().slice(0, 200) }),
      implements:
        childOfKind(heritage, 'implements_clause')
          ?.children()
          .map((one) => one.text()) ?? [],
      fields: fields.map((one) => this.variable(one)),
      constructors: methods.filter(({ name }) => name === 'constructor'),
      methods: methods.filter(({ name }) => name !== 'constructor'),
      calls: fields.flatMap((one) => this.calls(one)),
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

  topLevel(root: SyntaxNode): Method {
    const outside = root
      .children()
      .filter((one) => !CLASSES.includes(one.kind) && childOfKind(one, ...CLASSES) === undefined)
    const declared = outside.flatMap((one) => one.descend(DECLARED))
    return {
      ...NO_METHOD,
      locals: declared.map((one) => this.variable(one)),
      calls: outside.flatMap((one) => this.calls(one)),
    }
  }
}

export const readScript = (file: string, root: SyntaxNode): SourceUnit => {
  const reader = new ScriptReader()
  const sources = childrenOfKind(root, 'import_statement').map(
    (one) => one.field('source')?.text().slice(1, -1) ?? '',
  )
  const required = requireCalls(root).map((one) => argumentsOf(one)[0]?.text().slice(1, -1) ?? '')
  return {
    file,
    language: 'script',
    package: '',
    imports: [...sources, ...required],
    bindings: readBindings(root),
    exports: readExports(root),
    types: root.descend(CLASSES).map((one) => reader.type(one)),
    functions: [],
    topLevel: reader.topLevel(root),
  }
}
