import type { PatchHunk } from './parse-patch.ts'

export interface Replacement {
  readonly from: string
  readonly to: string
  readonly all: boolean
}

/** What a tool does to one file. */
export type FileEdit = { readonly path: string } & (
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'append'; readonly text: string }
  | { readonly kind: 'replace'; readonly replacements: readonly Replacement[] }
  | { readonly kind: 'insert'; readonly line: number; readonly text: string }
  | { readonly kind: 'hunks'; readonly hunks: readonly PatchHunk[]; readonly to?: string }
  | { readonly kind: 'delete' }
  | { readonly kind: 'cell'; readonly cell: NotebookCell }
  /** Text that is put somewhere into the file: where is known to the client alone. */
  | { readonly kind: 'fragment'; readonly text: string }
)

/** A change of one cell of a notebook. */
export interface NotebookCell {
  readonly mode: 'replace' | 'insert' | 'delete'
  /** The id of the cell, or its number. */
  readonly cell: string | number | undefined
  readonly type: string | undefined
  readonly source: string
}
