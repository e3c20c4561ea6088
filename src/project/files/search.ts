import { isAscii, isUtf8 } from 'node:buffer'
import { extensionOrName, type FileBytes } from '../../kernel/jail.ts'
import { escapeRegExp } from '../../kernel/text/escape-regexp.ts'
import { showName } from '../../kernel/text/escape-text.ts'
import { anyGlob } from '../../kernel/text/glob.ts'
import { escapeHidden } from '../../kernel/text/hidden-characters.ts'
import { projectFaults } from '../faults.ts'
import type { JobContext } from '../job-context.ts'
import { linesWithEnds, looksBinary } from './text.ts'
import { entryNames, walkTree } from './walk.ts'

interface SearchArgs {
  readonly pattern: string
  readonly literal: boolean
  readonly ignoreCase: boolean
  readonly path: string
  readonly glob?: string | undefined
  readonly ignored: boolean
  readonly context: number
  /** Maximum number of matching lines. */
  readonly limit: number
  /** Maximum size of the text. */
  readonly bytes: number
}

interface SearchAnswer {
  readonly text: string
  readonly matches: number
  readonly files: number
  /** Files that were searched. */
  readonly searched: number
  /** Hidden characters are shown as `\uXXXX`, so that a line cannot forge another one. */
  readonly escaped?: true
  readonly cut?: string
}

/** Bytes in all files together. */
const MAX_SEARCHED = 256 * 1024 * 1024
const MAX_FILE_BYTES = 4 * 1024 * 1024
const MAX_LINE = 400
const MAX_LEVELS = 64

/** A user's expression may backtrack catastrophically: run it only in a worker thread that can be terminated. */
const compile = ({ pattern, literal, ignoreCase }: SearchArgs): RegExp => {
  try {
    return new RegExp(literal ? escapeRegExp(pattern) : pattern, ignoreCase ? 'gmi' : 'gm')
  } catch (cause) {
    throw projectFaults.pattern('the pattern is not a valid regular expression', { cause })
  }
}

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const searchableText = (bytes: Uint8Array): string | undefined => {
  if (looksBinary(bytes)) return undefined
  const buffer = asBuffer(bytes)
  if (isAscii(buffer)) return buffer.toString('latin1')
  return isUtf8(buffer) ? buffer.toString('utf8') : undefined
}

/** Indexes of the lines in which a match starts. */
const matchLines = (text: string, regex: RegExp, max: number): number[] => {
  const found: number[] = []
  let line = 0
  let counted = 0
  regex.lastIndex = 0
  for (let match = regex.exec(text); match !== null && found.length < max; match = regex.exec(text)) {
    for (
      let at = text.indexOf('\n', counted);
      at !== -1 && at < match.index;
      at = text.indexOf('\n', at + 1)
    ) {
      line += 1
      counted = at + 1
    }
    // An empty match behind the last newline is not on a line.
    if (match.index < text.length || !text.endsWith('\n')) found.push(line)
    // Continue on the next line: one match a line is enough, and an empty match must not repeat.
    const end = text.indexOf('\n', match.index)
    if (end === -1) break
    regex.lastIndex = Math.max(regex.lastIndex, end + 1)
  }
  return [...new Set(found)]
}

const cutMatchLine = (line: string): string => (line.length > MAX_LINE ? `${line.slice(0, MAX_LINE)}…` : line)

/** Matching lines as `12:text` and context lines as `11-text`, as grep prints them. */
const showMatches = (text: string, found: readonly number[], context: number): string[] => {
  const lines = linesWithEnds(text)
  const hits = new Set(found)
  const shown: string[] = []
  let last = -1
  for (const hit of found) {
    const from = Math.max(last + 1, hit - context)
    if (context > 0 && last >= 0 && from > last + 1) shown.push('--')
    for (let at = from; at <= Math.min(lines.length - 1, hit + context); at += 1) {
      if (at > hit && hits.has(at)) break
      shown.push(`${at + 1}${hits.has(at) ? ':' : '-'}${cutMatchLine((lines[at] ?? '').replace(/\r$/, ''))}`)
      last = at
    }
  }
  return shown
}

