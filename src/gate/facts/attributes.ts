import { extensionOf } from '../../kernel/text/languages.ts'
import { isSource, nameKind } from '../rules/path-kinds.ts'
import { listEffects, type PolicyChange } from '../rules/policy-change.ts'

/** The root's file also says what is generated or vendored; those of all folders say how git changes texts. */
export const ATTRIBUTES_FILE = '.gitattributes'
const ATTRIBUTES_PATH = /(?:^|\/)\.gitattributes$/i
const MODULES_FILE = '.gitmodules'

/** One attribute of a pattern that takes files from the rules, or changes their text. */
interface Attribute {
  readonly pattern: string
  readonly name: string
  readonly value: string | undefined
  readonly on: boolean
  /** From 1. */
  readonly line: number
}

const LINE = /^\s*("(?:[^"\\]|\\.)*"|[^\s#]\S*)(.*)$/
const ATTRIBUTE =
  /^([-!]?)(?:(linguist-(?:generated|vendored))(?:=(true|false))?|(working-tree-encoding|filter|ident)(?:=(.*))?)$/

export const parseAttributes = (text: string): readonly Attribute[] =>
  text.split(/\r?\n/).flatMap((source, at) => {
    const [, pattern = '', words = ''] = LINE.exec(source) ?? []
    return words.split(/\s+/).flatMap((word): Attribute[] => {
      const [, sign, kind, flag, other, value = flag] = ATTRIBUTE.exec(word) ?? []
      const name = kind ?? other
      return name === undefined
        ? []
        : [{ pattern, name, value, on: sign === '' && flag !== 'false', line: at + 1 }]
    })
  })

const isKind = ({ name }: Attribute): boolean => name.startsWith('linguist-')

/** Files with these extensions are no program, but rules read them. */
const SETTINGS = /^(?:ya?ml|sh|bash|tf|env)$/

/** Whether the pattern may name a file that rules read, now or later. */
const mayNameSource = (one: Attribute): boolean => {
  const pattern = one.pattern.replace(/^"|"$/g, '')
  // Such a name is exempt without the attribute.
  if (isKind(one) && nameKind(pattern) !== undefined) return false
  const extension = extensionOf(pattern)
  return !/^\w+$/.test(extension) || isSource(pattern) || SETTINGS.test(extension)
}

const keyOf = ({ pattern, name, value, on }: Attribute): string => JSON.stringify([pattern, name, value, on])

/** What a version of the file adds to the attributes, or takes from the exceptions; all of it where the order changed. */
const addedAttributes = (before: readonly Attribute[], after: readonly Attribute[]): readonly Attribute[] => {
  const [old, now] = [before.map(keyOf), after.map(keyOf)]
  const added = after.filter((one) => one.on && !old.includes(keyOf(one)))
  const removed = before.filter((one) => !one.on && !now.includes(keyOf(one)))
  const kept = old.filter((key) => now.includes(key)).join()
  const isMoved = kept !== now.filter((key) => old.includes(key)).join()
  return isMoved ? after.filter(({ on }) => on) : [...added, ...removed]
}

const effectOf = (one: Attribute): string =>
  isKind(one)
    ? `rules about programs would not read ${one.pattern} (${one.name})`
    : `checkouts would get another text of ${one.pattern} than the one that is judged (${one.name})`

/** The sections of `.gitmodules` whose changes git does not show. */
const ignoredModules = (text: string): readonly string[] =>
  text
    .split(/^\s*(?=\[)/m)
    .filter((section) => /^\s*ignore\s*=\s*(?!none\b)\S/im.test(section))
    .map((section) => section.split('\n', 1)[0] ?? '')

export const isExemptionFile = (path: string): boolean => path === MODULES_FILE || ATTRIBUTES_PATH.test(path)

/** What a change of one file takes from the rules; the texts are empty where there is no file. */
export const exemptionChanges = (file: string, before: string, after: string): PolicyChange[] => {
  if (!isExemptionFile(file)) return []
  const isOwn = (one: Attribute) => (file === ATTRIBUTES_FILE || !isKind(one)) && mayNameSource(one)
  const [old, now] = [ignoredModules(before), ignoredModules(after)]
  const effects =
    file === MODULES_FILE
      ? now.flatMap((one) => (old.includes(one) ? [] : [`git would hide changes of ${one} (ignore)`]))
      : addedAttributes(parseAttributes(before).filter(isOwn), parseAttributes(after).filter(isOwn)).map(
          effectOf,
        )
  return effects.length === 0 ? [] : [{ file, effect: listEffects(effects), weaker: true }]
}

/**
 * Whether git keeps the ASCII characters of a text that it writes in this encoding: not where other characters have the
 * same bytes; undefined where the encoding is unknown.
 */
const keepsAscii = (encoding: string): boolean | undefined => {
  try {
    const name = new TextDecoder(encoding.replace(/-BOM$/i, '')).encoding
    return name.startsWith('iso-2022') ? undefined : !/^(?:gb|big5|euc-|shift)/.test(name)
  } catch {
    return undefined
  }
}

/** The attributes that give checkouts bytes in which other characters may be read than those that are judged. */
export const strangeEncodings = (path: string, bytes: Uint8Array): readonly Attribute[] => {
  if (!ATTRIBUTES_PATH.test(path)) return []
  return parseAttributes(new TextDecoder().decode(bytes)).filter((one) => {
    const { name, value, on } = one
    if (name !== 'working-tree-encoding' || !on || value === undefined) return false
    const isKept = keepsAscii(value)
    return isKept === undefined || (!isKept && mayNameSource(one))
  })
}
