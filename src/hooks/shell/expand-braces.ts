import type { WordPart } from './shell-word.ts'

const MAX_WORDS = 64

/** One character of a word, or one expansion in it. */
type Atom = WordPart

const toAtoms = (parts: readonly WordPart[]): Atom[] =>
  parts.flatMap((part) =>
    part.expansion !== undefined || part.quoted
      ? [part]
      : [...part.text].map((text) => ({ text, quoted: false })),
  )

const isChar = (atom: Atom | undefined, char: string): boolean =>
  atom !== undefined && !atom.quoted && atom.expansion === undefined && atom.text === char

/** The alternatives of a pair of braces that opens at `open`, and where it closes. */
const readBraces = (atoms: readonly Atom[], open: number) => {
  const alternatives: Atom[][] = [[]]
  let level = 0
  for (let at = open + 1; at < atoms.length; at++) {
    const atom = atoms[at] as Atom
    if (isChar(atom, '}') && level === 0) return { alternatives, close: at }
    if (isChar(atom, '{')) level += 1
    if (isChar(atom, '}')) level -= 1
    if (isChar(atom, ',') && level === 0) alternatives.push([])
    else alternatives.at(-1)?.push(atom)
  }
  return undefined
}

/** The characters of `{a..c}`. */
const readSequence = (atoms: readonly Atom[]): Atom[][] | undefined => {
  const text = atoms.map((atom) => (atom.quoted || atom.expansion ? ' ' : atom.text)).join('')
  const [, first, last] = /^(.)\.\.(.)$/u.exec(text) ?? []
  const [from, to] = [first?.codePointAt(0) ?? 0, last?.codePointAt(0) ?? 0]
  if (first === undefined || Math.abs(to - from) > MAX_WORDS) return undefined
  const step = from <= to ? 1 : -1
  return Array.from({ length: Math.abs(to - from) + 1 }, (_, at) => [
    { text: String.fromCodePoint(from + at * step), quoted: false },
  ])
}

const expandAtoms = (atoms: readonly Atom[], budget: { left: number }): Atom[][] => {
  const open = atoms.findIndex((atom) => isChar(atom, '{'))
  const found = open < 0 ? undefined : readBraces(atoms, open)
  if (open < 0 || budget.left <= 0) return [[...atoms]]
  const head = atoms.slice(0, open)
  const alternatives =
    found === undefined || found.alternatives.length > 1
      ? found?.alternatives
      : readSequence(found.alternatives[0] ?? [])
  if (found === undefined || alternatives === undefined) {
    const rest = expandAtoms(atoms.slice(open + 1), budget)
    return rest.map((one) => [...head, atoms[open] as Atom, ...one])
  }
  budget.left -= alternatives.length
  const tails = expandAtoms(atoms.slice(found.close + 1), budget)
  const words = alternatives
    .flatMap((one) => expandAtoms(one, budget))
    .flatMap((middle) => tails.map((tail) => [...head, ...middle, ...tail]))
  return words.slice(0, MAX_WORDS)
}

/** The words that `a{b,c}` stands for. */
export const expandWordBraces = (parts: readonly WordPart[]): readonly (readonly WordPart[])[] => {
  const mayExpand = parts.some(
    ({ text, quoted, expansion }) => !quoted && expansion === undefined && text.includes('{'),
  )
  return mayExpand ? expandAtoms(toAtoms(parts), { left: MAX_WORDS }) : [parts]
}
