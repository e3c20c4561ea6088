import { joinPath, nameOf, resolveBelow, type Warning } from '../source/source-files.ts'
import type { BuildModule, Dependency } from './build-module.ts'
import type { BuildFiles } from './maven.ts'

interface Token {
  readonly kind: 'text' | 'word' | 'mark'
  readonly text: string
  /** Whether a statement may begin here. */
  readonly first: boolean
}

const TOKEN =
  /\/\/[^\n]*|\/\*[^*]*\*+(?:[^/*][^*]*\*+)*\/|"((?:[^"\\\n]|\\.)*)"|'((?:[^'\\\n]|\\.)*)'|([A-Za-z_][\w.]*)|([^\s])/g

/** Words, strings and punctuation of a Groovy or Kotlin build script, without comments. */
const gradleTokens = (script: string): Token[] => {
  const tokens: Token[] = []
  let end = 0
  for (const { 0: whole, 1: double, 2: single, 3: word, 4: mark, index } of script.matchAll(TOKEN)) {
    const between = script.slice(end, index)
    const first = end === 0 || between.includes('\n') || /[{};]$/.test(tokens.at(-1)?.text ?? '')
    if (double !== undefined || single !== undefined)
      tokens.push({ kind: 'text', text: double ?? single ?? '', first })
    else if (word !== undefined) tokens.push({ kind: 'word', text: word, first })
    else if (mark !== undefined) tokens.push({ kind: 'mark', text: mark, first })
    // A comment is not a token, but a newline after it still starts a new statement.
    if (double ?? single ?? word ?? mark) end = index + whole.length
  }
  return tokens
}

const isMark = (token: Token | undefined, ...marks: readonly string[]): boolean =>
  token?.kind === 'mark' && marks.includes(token.text)

/** The string value of a setting: `group = "x"`, `group "x"`, `group("x")`. */
const gradleSetting = (tokens: readonly Token[], word: string): string | undefined => {
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== 'word' || token.text !== word || !token.first) continue
    const next = isMark(tokens[index + 1], '=', '(') ? tokens[index + 2] : tokens[index + 1]
    if (next?.kind === 'text') return next.text
  }
  return undefined
}

/** All strings in the lists after a word: `include "a", "b"`, also over several lines. */
const listsAfter = (tokens: readonly Token[], word: string): string[] => {
  const found: string[] = []
  for (let at = 0; at < tokens.length; at += 1) {
    if (tokens[at]?.kind !== 'word' || tokens[at]?.text !== word) continue
    for (at += 1; at < tokens.length; at += 1) {
      const token = tokens[at]
      if (token?.kind === 'text') found.push(token.text)
      else if (!isMark(token, ',', '(', '[')) break
    }
    at -= 1
  }
  return found
}

const SCOPES: Readonly<Record<string, string>> = {
  implementation: 'compile',
  api: 'compile',
  compile: 'compile',
  compileOnly: 'provided',
  runtimeOnly: 'runtime',
  annotationProcessor: 'provided',
  kapt: 'provided',
  testImplementation: 'test',
  testCompile: 'test',
  testRuntimeOnly: 'test',
}

/** A named argument: `group: "x"` or `group = "x"`. */
const namedArgument = (tokens: readonly Token[], at: number, word: string): string | undefined => {
  const window = tokens.slice(at, at + 14)
  const index = window.findIndex((token, i) => token.text === word && isMark(window[i + 1], ':', '='))
  const value = window[index + 2]
  return index >= 0 && value?.kind === 'text' ? value.text : undefined
}

type Values = ReadonlyMap<string, string>

/** Texts that a script gives a name: `ext { kafka = '3.6' }`, `def kafka = '3.6'`, `set('kafka', '3.6')`. */
const namedTexts = (tokens: readonly Token[]): Values =>
  new Map(
    tokens.flatMap((token, at): readonly [string, string][] => {
      const isSet = token.text === 'set' && isMark(tokens[at + 1], '(') && isMark(tokens[at + 3], ',')
      const isGiven = token.kind === 'word' && isMark(tokens[at + 1], '=')
      const name = isSet ? tokens[at + 2] : token
      const value = isSet ? tokens[at + 4] : isGiven ? tokens[at + 2] : undefined
      return value?.kind === 'text' ? [[name?.text.replace(EXTRA, '') ?? '', value.text]] : []
    }),
  )

const EXTRA = /^((rootProject|project)\.)?(ext\.)?/

const gradleProperties = (text: string): Values =>
  new Map(
    [...text.matchAll(/^[ \t]*([\w.]+)[ \t]*[=:][ \t]*(\S+)/gm)].map(([, name = '', value = '']) => [
      name,
      value,
    ]),
  )

/** Fills `$kafka` and `${kafka}`; what nothing defines stays. */
const fillNames = (text: string, values: Values): string =>
  text.replace(/\$(?:\{([\w.]+)\}|(\w+))/g, (whole, braced?: string, plain?: string) => {
    const found = values.get((braced ?? plain ?? '').replace(EXTRA, ''))
    return found === undefined || found.includes('$') ? whole : found
  })

