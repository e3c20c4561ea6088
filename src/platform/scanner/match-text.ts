import type { TextMatcher } from '../../gate/rules/rule.ts'
import { shannonEntropy } from '../../gate/secrets/entropy.ts'
import { isPlaceholder } from '../../gate/secrets/placeholders.ts'
import type { Place, TextLines } from './text-lines.ts'

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
export class TextSearch {
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
    const optional = (source: string | undefined) =>
      source === undefined ? undefined : new RegExp(source, flags)
    this.#not = optional(not)
    this.#unless = optional(unless)
    this.#under = optional(under)
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
