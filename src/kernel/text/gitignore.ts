import { compileGlob, type PathTest } from './glob.ts'

interface IgnoreRule {
  readonly test: PathTest
  readonly keep: boolean
  readonly foldersOnly: boolean
}

/** One ignore file's word on what lies below the folder it is in. */
export interface IgnoreFile {
  /** How many names lead to its folder. */
  readonly depth: number
  readonly rules: readonly IgnoreRule[]
}

const MAX_RULES = 2_000

const readRule = (line: string): IgnoreRule | undefined => {
  // Blanks at the end do not count, unless one is escaped.
  let pattern = line.replace(/\r$/, '').replace(/(?<!\\) +$/, '')
  if (pattern === '' || pattern.startsWith('#')) return undefined
  const keep = pattern.startsWith('!')
  if (keep) pattern = pattern.slice(1)
  const foldersOnly = pattern.endsWith('/')
  if (foldersOnly) pattern = pattern.slice(0, -1)
  if (pattern === '') return undefined
  // A slash anywhere but at the end ties a pattern to the folder of its file.
  const tied = pattern.includes('/')
  return { test: compileGlob(tied ? pattern : `**/${pattern}`), keep, foldersOnly }
}

/** The rules of a `.gitignore`, as git reads them. */
export const readIgnore = (text: string, depth: number): IgnoreFile => ({
  depth,
  rules: text
    .split('\n')
    .slice(0, MAX_RULES)
    .map(readRule)
    .filter((rule) => rule !== undefined),
})

/** The nearest file that has a word about a path decides, and in it the last rule that has one. */
export const isIgnored = (
  files: readonly IgnoreFile[],
  segments: readonly string[],
  folder: boolean,
): boolean => {
  for (let file = files.length - 1; file >= 0; file -= 1) {
    const { depth, rules } = files[file] as IgnoreFile
    const below = segments.slice(depth)
    for (let at = rules.length - 1; at >= 0; at -= 1) {
      const rule = rules[at] as IgnoreRule
      if ((folder || !rule.foldersOnly) && rule.test(below)) return !rule.keep
    }
  }
  return false
}
