import { childOfKind, type SyntaxNode } from '../../kernel/syntax-tree.ts'
import type { TypeKind } from '../source/source-unit.ts'

/** Parts of Kotlin declarations that the grammar does not name. */

export const TYPES = ['user_type', 'nullable_type', 'function_type']
export const typesOf = (nodes: readonly SyntaxNode[]): string =>
  (nodes.find(({ kind }) => TYPES.includes(kind))?.text() ?? '').replace(/\s+/g, ' ').replace(/\?$/, '')

export const typeText = (node: SyntaxNode | undefined): string => typesOf(node?.children() ?? [])

/** The value of a delegated property: the last statement of `by lazy { … }`, else the delegate itself. */
export const delegated = (delegate: SyntaxNode | undefined): SyntaxNode | undefined => {
  const value = delegate?.children()[0]
  const [callee, suffix] = value?.children() ?? []
  if (value?.kind !== 'call_expression' || callee?.text() !== 'lazy') return value
  const lambda = childOfKind(childOfKind(suffix, 'annotated_lambda'), 'lambda_literal')
  return childOfKind(lambda, 'statements')?.children().at(-1)
}

export const kindOf = (node: SyntaxNode, modifiers: SyntaxNode | undefined): TypeKind => {
  if (node.kind === 'object_declaration') return 'object'
  const keywords = node.words()
  const text = modifiers?.text() ?? ''
  if (keywords.includes('interface')) return 'interface'
  if (keywords.includes('enum')) return 'enum'
  if (/\bannotation$/.test(text)) return '@interface'
  if (/\bdata$/.test(text)) return 'record'
  return /\b(abstract|sealed)$/.test(text) ? 'abstract class' : 'class'
}
