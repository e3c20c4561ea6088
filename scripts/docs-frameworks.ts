import { KNOWN_LIBRARIES } from '../src/architecture/frameworks/known-libraries.ts'
import { usedLibraries } from '../src/architecture/frameworks/used-libraries.ts'
import { isRelevantFile } from '../src/architecture/project-reader.ts'
import { LANGUAGE_EXTENSIONS } from '../src/architecture/source/file-languages.ts'
import { NO_METHOD, type SourceLanguage } from '../src/architecture/source/source-unit.ts'
import { CORPUS } from '../test/frameworks/corpus.ts'

type Table = (head: readonly string[], rows: readonly (readonly string[])[]) => string

const LANGUAGES: Readonly<Record<SourceLanguage, string>> = {
  java: 'Java',
  kotlin: 'Kotlin',
  script: 'TypeScript, JavaScript',
  python: 'Python',
  go: 'Go',
}

/** A module that a pattern of imports matches: the first choice of each group, without optional parts. */
export const exampleImport = ({ source }: RegExp): string => {
  let text = source.replaceAll('(\\/|$)', '').replaceAll('(\\.|$)', '')
  // Groups from the inside out.
  for (let before = ''; before !== text; ) {
    before = text
    text = text.replace(
      /\((?:\?:)?([^()|]*)[^()]*\)([?*])?/g,
      (_, first: string, repeat: string | undefined) => (repeat === undefined ? first : ''),
    )
  }
  return text
    .replace(/\|.*$/s, '')
    .replace(/\[[^\]]*\][*?]|\\w\*|\w\?/g, '')
    .replace(/\[[^\]]*\]\+|\\w\+/g, 'x')
    .replace(/[\^$]/g, '')
    .replace(/\\(.)/g, '$1')
}

/** Libraries whose files are counted although no detector knows them, by language. */
const countedLibraries = (): readonly (readonly [string, string])[] => {
  const found = new Map<string, Set<string>>()
  for (const { language, imports } of KNOWN_LIBRARIES) {
    const unit = {
      file: 'example',
      language,
      package: '',
      imports: [exampleImport(imports)],
      bindings: new Map(),
      exports: new Map(),
      types: [],
      functions: [],
      topLevel: NO_METHOD,
    }
    for (const { name } of usedLibraries([unit], new Map()).unrecognized.filter(
      (one) =>
        !CORPUS.some(({ framework, language: of }) => framework === one.name && of === LANGUAGES[language]),
    ))
      found.set(LANGUAGES[language], (found.get(LANGUAGES[language]) ?? new Set()).add(name))
  }
  return [...found].map(([language, names]) => [language, [...names].sort().join(', ')])
}

const countedLanguages = (): readonly string[] =>
  Object.entries(LANGUAGE_EXTENSIONS)
    .filter(([, endings]) => !endings.split(' ').some((ending) => isRelevantFile(`x.${ending}`)))
    .map(([language]) => language)
    .sort()

const byName = (a: { readonly framework: string }, b: { readonly framework: string }): number =>
  a.framework.toLowerCase() < b.framework.toLowerCase() ? -1 : 1

/** The frameworks of the snippet corpus, and what is counted only. */
export const frameworksPage = (table: Table): string[] => [
  'What [architecture reports](../architecture-reports.md) recognize in source code. Each row has that many snippets in `test/frameworks/`: code in which it is found, and code that looks alike and is none.',
  table(
    ['framework or library', 'language', 'what is found', 'snippets'],
    [...CORPUS]
      .sort(byName)
      .map(({ framework, language, finds, found, notFound }) => [
        framework,
        language,
        finds.join(', '),
        `${found.length} + ${notFound.length}`,
      ]),
  ),
  '## Counted, not looked at',
  'Reports count the files that import these libraries and say that no detector knows them.',
  table(['language', 'libraries'], countedLibraries()),
  `Files of these languages are counted and not read: ${countedLanguages().join(', ')}.`,
]
