import type { Comment } from '../../gate/ports.ts'
import type { TextMatcher } from '../../gate/rules/rule.ts'
import { isPlaceholder, shannonEntropy } from '../../gate/secrets/placeholders.ts'
import { extensionOf } from '../../kernel/text/languages.ts'
import { makePrefilter } from './prefilter.ts'
import type { MatcherSpec, RuleHit } from './scan-file.ts'

/** The matchers for text of one scan. One prefilter serves all files, whichever of the matchers apply to them. */
export class TextSearches {
  readonly all: readonly MatcherSpec[]
  readonly #indexes: readonly number[]
  readonly #prefilter: (text: string) => number[]
  readonly #searches = new Map<number, TextSearch>()

  constructor(all: readonly MatcherSpec[]) {
    this.all = all
    const specs = all.flatMap((spec, index) => (spec.text === undefined ? [] : [{ spec, index }]))
    this.#indexes = specs.map(({ index }) => index)
    this.#prefilter = makePrefilter(
      specs.map(({ spec: { text } }) => (text.keywords === undefined ? [] : [text.keywords])),
    )
  }

  /** The matchers, by index, that may match a text. */
  candidates(text: string): number[] {
    if (this.#indexes.length === 0) return []
    return this.#prefilter(text.toLowerCase()).flatMap((place) => this.#indexes[place] ?? [])
  }

  run(index: number, lines: TextLines, path: string, limit: number): RuleHit[] {
    const places = this.#searchOf(index)?.find(lines, path, limit) ?? []
    return places.map(([start, end]) => {
      const [line, endLine] = [lines.lineAt(start), lines.lineAt(end)]
      return [index, line, start - lines.startOf(line), endLine, end - lines.startOf(endLine), undefined]
    })
  }

  #searchOf(index: number): TextSearch | undefined {
    const known = this.#searches.get(index)
    if (known !== undefined) return known
    const spec = this.all[index]
    if (spec?.text === undefined) return undefined
    const search = new TextSearch(spec.text, spec.secret)
    this.#searches.set(index, search)
    return search
  }
}

