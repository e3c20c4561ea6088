import { Fault } from '../../kernel/fault.ts'
import { type FileBytes, quotePath } from '../../kernel/jail.ts'
import { optional } from '../../kernel/optional.ts'
import type { SyntaxNode } from '../../kernel/syntax-tree.ts'
import { showName } from '../../kernel/text/escape-text.ts'
import { escapeHidden } from '../../kernel/text/hidden-characters.ts'
import type { Grammar } from '../../kernel/text/languages.ts'
import { UnparsedFiles } from '../../kernel/text/unparsed-files.ts'
import { projectFaults } from '../faults.ts'
import { countFitting, decodeFileText } from '../files/text.ts'
import { type WalkEnd, walkTree } from '../files/walk.ts'
import type { JobContext } from '../job-context.ts'
import { type DeclaredSymbol, readSymbols, sourceGrammar } from './declarations.ts'

const MAX_LEVELS = 64
/** Larger sources are generated code. */
const MAX_SOURCE = 2 * 1024 * 1024

interface SymbolList {
  readonly text: string
  readonly symbols: number
  readonly truncated: boolean
  /** Files that have the name and could not be parsed, as sentences with the repair. */
  readonly unparsed?: readonly string[]
}

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/

/** The size limits of an answer. */
interface AnswerLimits {
  readonly limit: number
  /** Maximum size of the text. */
  readonly bytes: number
}

const cutAt = (lines: readonly string[], { limit, bytes }: AnswerLimits): SymbolList => {
  const symbols = Math.min(limit, countFitting(lines, bytes))
  return { text: lines.slice(0, symbols).join('\n'), symbols, truncated: lines.length > symbols }
}

const MAX_NAME = 200

/** Bounded and escaped: some languages allow any character in a name. */
const shownName = (name: string): string =>
  showName(name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name)

const renderOutline = (symbols: readonly DeclaredSymbol[], level: number): string[] =>
  symbols.flatMap(({ name, receiver, kind, line, end, members }) => [
    `${'  '.repeat(level)}${line}-${end} ${kind} ${receiver === undefined ? '' : `${shownName(receiver)}/`}${shownName(name)}`,
    ...renderOutline(members, level + 1),
  ])

/** The declarations of a file: lines, kind and name, members indented. Fewer levels when not all fit. */
export const outlineFile = (
  { jail, rules, checkDeadline, parser }: JobContext,
  { path, depth, ...limits }: AnswerLimits & { readonly path: string; readonly depth: number },
): SymbolList & { readonly depth: number; readonly modified: string } => {
  // Read first: a path outside of the root must fail as such, not for its extension.
  const file = jail.read(path, rules, { bytes: MAX_SOURCE, checkDeadline })
  const grammar = sourceGrammar(path)
  if (grammar === undefined)
    throw projectFaults.grammar(`symbols are not available for this file type: ${quotePath(path)}`)
  const missing = parser.missing(grammar)
  if (missing !== undefined)
    throw projectFaults.grammar_missing(
      `${quotePath(path)} cannot be parsed: the grammar of ${missing.language} is not installed`,
      {
        fix: `Run \`${missing.install}\`, then restart the server. project_read and project_search work without it.`,
      },
    )
  const root = parser.parse(grammar, decodeFileText(file.bytes, path).text)
  for (let shown = depth; ; shown -= 1) {
    const lines = renderOutline(readSymbols(root, shown), 0)
    if (lines.length <= limits.limit || shown === 1)
      return { ...cutAt(lines, limits), depth: shown, modified: new Date(file.modified).toISOString() }
  }
}

const unparsedNotes = (unparsed: UnparsedFiles): Pick<SymbolList, 'unparsed'> => {
  const notes = unparsed
    .languages()
    .map(
      ({ language, title, install }) =>
        `${title} with this name could not be parsed: the grammar of ${language} is not installed (${install})`,
    )
  return notes.length === 0 ? {} : { unparsed: notes }
}

