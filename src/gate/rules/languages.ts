/**
 * The languages rules are written for. A file's extension picks the grammar: rules for TypeScript also look at
 * TSX and JavaScript, which the TSX grammar reads as well.
 */
export interface Language {
  /** Name of the grammar for each extension. */
  readonly grammars: Readonly<Record<string, string>>
  /** Kinds of node that are comments, and that hold the text of a string. */
  readonly comments: readonly string[]
  readonly strings: readonly string[]
}

const all = (grammar: string, ...extensions: string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(extensions.map((extension) => [extension, grammar]))

const scripts = ['js', 'mjs', 'cjs', 'jsx']
const script = { comments: ['comment'], strings: ['string_fragment'] }

export const LANGUAGES: Readonly<Record<string, Language>> = {
  typescript: {
    grammars: { ...all('TypeScript', 'ts', 'mts', 'cts'), ...all('Tsx', 'tsx', ...scripts) },
    ...script,
  },
  tsx: { grammars: all('Tsx', 'tsx'), ...script },
  javascript: { grammars: all('JavaScript', ...scripts), ...script },
  swift: {
    grammars: all('swift', 'swift'),
    comments: ['comment', 'multiline_comment'],
    strings: ['line_str_text', 'multi_line_str_text'],
  },
  kotlin: {
    grammars: all('kotlin', 'kt', 'kts'),
    comments: ['line_comment', 'multiline_comment'],
    strings: ['string_content'],
  },
  java: {
    grammars: all('java', 'java'),
    comments: ['line_comment', 'block_comment'],
    strings: ['string_fragment'],
  },
  python: { grammars: all('python', 'py', 'pyi'), comments: ['comment'], strings: ['string_content'] },
  go: {
    grammars: all('go', 'go'),
    comments: ['comment'],
    strings: ['interpreted_string_literal_content', 'raw_string_literal_content'],
  },
}

const ALIASES: Readonly<Record<string, string>> = {
  ts: 'typescript',
  js: 'javascript',
  jsx: 'javascript',
  kt: 'kotlin',
  py: 'python',
  golang: 'go',
}

/** Our name for what a rule file calls its language; undefined when we have no grammar for it. */
export const findLanguage = (word: string): string | undefined => {
  const name = word.toLowerCase()
  const known = ALIASES[name] ?? name
  return Object.hasOwn(LANGUAGES, known) ? known : undefined
}

/** The part after the last dot of a path's last segment, in lower case; empty when there is none. */
export const extensionOf = (path: string): string => {
  // Asked of every path of a repository: looking for two characters is ten times as fast as an expression.
  const dot = path.lastIndexOf('.')
  return dot < 0 || path.includes('/', dot) ? '' : path.slice(dot + 1).toLowerCase()
}

export const grammarFor = (language: string, extension: string): string | undefined => {
  const grammars = LANGUAGES[language]?.grammars
  return grammars !== undefined && Object.hasOwn(grammars, extension) ? grammars[extension] : undefined
}

/** Says of another language what a matcher says of its own: only comments and strings go by different names. */
export const translateKinds = <T>(value: T, from: string, to: string): T => {
  const names = (kind: unknown): readonly string[] | undefined =>
    LANGUAGES[from]?.comments.includes(String(kind))
      ? LANGUAGES[to]?.comments
      : LANGUAGES[from]?.strings.includes(String(kind))
        ? LANGUAGES[to]?.strings
        : undefined
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit)
    if (typeof node !== 'object' || node === null) return node
    const { kind, ...rest } = Object.fromEntries(
      Object.entries(node).map(([key, member]) => [key, visit(member)]),
    )
    if (kind === undefined) return rest
    const kinds = names(kind)
    return kinds === undefined
      ? { ...rest, kind }
      : {
          all: [
            { any: kinds.map((one) => ({ kind: one })) },
            ...(Object.keys(rest).length === 0 ? [] : [rest]),
          ],
        }
  }
  return visit(value) as T
}
