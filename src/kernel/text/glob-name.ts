type Token =
  | { readonly kind: 'char'; readonly char: string }
  | { readonly kind: 'any' }
  | { readonly kind: 'star' }
  | { readonly kind: 'set'; readonly not: boolean; readonly ranges: readonly (readonly [string, string])[] }

export type NameTest = (name: string) => boolean

const readSet = (chars: readonly string[], from: number): [Token, number] | undefined => {
  let at = from + 1
  const not = chars[at] === '!' || chars[at] === '^'
  if (not) at += 1
  const ranges: [string, string][] = []
  for (let first = true; at < chars.length; first = false) {
    const char = chars[at] ?? ''
    if (char === ']' && !first) return [{ kind: 'set', not, ranges }, at + 1]
    const high = chars[at + 1] === '-' && chars[at + 2] !== ']' ? chars[at + 2] : undefined
    ranges.push([char, high ?? char])
    at += high === undefined ? 1 : 3
  }
  return undefined
}

const readTokens = (pattern: string): readonly Token[] => {
  const chars = [...pattern]
  const tokens: Token[] = []
  for (let at = 0; at < chars.length; ) {
    const char = chars[at] ?? ''
    const set = char === '[' ? readSet(chars, at) : undefined
    if (set !== undefined) {
      tokens.push(set[0])
      at = set[1]
      continue
    }
    const escaped = char === '\\' && at + 1 < chars.length
    if (char === '*') {
      if (tokens.at(-1)?.kind !== 'star') tokens.push({ kind: 'star' })
    } else if (char === '?') tokens.push({ kind: 'any' })
    else tokens.push({ kind: 'char', char: escaped ? (chars[at + 1] ?? '') : char })
    at += escaped ? 2 : 1
  }
  return tokens
}

type CharTest = (token: Token | undefined, char: string) => boolean

const isInRange = (ranges: readonly (readonly [string, string])[], char: string): boolean =>
  ranges.some(([low, high]) => low <= char && char <= high)

const matchesChar: CharTest = (token, char) => {
  switch (token?.kind) {
    case 'char':
      return token.char === char
    case 'any':
      return true
    case 'set':
      return token.not !== isInRange(token.ranges, char)
    default:
      return false
  }
}

/** Lower case, unless that has another length: `İ` becomes two characters, and `?` stands for one. */
const lowerChar = (char: string): string => {
  const lower = char.toLowerCase()
  return lower.length === char.length ? lower : char
}

/** Ranges are compared with both cases: `[Z-a]` has other members in lower case. */
const matchesAnyCase: CharTest = (token, char) => {
  const lower = lowerChar(char)
  if (token?.kind === 'char') return lowerChar(token.char) === lower
  if (token?.kind !== 'set') return matchesChar(token, char)
  return token.not !== [lower, char.toUpperCase()].some((one) => isInRange(token.ranges, one))
}

/** Two pointers and the last star: going back to any earlier star could not help. */
const matchTokens = (tokens: readonly Token[], chars: readonly string[], matches: CharTest): boolean => {
  let at = 0
  let char = 0
  let star = -1
  let resume = 0
  while (char < chars.length) {
    if (tokens[at]?.kind === 'star') {
      star = at
      resume = char
      at += 1
    } else if (matches(tokens[at], chars[char] ?? '')) {
      at += 1
      char += 1
    } else if (star >= 0) {
      resume += 1
      char = resume
      at = star + 1
    } else return false
  }
  while (tokens[at]?.kind === 'star') at += 1
  return at === tokens.length
}

/** A name whose only wildcard is `*`: the texts between the stars follow each other. */
const compileStars = (pattern: string): NameTest => {
  const [prefix = '', ...texts] = pattern.split(/\*+/)
  const suffix = texts.pop()
  if (suffix === undefined) return (name) => name === pattern
  return (name) => {
    const end = name.length - suffix.length
    if (end < prefix.length || !name.startsWith(prefix) || !name.endsWith(suffix)) return false
    let at = prefix.length
    for (const text of texts) {
      at = name.indexOf(text, at)
      if (at < 0) return false
      at += text.length
    }
    return at <= end
  }
}

/** Compiles the part of a glob between two slashes. */
export const compileName = (pattern: string, nocase: boolean): NameTest => {
  if (!nocase && !/[?[\\]/.test(pattern)) return compileStars(pattern)
  const tokens = readTokens(pattern)
  return (name) => matchTokens(tokens, [...name], nocase ? matchesAnyCase : matchesChar)
}
