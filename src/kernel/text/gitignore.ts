import { compileGlob, type PathTest } from './glob.ts'

interface IgnoreRule {
  readonly test: PathTest
  readonly keep: boolean
  readonly foldersOnly: boolean
}

/** The rules of one ignore file, which apply below its folder. */
export interface IgnoreFile {
  /** Number of path segments of its folder. */
  readonly depth: number
  readonly rules: readonly IgnoreRule[]
}

const MAX_RULES = 2_000

const readRule = (line: string): IgnoreRule | undefined => {
  // Trailing spaces are ignored unless escaped.
  let pattern = line.replace(/\r$/, '').replace(/(?<!\\) +$/, '')
  if (pattern === '' || pattern.startsWith('#')) return undefined
  const keep = pattern.startsWith('!')
  if (keep) pattern = pattern.slice(1)
  const foldersOnly = pattern.endsWith('/')
  if (foldersOnly) pattern = pattern.slice(0, -1)
  if (pattern === '') return undefined
  // A slash anywhere but at the end anchors a pattern to the folder of its file.
  const anchored = pattern.includes('/')
  return { test: compileGlob(anchored ? pattern : `**/${pattern}`), keep, foldersOnly }
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

/** The nearest file with a matching rule decides; within a file, the last matching rule. */
export const isIgnored = (
  files: readonly IgnoreFile[],
  segments: readonly string[],
  folder: boolean,
): boolean => {
  for (let file = files.length - 1; file >= 0; file -= 1) {
    const { depth = 0, rules = [] } = files[file] ?? {}
    const below = segments.slice(depth)
    for (let at = rules.length - 1; at >= 0; at -= 1) {
      const rule = rules[at]
      if (rule !== undefined && (folder || !rule.foldersOnly) && rule.test(below)) return !rule.keep
    }
  }
  return false
}
