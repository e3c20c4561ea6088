import { expandWordBraces } from './expand-braces.ts'
import { decodeAnsiEscapes, readInterpolated } from './read-quotes.ts'
import { isKnown, type ShellField, type ShellScope, UNKNOWN, VALUE } from './shell-scope.ts'
import type { ShellWord, WordPart } from './shell-word.ts'
import { type ShellCommand, splitCommands } from './split-commands.ts'

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