/** Results of a search so far, and its remaining budget. */
class SearchResults {
  readonly blocks: string[] = []
  readonly #args: SearchArgs
  readonly #regex: RegExp
  readonly #literal: Buffer | undefined
  matches = 0
  searched = 0
  unread = 0
  escaped: true | undefined
  cut: string | undefined
  #read = 0
  #written = 0

  constructor(args: SearchArgs) {
    this.#args = args
    this.#regex = compile(args)
    this.#literal = args.literal && !args.ignoreCase ? Buffer.from(args.pattern) : undefined
  }

  /** Searches one file. False once the budget is spent. */
  search(path: string, file: FileBytes | undefined): boolean {
    if (file === undefined) {
      this.unread += 1
      return true
    }
    this.searched += 1
    this.#read += file.bytes.length
    if (this.#read > MAX_SEARCHED)
      this.cut = `more than ${MAX_SEARCHED} bytes to search; choose a folder further down`
    else this.#searchBytes(path, file.bytes)
    return this.cut === undefined
  }

  #searchBytes(path: string, bytes: Uint8Array): void {
    const { limit, context } = this.#args
    if (this.#literal !== undefined && !asBuffer(bytes).includes(this.#literal)) return
    const text = searchableText(bytes)
    if (text === undefined) return
    const found = matchLines(text, this.#regex, limit - this.matches + 1)
    const kept = found.slice(0, limit - this.matches)
    if (kept.length < found.length) this.cut = `more than ${limit} matches`
    if (kept.length === 0) return
    const lines = showMatches(text, kept, context).join('\n')
    const shown = escapeHidden(lines)
    if (shown !== lines) this.escaped = true
    this.#addBlock(`${path}\n${shown}`, kept.length)
  }

  #addBlock(block: string, matches: number): void {
    this.#written += Buffer.byteLength(block) + 2
    if (this.#written > this.#args.bytes) {
      this.cut = 'more matches than fit into one answer; narrow the search'
      return
    }
    this.blocks.push(block)
    this.matches += matches
  }
}

/** Searches the text files below a folder. `cut` says what was not searched or not shown. */
export const searchText = (context: JobContext, args: SearchArgs): SearchAnswer => {
  const { jail, rules, checkDeadline } = context
  const results = new SearchResults(args)
  const wanted = args.glob === undefined ? () => true : anyGlob([args.glob])
  const end = jail.within(args.path, rules, (start) => {
    const above = entryNames(start.path).length
    const options = { depth: MAX_LEVELS, ignores: !args.ignored, exclude: () => false }
    return walkTree(context, start, options, ({ name, kind }, segments, folder) => {
      if (kind !== 'file' || rules.allowed?.has(extensionOrName(name)) === false) return 'go'
      if (!wanted(segments) && !wanted(segments.slice(above))) return 'go'
      checkDeadline()
      return results.search(segments.map(showName).join('/'), folder.read(name, MAX_FILE_BYTES))
        ? 'go'
        : 'stop'
    })
  })
  const { blocks, matches, searched, unread, escaped, cut } = results
  const incomplete =
    cut === undefined && end.cut ? 'too many files to visit all of them; choose a folder further down' : cut
  const notes = [
    ...(incomplete === undefined ? [] : [incomplete]),
    ...(unread === 0 ? [] : [`${unread} files are too large or cannot be read`]),
    ...(end.unread === 0 ? [] : [`${end.unread} folders cannot be read`]),
  ]
  return {
    text: blocks.join('\n\n'),
    matches,
    files: blocks.length,
    searched,
    ...(escaped && { escaped }),
    ...(notes.length > 0 && { cut: notes.join('; ') }),
  }
}
