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
