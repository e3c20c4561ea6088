/** Literals a text must contain: at least one of each list. */
export type RequiredLiterals = readonly (readonly string[])[]

const NOTHING: RequiredLiterals = []
export const MIN_LENGTH = 2

/** Words that occur in nearly every file filter nothing. */
const COMMON = new Set('import require function return const new throw this public private'.split(' '))

const rarity = (words: readonly string[]): number =>
  Math.min(...words.map((word) => (COMMON.has(word) ? 0 : word.length))) - words.length / 16

/** Rarest first: few and long words. */
const byRarity = (literals: RequiredLiterals): RequiredLiterals =>
  literals.toSorted((a, b) => rarity(b) - rarity(a))

const rarest = (literals: RequiredLiterals): readonly string[] | undefined => byRarity(literals)[0]

const MIN_RARITY = 4.5

/** The rarest list, and the second when it is rare too: searching for short or common words costs more than it saves. */
export const bestOf = (literals: RequiredLiterals): RequiredLiterals => {
  const [best, second] = byRarity(literals)
  if (best === undefined) return NOTHING
  return second === undefined || rarity(second) < MIN_RARITY ? [best] : [best, second]
}

/** The literals that any of several branches requires. */
export const eitherOf = (branches: readonly RequiredLiterals[]): RequiredLiterals => {
  const chosen = branches.map(rarest)
  return chosen.includes(undefined) ? NOTHING : [[...new Set(chosen.flatMap((words) => words ?? []))]]
}

export const distinct = (literals: RequiredLiterals): RequiredLiterals => [
  ...new Map(literals.map((words) => [words.join('|'), words])).values(),
]

/** Syntax that is not supported here: flags, look-around, nested character classes. */
class Unsupported extends Error {}

/** Parses a pattern of Rust's regex crate. */
class RegexParser {
  readonly #text: string
  #at = 0
  constructor(text: string) {
    this.#text = text
  }

  whole(): RequiredLiterals {
    const literals = this.#branches()
    if (this.#at < this.#text.length) throw new Unsupported()
    return literals
  }

  #branches(): RequiredLiterals {
    const branches = [this.#sequence()]
    while (this.#take('|')) branches.push(this.#sequence())
    return branches.length === 1 ? (branches[0] ?? NOTHING) : eitherOf(branches)
  }

  #sequence(): RequiredLiterals {
    const literals: (readonly string[])[] = []
    let run = ''
    const flush = () => {
      // A single ASCII or Latin-1 letter occurs in nearly every file.
      if (run.length >= MIN_LENGTH || run > '\u{ff}') literals.push([run])
      run = ''
    }
    while (this.#at < this.#text.length && !'|)'.includes(this.#text[this.#at] ?? '')) {
      const atom = this.#atom()
      const least = this.#repeats()
      if (typeof atom === 'string' && least !== 0) run += atom.repeat(Math.min(least ?? 1, 20))
      // A repeated atom ends the literal: `ab+c` contains `ab`, and `c` somewhere after it.
      if (typeof atom !== 'string' || least !== undefined) flush()
      if (typeof atom !== 'string' && least !== 0) literals.push(...atom)
    }
    flush()
    return literals
  }

  /** A literal character, or the literals of a group. */
  #atom(): string | RequiredLiterals {
    const char = this.#text[this.#at++] ?? ''
    if (char === '(') return this.#group()
    if (char === '[') return this.#class()
    if (char === '\\') return this.#escape()
    if ('?*+{'.includes(char)) throw new Unsupported()
    return '.^$'.includes(char) ? NOTHING : char
  }

  #group(): RequiredLiterals {
    if (this.#take('?') && !this.#take(':')) throw new Unsupported()
    const inner = this.#branches()
    if (!this.#take(')')) throw new Unsupported()
    return inner
  }

  #class(): RequiredLiterals {
    this.#take('^')
    for (let first = true; ; first = false) {
      const char = this.#text[this.#at++]
      if (char === undefined || char === '[' || char === '&' || (first && char === ']'))
        throw new Unsupported()
      if (char === ']') return NOTHING
      if (char === '\\') this.#at++
    }
  }

  #escape(): string | RequiredLiterals {
    const char = this.#text[this.#at++] ?? ''
    if (/[bBdDwWsSAz]/.test(char)) return NOTHING
    const coded =
      char === 'x' ? /^\{([0-9A-Fa-f]{1,6})\}/.exec(this.#text.slice(this.#at, this.#at + 8)) : null
    if (coded !== null && Number.parseInt(coded[1] ?? '', 16) <= 0x10ffff) {
      this.#at += coded[0].length
      return String.fromCodePoint(Number.parseInt(coded[1] ?? '', 16))
    }
    if (/\w/.test(char)) throw new Unsupported()
    return char
  }

  /** The minimum of a quantifier; undefined without one. */
  #repeats(): number | undefined {
    const said = /^(?:[?*+]|\{(\d+)(?:,\d*)?\})/.exec(this.#text.slice(this.#at, this.#at + 24))
    if (said === null) return undefined
    this.#at += said[0].length
    this.#take('?')
    if ('?*+{'.includes(this.#text[this.#at] ?? ' ')) throw new Unsupported()
    return said[1] === undefined ? Number(said[0] === '+') : Number(said[1])
  }

  #take(char: string): boolean {
    if (this.#text[this.#at] !== char) return false
    this.#at++
    return true
  }
}

export const regexLiterals = (regex: string): RequiredLiterals => {
  try {
    return distinct(new RegexParser(regex).whole())
  } catch (cause) {
    if (cause instanceof Unsupported) return NOTHING
    throw cause
  }
}
