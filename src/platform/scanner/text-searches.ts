import { TextSearch } from './match-text.ts'
import { makePrefilter } from './prefilter.ts'
import type { MatcherSpec, RuleHit, TextSpec } from './scan-file.ts'
import type { TextLines } from './text-lines.ts'

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
    const spec: TextSpec | undefined =
      this.all[index]?.text === undefined ? undefined : (this.all[index] as TextSpec)
    if (spec === undefined) return undefined
    const search = new TextSearch(spec.text, spec.secret)
    this.#searches.set(index, search)
    return search
  }
}
