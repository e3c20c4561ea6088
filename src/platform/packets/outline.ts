import { grammarForExtension, type MissingGrammar } from '../../kernel/text/languages.ts'
import type { Span } from '../../packets/build/chunk.ts'
import { parseLines, type SgNode } from '../syntax/ast-grep.ts'
import { missingGrammar } from '../syntax/grammar-packages.ts'

/** Kinds of top-level nodes that declare a name. */
const NAMED =
  /function|class|interface|struct|enum|type_|method|protocol|object_decl|decorated|export_statement|lexical_decl|variable_decl/

/** The declared name of a node, also below `export`, a decorator or `const`. */
const declaredName = (node: SgNode, depth = 3): string | undefined => {
  const own = node.field('name')?.text()
  if (own !== undefined || depth === 0) return own
  const inner =
    node.field('declaration') ??
    node.field('definition') ??
    node.children().find((child) => /declarator|_spec$|identifier$/.test(String(child.kind())))
  if (inner === undefined || inner === null) return undefined
  return /identifier$/.test(String(inner.kind())) ? inner.text() : declaredName(inner, depth - 1)
}

/** The grammar that has to be installed before declarations of such a file are found. */
export const missingGrammarFor = (extension: string): MissingGrammar | undefined =>
  missingGrammar(grammarForExtension(extension.slice(1)) ?? '')

/** The starts of the top-level declarations, each with its leading comment; none without a grammar. */
export const declarationSpans = (extension: string, text: string): readonly Span[] => {
  const grammar = grammarForExtension(extension.slice(1))
  if (grammar === undefined || missingGrammar(grammar) !== undefined) return []
  const spans: Span[] = []
  let comment: { start: number; end: number } | undefined
  for (const node of parseLines(grammar, text).children()) {
    const { start, end } = node.range()
    const kind = String(node.kind())
    if (/comment/.test(kind)) {
      comment =
        comment?.end === start.line - 1 ? { ...comment, end: end.line } : { start: start.line, end: end.line }
      continue
    }
    if (NAMED.test(kind)) {
      const first = comment !== undefined && comment.end >= start.line - 1 ? comment.start : start.line
      const symbol = declaredName(node)
      spans.push({ start: first + 1, ...(symbol !== undefined && { symbol }) })
    }
    comment = undefined
  }
  return spans
}
