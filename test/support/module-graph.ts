import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'

/** A source file of the repository. */
export interface SourceText {
  readonly path: string
  readonly text: string
}

/** Files that git tracks, or would track, below the folders. A file deleted but not yet committed is left out. */
export const trackedFiles = (...folders: readonly string[]): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', ...folders], {
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '' && existsSync(path))

export const readSources = (paths: readonly string[]): SourceText[] =>
  paths.map((path) => ({ path, text: readFileSync(path, 'utf8') }))

export const withoutComments = (text: string): string =>
  text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')

const DECLARATION =
  /^export (?:declare |abstract |async )*(?:const|let|class|interface|type|function\*?) (\w+)/gm
const NAMED_EXPORT = /^export (?:type )?\{([^}]*)\}/gm
const NAMED_IMPORT = /\b(?:import|export)\b(?: type)?(?:\s+\w+,)?\s*\{([^}]*)\}\s*from\s*'([^']+)'/g
const NAMESPACE_IMPORT = /\bimport \* as (\w+) from '([^']+)'/g
const DYNAMIC_IMPORT = /\bimport\(\s*'([^']+)'\s*\)/g

/** The names of a list such as `a, type b as c`, as the imported or the exporting side spells them. */
const namesIn = (list: string, side: 'first' | 'last'): string[] =>
  list
    .split(',')
    .map((part) => part.trim().replace(/^type /, ''))
    .filter((part) => part !== '')
    .map((part) => part.split(/ as /).at(side === 'first' ? 0 : -1) as string)

/** Names that the file declares and exports itself. */
export const declaredExports = (text: string): string[] =>
  [...withoutComments(text).matchAll(DECLARATION)].map(([, name]) => name as string)

/** Names that the file exports: its own, and those it passes on from another file. */
const exportedNames = (text: string): string[] => [
  ...declaredExports(text),
  ...[...withoutComments(text).matchAll(NAMED_EXPORT)].flatMap(([, list = '']) => namesIn(list, 'last')),
]

const resolve = (from: string, specifier: string): string => normalize(join(dirname(from), specifier))

const wordsOf = (text: string): Set<string> => new Set(text.match(/\w+/g))

/** The exports of `src/` that no other file imports, as `path: name`. */
export const unusedExports = (sources: readonly SourceText[], bundled: readonly SourceText[]): string[] => {
  const used = new Map<string, Set<string>>()
  const use = (path: string, names: Iterable<string>) => {
    const known = used.get(path) ?? new Set()
    for (const name of names) known.add(name)
    used.set(path, known)
  }
  for (const { path, text } of sources) {
    const code = withoutComments(text)
    for (const [, list = '', specifier = ''] of code.matchAll(NAMED_IMPORT))
      use(resolve(path, specifier), namesIn(list, 'first'))
    for (const [, name = '', specifier = ''] of code.matchAll(NAMESPACE_IMPORT))
      use(
        resolve(path, specifier),
        [...code.matchAll(new RegExp(`\\b${name}\\.(\\w+)`, 'g'))].map(([, member]) => member as string),
      )
    // What a dynamic import is used for is not always written beside it: every word of the file may be it.
    for (const [, specifier = ''] of text.matchAll(DYNAMIC_IMPORT))
      use(resolve(path, specifier), wordsOf(text))
  }
  // Programs that bundle sources name the files as text.
  const bundledText = bundled.map(({ text }) => text).join('\n')
  const bundledWords = wordsOf(bundledText)
  for (const { path } of sources) if (bundledText.includes(path)) use(path, bundledWords)
  return sources
    .filter(({ path }) => path.startsWith('src/') && !path.endsWith('.test.ts'))
    .flatMap(({ path, text }) =>
      exportedNames(text)
        .filter((name) => !used.get(path)?.has(name))
        .map((name) => `${path}: ${name}`),
    )
}
