import { childOfKind, childrenOfKind, type SyntaxNode } from '../../kernel/syntax-tree.ts'
import type { ImportBinding } from '../source/source-unit.ts'
import { calledName, SCRIPT, scriptArguments } from './script-expression.ts'

/** Imports and exports of a script, in both module systems. */

const unquote = (node: SyntaxNode | undefined): string => node?.text().slice(1, -1) ?? ''

/** The module of `require('x')`, also behind `await` and of `import('x')`. */
const requiredModule = (node: SyntaxNode | undefined): string | undefined => {
  const call = node?.kind === 'await_expression' ? node.children()[0] : node
  if (call?.kind !== 'call_expression') return undefined
  if (!/^(require|import)$/.test(call.field('function')?.text().slice(0, 20) ?? '')) return undefined
  const [first] = call.field('arguments')?.children() ?? []
  return first?.kind === 'string' ? unquote(first) : undefined
}

/** Calls of `require`. */
const requireCalls = (root: SyntaxNode): readonly SyntaxNode[] =>
  /\brequire\s*\(/.test(root.text())
    ? root.descend(SCRIPT.callKinds).filter((one) => calledName(one) === 'require')
    : []

/** The modules that a script imports. */
export const moduleNames = (root: SyntaxNode): readonly string[] => [
  ...childrenOfKind(root, 'import_statement').map((one) => unquote(one.field('source'))),
  ...requireCalls(root).map((one) => unquote(scriptArguments(one)[0])),
]

/** `a` and `b` of `{ a, b: c }`, each with its name in this file. */
export const patternNames = (pattern: SyntaxNode): readonly (readonly [local: string, name: string])[] =>
  pattern.children().flatMap((one) => {
    if (one.kind === 'shorthand_property_identifier_pattern') return [[one.text(), one.text()] as const]
    if (one.kind === 'object_assignment_pattern') {
      const name = one.field('left')?.text() ?? ''
      return [[name, name] as const]
    }
    if (one.kind !== 'pair_pattern') return []
    const value = one.field('value')
    return value?.kind === 'identifier' ? [[value.text(), one.field('key')?.text() ?? ''] as const] : []
  })

const importNames = (statement: SyntaxNode): readonly (readonly [string, ImportBinding])[] => {
  const module = unquote(statement.field('source'))
  const clause = childOfKind(statement, 'import_clause')
  return (clause?.children() ?? []).flatMap((one): readonly (readonly [string, ImportBinding])[] => {
    if (one.kind === 'identifier') return [[one.text(), { module, name: 'default' }]]
    if (one.kind === 'namespace_import') return [[one.children()[0]?.text() ?? '', { module, name: '*' }]]
    return childrenOfKind(one, 'import_specifier').map((specifier) => {
      const name = specifier.field('name')?.text() ?? ''
      return [specifier.field('alias')?.text() ?? name, { module, name }]
    })
  })
}

const requireNames = (declarator: SyntaxNode): readonly (readonly [string, ImportBinding])[] => {
  const value = declarator.field('value')
  const member = value?.kind === 'member_expression' ? value : undefined
  const module = requiredModule(member?.field('object') ?? value)
  const target = declarator.field('name')
  if (module === undefined || target === undefined) return []
  if (target.kind === 'identifier')
    return [[target.text(), { module, name: member?.field('property')?.text() ?? 'default' }]]
  return target.kind === 'object_pattern'
    ? patternNames(target).map(([local, name]) => [local, { module, name }] as const)
    : []
}

const DECLARATORS = ['variable_declarator']

/** Imported names by the name in this file. */
export const readBindings = (root: SyntaxNode): ReadonlyMap<string, ImportBinding> => {
  const statements = childrenOfKind(root, 'lexical_declaration', 'variable_declaration')
  return new Map([
    ...childrenOfKind(root, 'import_statement').flatMap(importNames),
    ...statements.flatMap((one) => childrenOfKind(one, ...DECLARATORS)).flatMap(requireNames),
  ])
}

type Exported = readonly [name: string, value: string | ImportBinding]

const declaredNames = (declaration: SyntaxNode): readonly string[] => {
  const named = declaration.field('name')?.text()
  if (named !== undefined) return [named]
  return childrenOfKind(declaration, ...DECLARATORS).flatMap((one) => {
    const name = one.field('name')
    return name?.kind === 'object_pattern' ? patternNames(name).map(([local]) => local) : (name?.text() ?? '')
  })
}

const statementExports = (statement: SyntaxNode): readonly Exported[] => {
  const source = statement.field('source')
  const module = source === undefined ? undefined : unquote(source)
  const clause = childOfKind(statement, 'export_clause')
  if (clause !== undefined)
    return childrenOfKind(clause, 'export_specifier').map((one) => {
      const name = one.field('name')?.text() ?? ''
      return [one.field('alias')?.text() ?? name, module === undefined ? name : { module, name }]
    })
  const namespace = childOfKind(statement, 'namespace_export')?.children()[0]?.text()
  // A file may export all names of several modules.
  if (module !== undefined) return [[namespace ?? `* ${module}`, { module, name: '*' }]]
  const isDefault = statement.words().includes('default')
  const value = statement.field('value')
  if (isDefault) {
    const named =
      value?.kind === 'identifier' ? value.text() : statement.field('declaration')?.field('name')?.text()
    return [['default', named ?? 'default']]
  }
  const declaration = statement.field('declaration')
  return declaration === undefined ? [] : declaredNames(declaration).map((name) => [name, name])
}

/** `module.exports = x`, `module.exports = { a, b: c }`, `exports.a = b`. */
const assignedExports = (assignment: SyntaxNode): readonly Exported[] => {
  const target = assignment.field('left')?.text().slice(0, 200) ?? ''
  const value = assignment.field('right')
  const [, name] = /^(?:module\.)?exports\.(\w+)$/.exec(target) ?? []
  if (name !== undefined) return [[name, value?.kind === 'identifier' ? value.text() : name]]
  if (target !== 'module.exports') return []
  if (value?.kind !== 'object') return [['default', value?.kind === 'identifier' ? value.text() : 'default']]
  return value.children().flatMap((one): readonly Exported[] => {
    if (one.kind === 'shorthand_property_identifier') return [[one.text(), one.text()]]
    const item = one.kind === 'pair' ? one.field('value') : undefined
    return item?.kind === 'identifier' ? [[one.field('key')?.text() ?? '', item.text()]] : []
  })
}

/** Exported names with their name in this file, or with the module they come from. */
export const readExports = (root: SyntaxNode): ReadonlyMap<string, string | ImportBinding> =>
  new Map([
    ...childrenOfKind(root, 'export_statement').flatMap(statementExports),
    ...childrenOfKind(root, 'expression_statement')
      .flatMap((one) => childrenOfKind(one, 'assignment_expression'))
      .flatMap(assignedExports),
  ])
