/** A language whose files are parsed. */
interface Language {
  /** In lower case, without the dot. */
  readonly extensions: readonly string[]
  /** What ast-grep calls the grammar. */
  readonly grammar: string
  /** The npm package of the grammar; undefined for those built into ast-grep. */
  readonly package?: string
  /** Its name in messages. */
  readonly title?: string
  /** The version of a package that users install themselves, because it is large. */
  readonly optional?: string
  /** Node kinds of comments, and of the text inside string literals. */
  readonly comments: readonly string[]
  readonly strings: readonly string[]
}

const SCRIPT = { comments: ['comment'], strings: ['string_fragment'] } as const

/** Every parsed language. CONTRIBUTING.md lists what else a new language needs. */
export const LANGUAGES = {
  typescript: { extensions: ['ts', 'mts', 'cts'], grammar: 'TypeScript', ...SCRIPT },
  tsx: { extensions: ['tsx'], grammar: 'Tsx', ...SCRIPT },
  javascript: { extensions: ['js', 'mjs', 'cjs', 'jsx', 'es6'], grammar: 'JavaScript', ...SCRIPT },
  swift: {
    extensions: ['swift'],
    grammar: 'swift',
    package: '@ast-grep/lang-swift',
    title: 'Swift',
    optional: '0.0.8',
    comments: ['comment', 'multiline_comment'],
    strings: ['line_str_text', 'multi_line_str_text'],
  },
  kotlin: {
    extensions: ['kt', 'kts'],
    grammar: 'kotlin',
    package: '@ast-grep/lang-kotlin',
    title: 'Kotlin',
    optional: '0.0.7',
    comments: ['line_comment', 'multiline_comment'],
    strings: ['string_content'],
  },
  java: {
    extensions: ['java'],
    grammar: 'java',
    package: '@ast-grep/lang-java',
    comments: ['line_comment', 'block_comment'],
    strings: ['string_fragment'],
  },
  python: {
    extensions: ['py', 'pyi', 'pyw'],
    grammar: 'python',
    package: '@ast-grep/lang-python',
    comments: ['comment'],
    strings: ['string_content'],
  },
  go: {
    extensions: ['go'],
    grammar: 'go',
    package: '@ast-grep/lang-go',
    comments: ['comment'],
    strings: ['interpreted_string_literal_content', 'raw_string_literal_content'],
  },
} as const satisfies Readonly<Record<string, Language>>

export type LanguageName = keyof typeof LANGUAGES

/** Names of grammars, as ast-grep spells them. */
export type Grammar = (typeof LANGUAGES)[LanguageName]['grammar']

/** Grammar → npm package, for the grammars that are not built into ast-grep. */
export const GRAMMAR_PACKAGES: ReadonlyMap<string, string> = new Map(
  Object.values<Language>(LANGUAGES).flatMap(({ grammar, package: name }) =>
    name === undefined ? [] : [[grammar, name] as const],
  ),
)

/** A grammar that is not installed. */
export interface MissingGrammar {
  /** Name of the language. */
  readonly language: string
  /** The command that installs its package. */
  readonly install: string
}

interface OptionalGrammar {
  readonly language: string
  /** Name and version of its npm package. */
  readonly name: string
  readonly version: string
}

/** The grammars that users install themselves, by name. */
export const OPTIONAL_GRAMMARS: ReadonlyMap<string, OptionalGrammar> = new Map(
  Object.values<Language>(LANGUAGES).flatMap(({ grammar, package: name, title, optional: version }) =>
    name === undefined || title === undefined || version === undefined
      ? []
      : [[grammar, { language: title, name, version }] as const],
  ),
)

/** The part after the last dot of a path's last segment, in lower case; empty when there is none. */
export const extensionOf = (path: string): string => {
  // Asked of every path of a repository: two index searches are ten times as fast as a regular expression.
  const dot = path.lastIndexOf('.')
  return dot < 0 || path.includes('/', dot) ? '' : path.slice(dot + 1).toLowerCase()
}

const GRAMMARS: ReadonlyMap<string, Grammar> = new Map(
  Object.values(LANGUAGES).flatMap(({ extensions, grammar }) =>
    extensions.map((extension) => [extension, grammar] as const),
  ),
)

/** The grammar for files with this extension (without the dot). */
export const grammarForExtension = (extension: string): Grammar | undefined => GRAMMARS.get(extension)