/** Parses every source below a path that contains `word`. Searching the bytes first avoids parsing most files. */
const eachSource = (
  context: JobContext,
  path: string,
  word: string,
  visit: (root: SyntaxNode, path: string, text: string) => boolean,
): WalkEnd & Pick<SymbolList, 'unparsed'> => {
  const unparsed = new UnparsedFiles()
  const wordBytes = Buffer.from(word)
  const visitFile = (grammar: Grammar, file: FileBytes | undefined, shown: string): boolean => {
    if (
      file === undefined ||
      !Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength).includes(wordBytes)
    )
      return true
    const missing = context.parser.missing(grammar)
    if (missing !== undefined) {
      unparsed.add(shown, missing)
      return true
    }
    try {
      const { text } = decodeFileText(file.bytes, shown)
      return visit(context.parser.parse(grammar, text), shown, text)
    } catch (thrown) {
      // `project.*` faults mean that the file is not text: skip it.
      if (thrown instanceof Fault && thrown.code.startsWith('project.')) return true
      throw thrown
    }
  }
  const end = context.jail.within(path, context.rules, (start) =>
    walkTree(
      context,
      start,
      { depth: MAX_LEVELS, ignores: true, exclude: () => false },
      (entry, segments, folder) => {
        const grammar = entry.kind === 'file' ? sourceGrammar(entry.name) : undefined
        if (grammar === undefined) return 'go'
        context.checkDeadline()
        const shown = segments.map(showName).join('/')
        return visitFile(grammar, folder.read(entry.name, MAX_SOURCE), shown) ? 'go' : 'stop'
      },
    ),
  )
  return { ...end, ...unparsedNotes(unparsed) }
}

interface SymbolWithPath {
  /** Names of the enclosing symbols, outermost first, then its own. */
  readonly path: readonly string[]
  readonly symbol: DeclaredSymbol
}

const flatSymbols = (symbols: readonly DeclaredSymbol[], above: readonly string[]): SymbolWithPath[] =>
  symbols.flatMap((symbol) => {
    const path = [...above, ...(symbol.receiver === undefined ? [] : [symbol.receiver]), symbol.name]
    return [{ path, symbol }, ...flatSymbols(symbol.members, path)]
  })

const matchesSymbolPath = (path: readonly string[], wanted: readonly string[], part: boolean): boolean =>
  wanted.length <= path.length &&
  wanted.every((name, at) => {
    const found = path[path.length - wanted.length + at] ?? ''
    return part && at === wanted.length - 1 ? found.includes(name) : found === name
  })

interface FindArgs extends AnswerLimits {
  readonly name: string
  readonly part: boolean
  readonly path: string
}

/** Declarations of a name. `Class/member` is a member of a class. */
export const findSymbol = (context: JobContext, { name, part, path, ...limits }: FindArgs): SymbolList => {
  const wanted = name.split('/').filter((one) => one !== '')
  const last = wanted.at(-1)
  if (last === undefined) throw projectFaults.invalid_params('the name is empty')
  const lines: string[] = []
  const end = eachSource(context, path, last, (root, file) => {
    for (const { path: names, symbol } of flatSymbols(readSymbols(root, MAX_LEVELS), [])) {
      if (matchesSymbolPath(names, wanted, part))
        lines.push(`${file}:${symbol.line}-${symbol.end} ${symbol.kind} ${names.map(shownName).join('/')}`)
    }
    return lines.length <= limits.limit
  })
  const list = cutAt(lines, limits)
  return withEnd(list, end)
}

const withEnd = (list: SymbolList, { cut, unread, unparsed }: ReturnType<typeof eachSource>): SymbolList => ({
  ...list,
  truncated: list.truncated || cut || unread > 0,
  ...optional({ unparsed }),
})

/** Kinds of leaf nodes that are not identifiers. */
const NOT_NAMES = /comment|string|text|template|literal/

const MAX_LINE = 200

/** Lines that use a name as an identifier, by text alone: equal names of different declarations all match. */
export const findUses = (
  context: JobContext,
  { name, path, ...limits }: AnswerLimits & { readonly name: string; readonly path: string },
): SymbolList & { readonly escaped?: true } => {
  if (!IDENTIFIER.test(name)) throw projectFaults.invalid_params('the name is not an identifier')
  const lines: string[] = []
  const regex = `^${name.replaceAll('$', '\\$')}$`
  const end = eachSource(context, path, name, (root, file, text) => {
    const found = root
      .leaves(regex)
      .filter(({ kind }) => !NOT_NAMES.test(kind))
      .map(({ line }) => line)
    const source = found.length > 0 ? text.split('\n') : []
    for (const line of new Set(found))
      lines.push(`${file}:${line}: ${(source[line - 1] ?? '').trim().slice(0, MAX_LINE)}`)
    return lines.length <= limits.limit
  })
  const list = cutAt(lines, limits)
  const text = escapeHidden(list.text)
  return {
    ...withEnd(list, end),
    text,
    ...(text !== list.text && { escaped: true }),
  }
}
