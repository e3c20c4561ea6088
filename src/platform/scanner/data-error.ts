import { isProduction } from '../../gate/rules/path-kinds.ts'

type Place = readonly [line: number, column: number]

/** Longer files are data, which no person wrote. */
const MAX_CHARS = 262_144
const MAX_YAML_CHARS = 65_536
const MAX_DEPTH = 100
/** Sequences and keys in one line, each inside the one before it. */
const DEEP_LINE = /(?:[-?:][ \t]+){50}|^[ ]{400}/m
const CI_FOLDER = /(^|\/)\.(?:github|gitlab|circleci)\//
/** Folders of files that hold another syntax until a program fills them in. */
const TEMPLATE_FOLDER =
  /(?:^|\/)(?:templates?|skeletons?|schematics|blueprints|generators?|cookiecutter[^/]*)\//i
const TEMPLATE = /(?<!\$)\{\{|\{%|<%|^\s*#(?:if|each|foreach)\b|[:=]\s*@[\w.-]+@/m
/** Files whose readers accept comments and trailing commas. */
const COMMENTED_NAME =
  /(?:^|\/)(?:[tj]sconfig[^/]*|devcontainer|\.eslintrc|\.swcrc|\.babelrc|renovate|turbo|nx|wrangler|deno|biome|appsettings[^/]*)\.json$|\.jsonc$|(?:^|\/)(?:\.?vscode|\.devcontainer|\.zed)\//
// A string that is not closed ends with its line: each character is read once.
const STRING_OR_COMMENT = /"(?:[^"\\\n]|\\.)*"?|\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g
/** Numbers that programs write and JSON does not know. */
const STRING_OR_NUMBER_WORD = /"(?:[^"\\\n]|\\.)*"?|\b(?:NaN|Infinity)\b/g
const STRING_OR_LAST_COMMA = /"(?:[^"\\\n]|\\.)*"?|,(?=\s*[}\]])/g

const blankUnlessString = (text: string): string => (text.startsWith('"') ? text : text.replace(/\S/g, ' '))

const placeOf = (text: string, index: number): Place => {
  const before = text.slice(0, index)
  const start = before.lastIndexOf('\n') + 1
  return [before.split('\n').length - 1, index - start]
}

const jsonError = (text: string): Place | undefined => {
  try {
    JSON.parse(text)
    return undefined
  } catch (error) {
    const position = /at position (\d+)/.exec(String(error))?.[1]
    return placeOf(text, position === undefined ? text.trimEnd().length : Number(position))
  }
}

/** One value a line. */
const isLines = (text: string): boolean => {
  const [first = '', second = ''] = text.trim().split('\n', 2)
  return second !== '' && [first, second].every((line) => jsonError(line) === undefined)
}

const findJsonError = (path: string, text: string): Place | undefined => {
  const place = jsonError(text)
  if (place === undefined || text.trim() === '' || TEMPLATE.test(text) || isLines(text)) return undefined
  if (/\b(?:NaN|Infinity)\b/.test(text)) {
    const numbers = text.replace(STRING_OR_NUMBER_WORD, (one) => (one.startsWith('"') ? one : '0'))
    if (jsonError(numbers) === undefined) return undefined
  }
  const plain = text.replace(STRING_OR_COMMENT, blankUnlessString)
  if (plain === text && !COMMENTED_NAME.test(path)) return place
  return jsonError(plain.replace(STRING_OR_LAST_COMMA, blankUnlessString))
}

/** The parser takes time that grows with the square of the depth. */
const isDeep = (text: string): boolean => {
  let depth = 0
  for (const character of text) {
    if (character === '{' || character === '[') depth += 1
    else if ((character === '}' || character === ']') && depth > 0) depth -= 1
    if (depth > MAX_DEPTH) return true
  }
  return DEEP_LINE.test(text)
}

const findYamlError = async (text: string): Promise<Place | undefined> => {
  if (text.length > MAX_YAML_CHARS || TEMPLATE.test(text) || isDeep(text)) return undefined
  const { parseAllDocuments } = await import('yaml')
  const options = { strict: false, uniqueKeys: false, prettyErrors: false, logLevel: 'silent' } as const
  try {
    const [error] = [...parseAllDocuments(text, options)].flatMap(({ errors }) => errors)
    return error && placeOf(text, error.pos[0])
  } catch {
    // Nested too deep for the parser: nothing is known about the file.
    return undefined
  }
}

/** The first syntax error of a JSON or YAML file that is neither a template nor data of a test. */
export const findDataError = async (path: string, text: string): Promise<Place | undefined> => {
  const [extension = ''] = /\.(?:jsonc?|ya?ml)$/.exec(path) ?? []
  if (extension === '' || text.length > MAX_CHARS || TEMPLATE_FOLDER.test(path)) return undefined
  if (!isProduction(path.replace(CI_FOLDER, '$1src/'))) return undefined
  return extension.startsWith('.json') ? findJsonError(path, text) : findYamlError(text)
}
