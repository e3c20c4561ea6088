const WORD = /[\p{L}\p{N}]+/gu
const HUMP = /(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u
const MAX_WORD = 64

/** The words of a text in lower case. `parseHTTPHeader` is itself and its parts. */
export const wordsOf = (text: string): string[] => {
  const words: string[] = []
  for (const [whole] of text.normalize('NFKC').matchAll(WORD)) {
    // Longer is no word but data, and would only fill the index.
    if (whole.length > MAX_WORD) continue
    const lower = whole.toLowerCase()
    words.push(lower)
    if (lower === whole) continue
    const parts = whole.split(HUMP)
    if (parts.length > 1) words.push(...parts.map((part) => part.toLowerCase()))
  }
  return words
}

/** Endings that change the form of a word more than its meaning, and what stands in their place. */
const ENDINGS: readonly (readonly [ending: string, instead: string])[] = [
  ['ies', 'y'],
  ['ied', 'y'],
  ['ing', ''],
  ['ed', ''],
  ['es', ''],
  ['e', ''],
  ['s', ''],
]
const MIN_ROOT = 4

/** What the forms of a word have in common, roughly: `verifies` and `verified` are `verify`. */
export const rootOf = (word: string): string => {
  const found = ENDINGS.find(([ending]) => word.endsWith(ending) && word.length - ending.length >= MIN_ROOT)
  return found === undefined ? word : word.slice(0, -found[0].length) + found[1]
}
