/** Says of a path below a folder whether a rule takes it out (true) or in again; undefined when none speaks. */
export type IgnoreRules = (path: string, isFolder: boolean) => boolean | undefined

interface Rule {
  /** Names between slashes; `**` stands for any number of them. */
  readonly parts: readonly string[]
  readonly keep: boolean
  readonly folderOnly: boolean
}

const MAX_RULES = 2000
const MAX_PATTERN = 500

/**
 * Matches with a star that stands for any run. It remembers only the last star, so that no pattern, however
 * many stars a stranger put in it, takes more than its length times that of the text.
 */
const wild = <T>(
  pattern: readonly T[],
  text: readonly T[],
  star: T,
  same: (a: T, b: T) => boolean,
): boolean => {
  let [p, t, lastStar, resume] = [0, 0, -1, 0]
  while (t < text.length) {
    if (p < pattern.length && pattern[p] === star) {
      lastStar = p
      p += 1
      resume = t
    } else if (p < pattern.length && same(pattern[p] as T, text[t] as T)) {
      p += 1
      t += 1
    } else if (lastStar !== -1) {
      p = lastStar + 1
      resume += 1
      t = resume
    } else return false
  }
  while (pattern[p] === star) p += 1
  return p === pattern.length
}

const sameLetter = (a: string, b: string): boolean => a === '?' || a === b
const sameName = (pattern: string, name: string): boolean => wild([...pattern], [...name], '*', sameLetter)

const readRule = (line: string): Rule | undefined => {
  const text = line.trimEnd()
  if (text === '' || text.startsWith('#') || text.length > MAX_PATTERN) return undefined
  const keep = text.startsWith('!')
  const bare = (keep ? text.slice(1) : text).replace(/^\\/, '')
  const names = bare.replace(/\/+$/, '').split('/')
  // A slash before the end ties the pattern to the folder of its file; without one it fits at any depth.
  const parts = names.length > 1 ? names.filter((name) => name !== '') : ['**', ...names]
  return parts.length === 0 ? undefined : { parts, keep, folderOnly: bare.endsWith('/') }
}

/** The rules of a `.gitignore`. The last one that fits decides. */
export const readIgnore = (text: string): IgnoreRules => {
  const rules = text
    .split(/\r?\n/)
    .slice(0, MAX_RULES)
    .flatMap((line) => readRule(line) ?? [])
    .reverse()
  return (path, isFolder) => {
    const names = path.split('/')
    const found = rules.find(
      ({ parts, folderOnly }) => (!folderOnly || isFolder) && wild(parts, names, '**', sameName),
    )
    return found === undefined ? undefined : !found.keep
  }
}