const COMMENT_START = /(?:(?<!\S)(?:#+|\/\/+|\/\*+|--+|;+|%+)|<!--)(?=\s*warrant-ignore)/
/** Prose quotes the comments of programs, so only its own comments count. */
const PROSE = new Set(['md', 'mdx', 'markdown', 'rst', 'adoc', 'txt'])

/** Suppression comments in a text that no grammar reads: a comment sign, then the word, up to the end of the line. */
export const findTextComments = (lines: TextLines, path: string, word: string): Comment[] => {
  const comments: Comment[] = []
  let from = lines.text.indexOf(word)
  while (from >= 0) {
    const number = lines.lineAt(from)
    const line = lines.line(number)
    const start = COMMENT_START.exec(line)
    if (start !== null && (start[0] === '<!--' || !PROSE.has(extensionOf(path))))
      comments.push({
        text: line.slice(start.index),
        line: number + 1,
        column: start.index + 1,
        endLine: number + 1,
        alone: line.slice(0, start.index).trim() === '',
      })
    from = lines.text.indexOf(word, lines.startOf(number + 1))
  }
  return comments
}

/** Offsets into the text; the end is exclusive. */
type Place = readonly [start: number, end: number]

const lineStarts = (text: string): readonly number[] => {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return starts
}

/** A text and its lines, which are computed when the first is asked for: most files have no match. */
export class TextLines {
  readonly text: string
  #known: readonly number[] | undefined

  constructor(text: string) {
    this.text = text
  }

  get #starts(): readonly number[] {
    this.#known ??= lineStarts(this.text)
    return this.#known
  }

  /** The number of the line at an offset, from 0. */
  lineAt(offset: number): number {
    let [low, high] = [0, this.#starts.length - 1]
    while (low < high) {
      const middle = (low + high + 1) >> 1
      if ((this.#starts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return low
  }

  startOf(line: number): number {
    return this.#starts[line] ?? this.text.length
  }

  line(number: number): string {
    return this.text.slice(this.startOf(number), this.startOf(number + 1)).replace(/\r?\n$/, '')
  }

  /** The lines that a place is in. */
  linesOf([start, end]: Place): string {
    const last = this.lineAt(Math.max(start, end - 1))
    return this.text.slice(this.startOf(this.lineAt(start)), this.startOf(last + 1)).replace(/\r?\n$/, '')
  }
}

/** Where a line starts: its dash, if it is an item of a YAML list, and its text. */
interface Start {
  readonly item: boolean
  readonly dash: number
  readonly text: number
}

const startOf = (line: string): Start => {
  const [, space = '', dashes = ''] = /^(\s*)((?:-\s+)*)/.exec(line) ?? []
  return { item: dashes !== '', dash: space.length, text: space.length + dashes.length }
}

/** Whether a line, or a line that encloses it by smaller indentation, matches. */
const isUnder = (lines: TextLines, number: number, pattern: RegExp): boolean => {
  if (pattern.test(lines.line(number))) return true
  let inner = startOf(lines.line(number))
  let column = inner.dash
  for (let at = number - 1; at >= 0; at--) {
    const line = lines.line(at)
    if (line.trim() === '') continue
    const outer = startOf(line)
    // The items of a list may have the indentation of the key above them.
    const isKeyOfItems = inner.item && !outer.item && outer.dash === column
    if (outer.dash >= column && !isKeyOfItems) continue
    // `- a: 1` encloses what is deeper than `a`; `b: 2` below it belongs to the same item.
    if ((outer.text < column || isKeyOfItems) && pattern.test(line)) return true
    inner = outer
    column = outer.dash
    if (column === 0 && !outer.item) return false
  }
  return false
}

/** A matcher for text; its regular expressions are compiled when the first file may match. */
class TextSearch {
  readonly #matcher: TextMatcher
  readonly #secret: boolean
  #regex: RegExp | undefined
  #not: RegExp | undefined
  #unless: RegExp | undefined
  #under: RegExp | undefined

  constructor(matcher: TextMatcher, secret: boolean) {
    this.#matcher = matcher
    this.#secret = secret
  }

  #compile(): RegExp {
    if (this.#regex !== undefined) return this.#regex
    const { regex, ignoreCase, group, not, unless, under } = this.#matcher
    const flags = ignoreCase ? 'im' : 'm'
    const compileGiven = (source: string | undefined) =>
      source === undefined ? undefined : new RegExp(source, flags)
    this.#not = compileGiven(not)
    this.#unless = compileGiven(unless)
    this.#under = compileGiven(under)
    this.#regex = new RegExp(regex, `g${flags}${group === undefined ? '' : 'd'}`)
    return this.#regex
  }

  /** At most `limit` places, in the order of the text. */
  find(lines: TextLines, path: string, limit: number): Place[] {
    const regex = this.#compile()
    if (this.#unless?.test(lines.text)) return []
    const places: Place[] = []
    for (const match of lines.text.matchAll(regex)) {
      const place = this.#placeOf(match)
      if (place[0] < place[1] && this.#accepts(lines, place, path)) places.push(place)
      if (places.length >= limit) break
    }
    return places
  }

  #placeOf(match: RegExpExecArray): Place {
    const { group } = this.#matcher
    const captured = typeof group === 'number' ? match.indices?.[group] : match.indices?.groups?.[group ?? '']
    return captured ?? [match.index, match.index + match[0].length]
  }

  #accepts(lines: TextLines, place: Place, path: string): boolean {
    const { entropy } = this.#matcher
    const value = lines.text.slice(...place)
    if (entropy !== undefined && shannonEntropy(value) < entropy) return false
    if (this.#not?.test(lines.linesOf(place))) return false
    if (this.#under !== undefined && !isUnder(lines, lines.lineAt(place[0]), this.#under)) return false
    return !this.#secret || !isPlaceholder(value, lines.linesOf(place), path)
  }
}
