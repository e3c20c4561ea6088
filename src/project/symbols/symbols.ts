import { Fault } from '../../kernel/fault.ts'
import { type FileBytes, quotePath } from '../../kernel/jail.ts'
import { showName } from '../access-rules.ts'
import { projectFaults } from '../faults.ts'
import { countFitting, decodeText } from '../files/text.ts'
import { type WalkEnd, walkTree } from '../files/walk.ts'
import type { JobContext } from '../job-context.ts'
import type { Grammar, SyntaxNode } from '../source/syntax-tree.ts'
import { type DeclaredSymbol, grammarOf, readSymbols } from './declarations.ts'

const MAX_LEVELS = 64
/** Larger sources are made by machines, and for them. */
const MAX_SOURCE = 2 * 1024 * 1024

export interface SymbolList {
  readonly text: string
  readonly symbols: number
  readonly truncated: boolean
}

const isMember = /^[A-Za-z_$][\w$]*$/

/** How much of an answer there is room for. */
interface Room {
  readonly limit: number
  /** Most bytes of text. */
  readonly bytes: number
}

const cutAt = (lines: readonly string[], { limit, bytes }: Room): SymbolList => {
  const symbols = Math.min(limit, countFitting(lines, bytes))
  return { text: lines.slice(0, symbols).join('\n'), symbols, truncated: lines.length > symbols }
}

const MAX_NAME = 200

/** A name may be as long as its author likes, and in some languages hold what they like. */
const nameOf = (name: string): string =>
  showName(name.length > MAX_NAME ? `${name.slice(0, MAX_NAME)}…` : name)

const draw = (symbols: readonly DeclaredSymbol[], level: number): string[] =>
  symbols.flatMap(({ name, kind, line, end, members }) => [
    `${'  '.repeat(level)}${line}-${end} ${kind} ${nameOf(name)}`,
    ...draw(members, level + 1),
  ])

/** What a file declares: lines, kind and name, members indented. Fewer levels when all do not fit. */
export const outlineFile = (
  { jail, rules, checkDeadline, parser }: JobContext,
  { path, depth, ...room }: Room & { readonly path: string; readonly depth: number },
): SymbolList & { readonly depth: number; readonly modified: string } => {
  // First whether it may be read at all: that a path leads out weighs more than what it is called.
  const file = jail.read(path, rules, { bytes: MAX_SOURCE, checkDeadline })
  const grammar = grammarOf(path)
  if (grammar === undefined) throw projectFaults.grammar(`no grammar for ${quotePath(path)}`)
  const root = parser.parse(grammar, decodeText(file.bytes, path).text)
  for (let shown = depth; ; shown -= 1) {
    const lines = draw(readSymbols(root, shown), 0)
    if (lines.length <= room.limit || shown === 1)
      return { ...cutAt(lines, room), depth: shown, modified: new Date(file.modified).toISOString() }
  }
}

/** Every source below a path that holds `word`, parsed. Most files are sorted out before they are. */
const eachSource = (
  context: JobContext,
  path: string,
  word: string,
  visit: (root: SyntaxNode, path: string, text: string) => boolean,
): WalkEnd => {
  const needle = Buffer.from(word)
  const look = (grammar: Grammar, file: FileBytes | undefined, shown: string): boolean => {
    if (
      file === undefined ||
      !Buffer.from(file.bytes.buffer, file.bytes.byteOffset, file.bytes.byteLength).includes(needle)
    )
      return true
    try {
      const { text } = decodeText(file.bytes, shown)
      return visit(context.parser.parse(grammar, text), shown, text)
    } catch (thrown) {
      // A file that is no text holds no names; what else goes wrong is for others to hear.
      if (thrown instanceof Fault && thrown.code.startsWith('project.')) return true
      throw thrown
    }
  }
  return context.jail.within(path, context.rules, (start) =>
    walkTree(
      context,
      start,
      { depth: MAX_LEVELS, ignores: true, exclude: () => false },
      (entry, segments, folder) => {
        const grammar = entry.kind === 'file' ? grammarOf(entry.name) : undefined
        if (grammar === undefined) return 'go'
        context.checkDeadline()
        const shown = segments.map(showName).join('/')
        return look(grammar, folder.read(entry.name, MAX_SOURCE), shown) ? 'go' : 'stop'
      },
    ),
  )
}

interface Placed {
  readonly way: readonly string[]
  readonly symbol: DeclaredSymbol
}

const flatten = (symbols: readonly DeclaredSymbol[], above: readonly string[]): Placed[] =>
  symbols.flatMap((symbol) => {
    const way = [...above, symbol.name]
    return [{ way, symbol }, ...flatten(symbol.members, way)]
  })

const fits = (way: readonly string[], wanted: readonly string[], part: boolean): boolean =>
  wanted.length <= way.length &&
  wanted.every((name, at) => {
    const have = way[way.length - wanted.length + at] ?? ''
    return part && at === wanted.length - 1 ? have.includes(name) : have === name
  })

export interface FindArgs extends Room {
  readonly name: string
  readonly part: boolean
  readonly path: string
}

/** Where something of this name is declared. `Class/member` names a member of a class. */
export const findSymbol = (context: JobContext, { name, part, path, ...room }: FindArgs): SymbolList => {
  const wanted = name.split('/').filter((one) => one !== '')
  const last = wanted.at(-1)
  if (last === undefined) throw projectFaults.invalid_params('the name is empty')
  const lines: string[] = []
  const end = eachSource(context, path, last, (root, file) => {
    for (const { way, symbol } of flatten(readSymbols(root, MAX_LEVELS), [])) {
      if (fits(way, wanted, part))
        lines.push(`${file}:${symbol.line}-${symbol.end} ${symbol.kind} ${way.map(nameOf).join('/')}`)
    }
    return lines.length <= room.limit
  })
  const list = cutAt(lines, room)
  return { ...list, truncated: list.truncated || end.cut || end.unread > 0 }
}

const NOT_NAMES = /comment|string|text|template|literal/

const MAX_LINE = 200

/** Where a name is used, as a name: not in comments and not in strings. Equal names of different things are not told apart. */
export const findUses = (
  context: JobContext,
  { name, path, ...room }: Room & { readonly name: string; readonly path: string },
): SymbolList => {
  if (!isMember.test(name)) throw projectFaults.invalid_params('not a name')
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
    return lines.length <= room.limit
  })
  const list = cutAt(lines, room)
  return { ...list, truncated: list.truncated || end.cut || end.unread > 0 }
}
