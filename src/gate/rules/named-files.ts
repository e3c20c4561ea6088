import { expandBraces } from '../../kernel/text/glob.ts'
import { LANGUAGES } from '../../kernel/text/languages.ts'
import type { RuleFile } from './rule.ts'

/** Which rules are about files with certain names, told without compiling their globs. */

const LEAST_LENGTH = 2
const PLAIN = /^[ -~]+$/

/** The longest text in a glob without braces that a matching path contains; undefined when that is not plain. */
const literalOf = (glob: string): string | undefined => {
  if (/[{}]|\[[\]!^]/.test(glob) || !PLAIN.test(glob)) return undefined
  const texts = glob.split(/[*?/]|\[[^\]]*\]/)
  const longest = texts.reduce((best, one) => (one.length > best.length ? one : best), '')
  return longest.length < LEAST_LENGTH ? undefined : longest.toLowerCase()
}

const isProgramEnd = (word: string): boolean =>
  Object.values(LANGUAGES).some(({ extensions }) => extensions.some((one) => word === `.${one}`))

/**
 * Words, in lower case, of which the path of every matching file contains one. Undefined for globs without such words
 * and for those about programs, which most changes contain.
 */
export const globWords = (globs: RuleFile['files']): readonly string[] | undefined => {
  if (globs === undefined || globs.length === 0) return undefined
  const words = globs.flatMap((one) => expandBraces(typeof one === 'string' ? one : one.glob)).map(literalOf)
  const known = words.filter((word) => word !== undefined)
  return known.length < words.length || known.some(isProgramEnd) ? undefined : [...new Set(known)]
}

export const containsWord = (paths: readonly string[], words: readonly string[]): boolean =>
  paths.some((path) => {
    const lower = path.toLowerCase()
    return words.some((word) => lower.includes(word))
  })
