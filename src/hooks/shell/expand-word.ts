import { decodeAnsiEscapes, readInterpolated } from './read-quotes.ts'
import { isKnown, type ShellField, type ShellScope, UNKNOWN, VALUE } from './shell-scope.ts'
import type { ShellWord, WordPart } from './shell-word.ts'
import { type ShellCommand, splitCommands } from './split-commands.ts'

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
const expandWordBraces = (parts: readonly WordPart[]): readonly (readonly WordPart[])[] => {
  const mayExpand = parts.some(
    ({ text, quoted, expansion }) => !quoted && expansion === undefined && text.includes('{'),
  )
  return mayExpand ? expandAtoms(toAtoms(parts), { left: MAX_WORDS }) : [parts]
}

const MAX_DEPTH = 6

/** The commands in the substitutions of a word: they run, whatever the word is used for. */
export const scriptsIn = ({ parts }: ShellWord): string[] =>
  parts.flatMap(({ expansion }) => {
    if (expansion?.kind === 'command') return [expansion.script]
    if (expansion?.kind !== 'variable' || expansion.fallback === undefined) return []
    return scriptsIn({ parts: readInterpolated(expansion.fallback, 0, '').parts })
  })

const GLOB = /[*?[]/

/** Commands whose output is a name or a value, never an option. */
const VALUE_COMMANDS =
  /^(?:git (?:-C \S+ )?(?:branch|rev-parse|symbolic-ref|describe|log|tag|merge-base|remote)|date|hostname|whoami|uname|basename|dirname|mktemp|nproc|id|seq|wc|gh)\b/

/** What `printf FORMAT ARGUMENTS` prints; undefined where that is not known. */
const formatText = ([format = '', ...args]: readonly string[]): string | undefined => {
  const left = [...args]
  const text = decodeAnsiEscapes(format).replace(/%%|%[sbq]/g, (one) =>
    one === '%%' ? '%' : (left.shift() ?? ''),
  )
  return /%[-\d.]*[a-z]/i.test(text) || left.length > 0 ? undefined : text
}

const REPOSITORY_PLACES: Readonly<Record<string, string>> = {
  '--show-toplevel': '',
  '--git-dir': '/.git',
  '--absolute-git-dir': '/.git',
  '--git-common-dir': '/.git',
  '--git-path hooks': '/.git/hooks',
}

const documentOf = ({ redirects }: ShellCommand): string | undefined => {
  const here = redirects.find(({ operator }) => operator.startsWith('<<'))
  if (here?.target.parts.every(({ expansion }) => expansion === undefined) !== true) return undefined
  return here.target.parts.map(({ text }) => text).join('')
}

/** What one command prints, where that can be told without running it. */
export const literalOutput = (command: ShellCommand, scope: ShellScope, depth = 0): string | undefined => {
  const fields = command.words.flatMap((word) => expandWord(word, scope, depth + 1))
  if (fields.length === 0 || !fields.every(isKnown)) return undefined
  const [name = '', ...args] = fields.map(({ text }) => text)
  const { root } = scope.places
  switch (name.slice(name.lastIndexOf('/') + 1)) {
    case 'echo': {
      const flags = args.findIndex((one) => !/^-[neE]+$/.test(one))
      const [options, texts] = flags < 0 ? [args, []] : [args.slice(0, flags), args.slice(flags)]
      const text = texts.join(' ')
      return options.some((one) => one.includes('e')) ? decodeAnsiEscapes(text) : text
    }
    case 'printf':
      return formatText(args[0] === '--' ? args.slice(1) : args)
    case 'pwd':
      return scope.cwd
    case 'which':
      return args.at(-1)
    case 'command':
      return args[0] === '-v' ? args[1] : undefined
    case 'type':
      return args[0] === '-p' || args[0] === '-P' ? args[1] : undefined
    case 'cat':
      return args.length === 0 || args[0] === '-' ? documentOf(command) : undefined
    case 'git': {
      const place = args[0] === 'rev-parse' ? REPOSITORY_PLACES[args.slice(1).join(' ')] : undefined
      return place === undefined ? undefined : `${root}${place}`
    }
    default:
      return undefined
  }
}

const outputOf = (script: string, scope: ShellScope, depth: number): string => {
  const commands = depth > MAX_DEPTH ? [] : splitCommands(script)
  const [only] = commands
  const text = commands.length === 1 && only !== undefined ? literalOutput(only, scope, depth) : undefined
  if (text !== undefined) return text.replace(/\n+$/, '')
  return VALUE_COMMANDS.test(script.trim()) && !/\b(?:echo|printf|base64|xxd)\b/.test(script)
    ? VALUE
    : UNKNOWN
}

const expansionText = (part: WordPart, scope: ShellScope, depth: number): string => {
  const { expansion } = part
  if (expansion === undefined) return part.text
  if (expansion.kind === 'command') return outputOf(expansion.script, scope, depth)
  if (expansion.kind === 'other') return UNKNOWN
  if (expansion.name === 'PWD') return scope.cwd ?? UNKNOWN
  return scope.variables.get(expansion.name) ?? expansion.fallback ?? UNKNOWN
}

/** Joins the parts of one word. Unquoted expansions are split at white space. */
const expandParts = (parts: readonly WordPart[], scope: ShellScope, depth: number): ShellField[] => {
  const fields: ShellField[] = []
  let text = ''
  let glob = false
  let isOpen = false
  const close = () => {
    if (isOpen) fields.push({ text, glob })
    text = ''
    glob = false
    isOpen = false
  }
  for (const [at, part] of parts.entries()) {
    const value = expansionText(part, scope, depth)
    if (part.quoted || part.expansion === undefined) {
      const isHome = at === 0 && !part.quoted && /^~(?=\/|$)/.test(value)
      text += isHome ? scope.places.home + value.slice(1) : value
      glob ||= !part.quoted && GLOB.test(value)
      isOpen = true
      continue
    }
    const pieces = value.split(/[ \t\n]+/)
    for (const [index, piece] of pieces.entries()) {
      if (index > 0) close()
      if (piece === '') continue
      text += piece
      glob ||= GLOB.test(piece)
      isOpen = true
    }
  }
  close()
  return fields
}

/** The fields that a word becomes. */
export const expandWord = (word: ShellWord, scope: ShellScope, depth = 0): ShellField[] =>
  expandWordBraces(word.parts).flatMap((parts) => expandParts(parts, scope, depth))

/** The text of a word that is not split, such as the value of an assignment. */
export const expandText = (parts: readonly WordPart[], scope: ShellScope): string =>
  parts.map((part) => expansionText(part, scope, 0)).join('')
