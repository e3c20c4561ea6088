import type { SgNode } from '../syntax/ast-grep.ts'

interface Gap {
  readonly parent: RegExp
  readonly before?: RegExp
  readonly text: RegExp
  readonly after?: RegExp
}

/** Syntax that is valid and that the grammars do not know: how the error looks that they report in its place. */
const GAPS: readonly Gap[] = [
  // `<in T>`, `<out T extends U>`, `<in out T>`: the modifier is one too many, or is taken for the name, which then is.
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

/** Whether an error is the grammar's and not the file's. */
export const isGap = (error: SgNode): boolean => {
  const text = error.text()
  const likely = GAPS.filter((gap) => gap.text.test(text))
  if (likely.length === 0) return false
  const [parent, before, after] = [error.parent()?.kind(), error.prev()?.text(), error.next()?.text()]
  return likely.some(
    (gap) =>
      gap.parent.test(String(parent)) &&
      (gap.before === undefined || gap.before.test(before ?? '')) &&
      (gap.after === undefined || gap.after.test(after ?? '')),
  )
}
