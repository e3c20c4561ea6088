import type { MissingGrammar } from './languages.ts'

interface UnparsedLanguage extends MissingGrammar {
  /** In code-unit order. */
  readonly files: readonly string[]
  /** Such as `3 Kotlin files`. */
  readonly title: string
}

/** Collects the files that cannot be parsed, because the grammar of their language is not installed. */
export class UnparsedFiles {
  readonly #languages = new Map<string, { readonly missing: MissingGrammar; readonly files: string[] }>()

  add(file: string, missing: MissingGrammar): void {
    const found = this.#languages.get(missing.language) ?? { missing, files: [] }
    found.files.push(file)
    this.#languages.set(missing.language, found)
  }

  /** By language, in the order of their names. */
  languages(): readonly UnparsedLanguage[] {
    return [...this.#languages.keys()].sort().flatMap((name) => {
      const found = this.#languages.get(name)
      if (found === undefined) return []
      const files = found.files.toSorted()
      return [
        {
          ...found.missing,
          files,
          title: `${files.length} ${name} ${files.length === 1 ? 'file' : 'files'}`,
        },
      ]
    })
  }
}