const dependencyAt = (
  tokens: readonly Token[],
  at: number,
  scope: string,
  values: Values,
): Dependency | undefined => {
  let next = at + 1
  while (isMark(tokens[next], '(') || /^(platform|enforcedPlatform)$/.test(tokens[next]?.text ?? ''))
    next += 1
  const token = tokens[next]
  const [groupId = '', artifactId, written = ''] =
    token?.kind === 'text'
      ? fillNames(token.text, values).split(':')
      : [
          namedArgument(tokens, next, 'group'),
          namedArgument(tokens, next, 'name'),
          namedArgument(tokens, next, 'version'),
        ]
  if (groupId === '' || artifactId === undefined) return undefined
  const version = fillNames(written, values)
  return { groupId, artifactId, ...(version !== '' && !version.includes('$') && { version }), scope }
}

const gradleDependencies = (tokens: readonly Token[], values: Values): Dependency[] =>
  tokens.flatMap((token, at) => {
    const scope = token.kind === 'word' && Object.hasOwn(SCOPES, token.text) ? SCOPES[token.text] : undefined
    return scope === undefined ? [] : (dependencyAt(tokens, at, scope, values) ?? [])
  })

const gradleJavaLevel = (tokens: readonly Token[]): string | undefined => {
  const at = tokens.findIndex(({ text }) => text === 'JavaLanguageVersion.of')
  const digits =
    at < 0
      ? ''
      : tokens
          .slice(at + 2, at + 5)
          .map(({ text }) => text)
          .join('')
          .replace(/\D.*$/, '')
  return digits === '' ? gradleSetting(tokens, 'sourceCompatibility') : digits
}

const gradleBootVersion = (tokens: readonly Token[]): string | undefined => {
  const at = tokens.findIndex(({ kind, text }) => kind === 'text' && text === 'org.springframework.boot')
  const window = at < 0 ? [] : tokens.slice(at, at + 6)
  const version = window[window.findIndex(({ text }) => text === 'version') + 1]
  return version?.kind === 'text' && version !== window[0] ? version.text : undefined
}

const scriptOf = (files: BuildFiles, folder: string, name: string): string | undefined =>
  [`${name}.gradle.kts`, `${name}.gradle`].map((one) => joinPath(folder, one)).find((path) => files.has(path))

const tokensOf = (files: BuildFiles, file: string | undefined): readonly Token[] =>
  file === undefined ? [] : gradleTokens(files.read(file) ?? '')

const gradleModule = (
  files: BuildFiles,
  folder: string,
  name: string,
  shared: Values,
  above?: BuildModule,
): BuildModule => {
  const file = scriptOf(files, folder, 'build')
  const tokens = tokensOf(files, file)
  const declared = {
    file,
    groupId: gradleSetting(tokens, 'group') ?? above?.groupId,
    artifactId: name,
    version: gradleSetting(tokens, 'version') ?? above?.version,
    description: gradleSetting(tokens, 'description'),
    java: gradleJavaLevel(tokens) ?? above?.java,
    springBoot: gradleBootVersion(tokens) ?? above?.springBoot,
  }
  return {
    tool: 'gradle',
    path: folder,
    name,
    ...Object.fromEntries(Object.entries(declared).filter(([, value]) => value !== undefined)),
    modules: [],
    dependencies: gradleDependencies(tokens, new Map([...shared, ...namedTexts(tokens)])),
  }
}

/** Folders of the included modules: `a/b` for `a:b`, unless `projectDir` is set. */
const includedFolders = (tokens: readonly Token[]): Map<string, string> => {
  const folders = new Map(
    listsAfter(tokens, 'include').map((name) => [
      name.replace(/^:/, ''),
      name.replace(/^:/, '').replaceAll(':', '/'),
    ]),
  )
  for (const [at, token] of tokens.entries()) {
    if (token.text !== '.' || tokens[at + 1]?.text !== 'projectDir') continue
    const name = tokens[at - 2]?.text.replace(/^:/, '')
    const path = tokens.slice(at + 2, at + 9).find(({ kind }) => kind === 'text')?.text
    if (name !== undefined && path !== undefined && folders.has(name)) folders.set(name, path)
  }
  return folders
}

/** The modules of a Gradle build, read from its scripts as text. No script is executed. */
export const readGradle = (
  files: BuildFiles,
  rootName: string,
): { readonly modules: readonly BuildModule[]; readonly warnings: readonly Warning[] } => {
  const warnings: Warning[] = []
  const settings = scriptOf(files, '', 'settings')
  const tokens = tokensOf(files, settings)
  const shared = new Map([
    ...gradleProperties(files.read('gradle.properties') ?? ''),
    ...namedTexts(tokensOf(files, scriptOf(files, '', 'build'))),
  ])
  const root = gradleModule(files, '', gradleSetting(tokens, 'rootProject.name') ?? rootName, shared)
  const modules: BuildModule[] = []
  for (const [name, path] of [...includedFolders(tokens)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const folder = resolveBelow('', path)
    if (folder === undefined || folder === '') {
      const message = `the module ${JSON.stringify(name)} is outside of the project`
      warnings.push({ code: 'module_outside', file: settings ?? '', message })
    } else modules.push(gradleModule(files, folder, nameOf(name.replaceAll(':', '/')), shared, root))
  }
  return { modules: [{ ...root, modules: modules.map(({ path }) => path) }, ...modules], warnings }
}

export const isGradle = (files: BuildFiles): boolean =>
  scriptOf(files, '', 'settings') !== undefined || scriptOf(files, '', 'build') !== undefined
