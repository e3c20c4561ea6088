import { LANGUAGES, type LanguageName } from '../../kernel/text/languages.ts'

interface KindLists {
  readonly comments: readonly string[]
  readonly strings: readonly string[]
}

const ALIASES: Readonly<Record<string, LanguageName>> = {
  ts: 'typescript',
  js: 'javascript',
  jsx: 'javascript',
  kt: 'kotlin',
  py: 'python',
  golang: 'go',
}

const isLanguage = (name: string): name is LanguageName => Object.hasOwn(LANGUAGES, name)

/** The language that a rule file names, under one of its usual names; undefined when there is no grammar for it. */
export const findLanguage = (name: string): LanguageName | undefined => {
  const lower = name.toLowerCase()
  const known = Object.hasOwn(ALIASES, lower) ? ALIASES[lower] : lower
  return known !== undefined && isLanguage(known) ? known : undefined
}

/** Rules for TypeScript also apply to TSX and JavaScript files; the TSX grammar has all of their node kinds. */
const TSX_TOO: readonly LanguageName[] = ['tsx', 'javascript']

const listGrammars = (language: LanguageName): ReadonlyMap<string, string> => {
  const own = LANGUAGES[language].extensions.map((one) => [one, LANGUAGES[language].grammar] as const)
  if (language !== 'typescript') return new Map(own)
  const others = TSX_TOO.flatMap((name) => LANGUAGES[name].extensions)
  return new Map([...own, ...others.map((one) => [one, LANGUAGES.tsx.grammar] as const)])
}

const RULE_GRAMMARS = new Map(
  (Object.keys(LANGUAGES) as LanguageName[]).map((language) => [language, listGrammars(language)]),
)

/** Extension → grammar, for the files that rules of a language apply to. */
export const grammarsFor = (language: LanguageName): ReadonlyMap<string, string> =>
  RULE_GRAMMARS.get(language) ?? new Map()

export const grammarFor = (language: LanguageName, extension: string): string | undefined =>
  grammarsFor(language).get(extension)

/** Whether a rule reads files of this extension; a rule about text, which has no language, reads all. */
export const readsExtension = (language: LanguageName | undefined, extension: string): boolean =>
  language === undefined || grammarFor(language, extension) !== undefined

/** Rewrites a matcher for another language by translating its comment and string node kinds. */
export const translateKinds = <T>(value: T, from: LanguageName, to: LanguageName): T => {
  const translate = (kind: unknown): readonly string[] | undefined => {
    const { comments, strings }: KindLists = LANGUAGES[from]
    if (comments.includes(String(kind))) return LANGUAGES[to].comments
    return strings.includes(String(kind)) ? LANGUAGES[to].strings : undefined
  }
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit)
    if (typeof node !== 'object' || node === null) return node
    const { kind, ...rest } = Object.fromEntries(
      Object.entries(node).map(([key, member]) => [key, visit(member)]),
    )
    if (kind === undefined) return rest
    const kinds = translate(kind)
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
