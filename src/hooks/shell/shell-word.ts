/** What the shell puts in place of a part of a word when it runs. */
export type Expansion =
  /** A variable; `fallback` is the text of `${NAME:-fallback}`. */
  | { readonly kind: 'variable'; readonly name: string; readonly fallback?: string }
  /** The output of commands. */
  | { readonly kind: 'command'; readonly script: string }
  | { readonly kind: 'other' }

/** A part of a word: literal text, or an expansion. */
export interface WordPart {
  readonly text: string
  readonly quoted: boolean
  readonly expansion?: Expansion
}

export interface ShellWord {
  readonly parts: readonly WordPart[]
}

export interface Redirect {
  /** `<`, `>`, `>>`, `<<`, `<<<`, `&>` … */
  readonly operator: string
  /** The file, or the text of a here-document or here-string. */
  readonly target: ShellWord
}

export type ShellToken =
  | { readonly kind: 'word'; readonly word: ShellWord }
  | { readonly kind: 'operator'; readonly text: string }
  | { readonly kind: 'redirect'; readonly redirect: Redirect }
