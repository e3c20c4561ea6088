import { childrenOfKind, type SyntaxNode } from '../../kernel/syntax-tree.ts'

/** Directives at the start of a file or body: `'use server'`. */
export const directivesOf = (node: SyntaxNode | undefined): readonly string[] => {
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
export const functionsIn = (statement: SyntaxNode) => {
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
