/** Which texts a regular expression cannot match without: each list is an alternative, all lists must be met. */
export type RequiredLiterals = readonly (readonly string[])[]

const NOTHING: RequiredLiterals = []
export const MIN_LENGTH = 2

/** Words that stand in nearly every file tell nothing. */
const COMMON = new Set('import require function return const new throw this public private'.split(' '))

const weight = (words: readonly string[]): number =>
  Math.min(...words.map((word) => (COMMON.has(word) ? 0 : word.length))) - words.length / 16

/** Few long words are the rarest. */
const byRarity = (literals: RequiredLiterals): RequiredLiterals =>
  literals.toSorted((a, b) => weight(b) - weight(a))

const rarest = (literals: RequiredLiterals): readonly string[] | undefined => byRarity(literals)[0]

const WORTHWHILE = 4.5

/** The best list, and the next when it is as good: short and common words cost more to look for than they save. */
export const bestOf = (literals: RequiredLiterals): RequiredLiterals => {
  const [best, second] = byRarity(literals)
  if (best === undefined) return NOTHING
  return second === undefined || weight(second) < WORTHWHILE ? [best] : [best, second]
}

/** What must be there when one of several branches matched. */
export const eitherOf = (branches: readonly RequiredLiterals[]): RequiredLiterals => {
  const chosen = branches.map(rarest)
  return chosen.includes(undefined) ? NOTHING : [[...new Set(chosen.flatMap((words) => words ?? []))]]
}

export const distinct = (literals: RequiredLiterals): RequiredLiterals => [
  ...new Map(literals.map((words) => [words.join('|'), words])).values(),
]

/** Something in a syntax we do not read: flags, look-around, classes within classes. */
class Unclear extends Error {}

/** Reads a pattern of Rust's regex crate from left to right, once. */
class Reader {
  readonly #text: string
  #at = 0
  constructor(text: string) {
    this.#text = text
  }

  whole(): RequiredLiterals {
    const literals = this.#branches()
    if (this.#at < this.#text.length) throw new Unclear()
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
      // A single letter is everywhere, unless it is an odd one.
      if (run.length >= MIN_LENGTH || run > '\u{ff}') literals.push([run])
      run = ''
    }
    while (this.#at < this.#text.length && !'|)'.includes(this.#text[this.#at] ?? '')) {
      const atom = this.#atom()
      const least = this.#repeats()
      if (typeof atom === 'string' && least !== 0) run += atom.repeat(Math.min(least ?? 1, 20))
      // What is repeated ends a run: `ab+c` holds `ab`, and a `c` somewhere after it.
      if (typeof atom !== 'string' || least !== undefined) flush()
      if (typeof atom !== 'string' && least !== 0) literals.push(...atom)
    }
    flush()
    return literals
  }

  /** A character that stands for itself, or what a group asks for. */
  #atom(): string | RequiredLiterals {
    const char = this.#text[this.#at++] ?? ''
    if (char === '(') return this.#group()
    if (char === '[') return this.#class()
    if (char === '\\') return this.#escape()
    if ('?*+{'.includes(char)) throw new Unclear()
    return '.^$'.includes(char) ? NOTHING : char
  }

  #group(): RequiredLiterals {
    if (this.#take('?') && !this.#take(':')) throw new Unclear()
    const inner = this.#branches()
    if (!this.#take(')')) throw new Unclear()
    return inner
  }

  #class(): RequiredLiterals {
    this.#take('^')
    for (let first = true; ; first = false) {
      const char = this.#text[this.#at++]
      if (char === undefined || char === '[' || char === '&' || (first && char === ']')) throw new Unclear()
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
    if (/\w/.test(char)) throw new Unclear()
    return char
  }

  /** How often at least; undefined when nothing is said, which is exactly once. */
  #repeats(): number | undefined {
    const said = /^(?:[?*+]|\{(\d+)(?:,\d*)?\})/.exec(this.#text.slice(this.#at, this.#at + 24))
    if (said === null) return undefined
    this.#at += said[0].length
    this.#take('?')
    if ('?*+{'.includes(this.#text[this.#at] ?? ' ')) throw new Unclear()
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
    return distinct(new Reader(regex).whole())
  } catch (cause) {
    if (cause instanceof Unclear) return NOTHING
    throw cause
  }
}
