import { isAscii, isUtf8 } from 'node:buffer'
import { extensionOrName, type FileBytes } from '../../kernel/jail.ts'
import { escapeRegExp } from '../../kernel/text/escape-regexp.ts'
import { anyGlob } from '../../kernel/text/glob.ts'
import { showName } from '../access-rules.ts'
import { projectFaults } from '../faults.ts'
import type { JobContext } from '../job-context.ts'
import { looksBinary, splitLines } from './text.ts'
import { namesOf, walkTree } from './walk.ts'

export interface SearchArgs {
  readonly pattern: string
  readonly literal: boolean
  readonly ignoreCase: boolean
  readonly path: string
  readonly glob?: string | undefined
  readonly ignored: boolean
  readonly context: number
  /** Most matching lines. */
  readonly limit: number
  /** Most bytes of text. */
  readonly bytes: number
}

export interface SearchAnswer {
  readonly text: string
  readonly matches: number
  readonly files: number
  /** Files that were searched. */
  readonly searched: number
  readonly cut?: string
}

const MAX_SEARCHED = 256 * 1024 * 1024
const MAX_ONE = 4 * 1024 * 1024
const MAX_LINE = 400
const MAX_LEVELS = 64

/** May be catastrophic: whoever runs this does so where it can be stopped. */
const compile = ({ pattern, literal, ignoreCase }: SearchArgs): RegExp => {
  try {
    return new RegExp(literal ? escapeRegExp(pattern) : pattern, ignoreCase ? 'gmi' : 'gm')
  } catch (cause) {
    throw projectFaults.pattern('the pattern is not a regular expression', { cause })
  }
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const decode = (bytes: Uint8Array): string | undefined => {
  if (looksBinary(bytes)) return undefined
  const buffer = asBuffer(bytes)
  if (isAscii(buffer)) return buffer.toString('latin1')
  return isUtf8(buffer) ? buffer.toString('utf8') : undefined
}

/** Numbers, from 0, of the lines that hold the start of a match. */
const matchLines = (text: string, regex: RegExp, most: number): number[] => {
  const found: number[] = []
  let line = 0
  let counted = 0
  regex.lastIndex = 0
  for (let match = regex.exec(text); match !== null && found.length < most; match = regex.exec(text)) {
    for (
      let at = text.indexOf('\n', counted);
      at !== -1 && at < match.index;
      at = text.indexOf('\n', at + 1)
    ) {
      line += 1
      counted = at + 1
    }
    // A match behind the last newline is on no line at all.
    if (match.index < text.length || !text.endsWith('\n')) found.push(line)
    // One match a line is enough, and an empty one must not be found forever.
    const end = text.indexOf('\n', match.index)
    if (end === -1) break
    regex.lastIndex = Math.max(regex.lastIndex, end + 1)
  }
  return [...new Set(found)]
}

const cutLine = (line: string): string => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line)

/** Matches and their surroundings, `12:` for a match and `11-` for a neighbour. */
const showMatches = (text: string, found: readonly number[], context: number): string[] => {
  const lines = splitLines(text)
  const hits = new Set(found)
  const shown: string[] = []
  let last = -1
  for (const hit of found) {
    const from = Math.max(last + 1, hit - context)
    if (context > 0 && last >= 0 && from > last + 1) shown.push('--')
    for (let at = from; at <= Math.min(lines.length - 1, hit + context); at += 1) {
      if (at > hit && hits.has(at)) break
      shown.push(`${at + 1}${hits.has(at) ? ':' : '-'}${cutLine((lines[at] ?? '').replace(/\r$/, ''))}`)
      last = at
    }
  }
  return shown
}

/** What a search has found so far, and how much of its budget is left. */
class Finds {
  readonly blocks: string[] = []
  readonly #args: SearchArgs
  readonly #regex: RegExp
  readonly #needle: Buffer | undefined
  matches = 0
  searched = 0
  unread = 0
  cut: string | undefined
  #read = 0
  #written = 0

  constructor(args: SearchArgs) {
    this.#args = args
    this.#regex = compile(args)
    this.#needle = args.literal && !args.ignoreCase ? Buffer.from(args.pattern) : undefined
  }

  /** Searches one file. False once the budget is spent. */
  search(path: string, file: FileBytes | undefined): boolean {
    if (file === undefined) {
      this.unread += 1
      return true
    }
    this.searched += 1
    this.#read += file.bytes.length
    if (this.#read > MAX_SEARCHED) this.cut = 'too many bytes to search; start further down'
    else this.#look(path, file.bytes)
    return this.cut === undefined
  }

  #look(path: string, bytes: Uint8Array): void {
    const { limit, context } = this.#args
    if (this.#needle !== undefined && !asBuffer(bytes).includes(this.#needle)) return
    const text = decode(bytes)
    if (text === undefined) return
    const found = matchLines(text, this.#regex, limit - this.matches + 1)
    const kept = found.slice(0, limit - this.matches)
    if (kept.length < found.length) this.cut = `more than ${limit} matches`
    if (kept.length > 0) this.#keep([path, ...showMatches(text, kept, context)].join('\n'), kept.length)
  }

  #keep(block: string, matches: number): void {
    this.#written += Buffer.byteLength(block) + 2
    if (this.#written > this.#args.bytes) {
      this.cut = 'more than fits into one answer; narrow the search'
      return
    }
    this.blocks.push(block)
    this.matches += matches
  }
}

/** Searches the text files of a folder; what was not searched or not shown is said. */
export const searchText = (context: JobContext, args: SearchArgs): SearchAnswer => {
  const { jail, rules, checkDeadline } = context
  const finds = new Finds(args)
  const wanted = args.glob === undefined ? () => true : anyGlob([args.glob])
  const end = jail.within(args.path, rules, (start) => {
    const above = namesOf(start.path).length
    const options = { depth: MAX_LEVELS, ignores: !args.ignored, exclude: () => false }
    return walkTree(context, start, options, ({ name, kind }, segments, folder) => {
      if (kind !== 'file' || rules.allowed?.has(extensionOrName(name)) === false) return 'go'
      if (!wanted(segments) && !wanted(segments.slice(above))) return 'go'
      checkDeadline()
      return finds.search(segments.map(showName).join('/'), folder.read(name, MAX_ONE)) ? 'go' : 'stop'
    })
  })
  const { blocks, matches, searched, unread, cut } = finds
  const unseen =
    cut === undefined && end.cut ? 'the tree is too large to see all of it; start further down' : cut
  const notes = [
    ...(unseen === undefined ? [] : [unseen]),
    ...(unread === 0 ? [] : [`${unread} files too large or not readable`]),
    ...(end.unread === 0 ? [] : [`${end.unread} folders cannot be read`]),
  ]
  return {
    text: blocks.join('\n\n'),
    matches,
    files: blocks.length,
    searched,
    ...(notes.length > 0 && { cut: notes.join('; ') }),
  }
}
