import type { SgNode } from '../syntax/ast-grep.ts'

interface Gap {
  readonly parent: RegExp
  readonly before?: RegExp
  readonly text: RegExp
  readonly after?: RegExp
}

/** The errors that the grammars report for valid syntax that they do not know. */
const GAPS: readonly Gap[] = [
  // `<in T>`, `<out T extends U>`, `<in out T>`: the error is the variance modifier, or the identifier after it.
  { parent: /^type_parameters$/, text: /^(?:in|out|in\s+out)$/, after: /^[\p{ID_Start}$_]/u },
  {
    parent: /^type_parameters?$/,
    before: /^(?:in|out)$/,
    text: /^(?:out\s+)?[\p{ID_Start}$_][\p{ID_Continue}$]*$/u,
  },
  // `export type * from 'a'`, `import defer * as a from 'a'`
  { parent: /^export_statement$/, before: /^export$/, text: /^type$/, after: /^\*/ },
  { parent: /^import_statement$/, before: /^import$/, text: /^defer$/, after: /^\*/ },
]

/** Whether an error node is a gap of the grammar and not a syntax error in the file. */
export const isGap = (error: SgNode): boolean => {
  const text = error.text()
  const candidates = GAPS.filter((gap) => gap.text.test(text))
  if (candidates.length === 0) return false
  const [parent, before, after] = [error.parent()?.kind(), error.prev()?.text(), error.next()?.text()]
  return candidates.some(
    (gap) =>
      gap.parent.test(String(parent)) &&
      (gap.before === undefined || gap.before.test(before ?? '')) &&
      (gap.after === undefined || gap.after.test(after ?? '')),
  )
}
