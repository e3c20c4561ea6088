import type { Embedder } from '../embed.ts'
import { normalizeRow } from '../format/vectors.ts'
import { wordsOf } from './tokens.ts'

/** What packets say that were built with it. The number changes whenever a vector would. */
export const LOCAL_MODEL = 'warrant-local-1'
export const LOCAL_DIM = 384

const WHOLE = 1
const ROOT = 0.8
const PAIR = 0.4
const PIECE = 0.8
const PIECE_LENGTHS = [3, 4, 5]
/** Words that stand everywhere and tell nothing. */
const COMMON = new Set(
  'a an and are as at be but by can do does for from has have how i if in into is it its of on or our so that the their then there these this to was we what when where which who why will with you your'.split(
    ' ',
  ),
)
const COMMON_WEIGHT = 0.15

// FNV-1a over UTF-16 code units: small, well spread, and the same on every machine.
const hash = (text: string): number => {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193)
  value ^= value >>> 15
  value = Math.imul(value, 0x2c1b3c6d)
  return (value ^ (value >>> 13)) >>> 0
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

const rootOf = (word: string): string => {
  const found = ENDINGS.find(([ending]) => word.endsWith(ending) && word.length - ending.length >= MIN_ROOT)
  return found === undefined ? word : word.slice(0, -found[0].length) + found[1]
}

const pieces = (word: string): string[] => {
  const framed = `<${word}>`
  return PIECE_LENGTHS.flatMap((size) =>
    framed.length <= size
      ? []
      : Array.from({ length: framed.length - size + 1 }, (_, i) => framed.slice(i, i + size)),
  )
}

/** Features of a text and how often each occurs, weighted by its kind. */
const featuresOf = (text: string): Map<string, readonly [times: number, weight: number]> => {
  const found = new Map<string, readonly [number, number]>()
  const note = (feature: string, weight: number) =>
    found.set(feature, [(found.get(feature)?.[0] ?? 0) + 1, weight])
  let before: string | undefined
  for (const word of wordsOf(text)) {
    const common = COMMON.has(word)
    note(`w ${word}`, common ? COMMON_WEIGHT : WHOLE)
    if (common) continue
    note(`r ${rootOf(word)}`, ROOT)
    const parts = pieces(word)
    // Long words have many pieces; together they weigh the same.
    for (const piece of parts) note(`p ${piece}`, PIECE / Math.sqrt(parts.length))
    if (before !== undefined) note(`b ${before} ${word}`, PAIR)
    before = word
  }
  return found
}

/** The vector of a text: its features thrown into a fixed number of bins, with signs so that collisions cancel. */
export const embedLocally = (text: string): Float32Array => {
  const sums = new Float64Array(LOCAL_DIM)
  for (const [feature, [times, weight]] of featuresOf(text)) {
    const value = hash(feature)
    const bin = value % LOCAL_DIM
    // Square roots, not logarithms: only those are the same to the bit everywhere.
    sums[bin] = (sums[bin] as number) + (value & 0x4000_0000 ? 1 : -1) * weight * Math.sqrt(times)
  }
  return normalizeRow(Float32Array.from(sums))
}

/**
 * The embedder that is always there: no weights, no download, no network. It knows words and parts of words and
 * nothing of meaning; whoever wants synonyms configures a model.
 */
export const localEmbedder: Embedder = {
  model: LOCAL_MODEL,
  provider: 'warrant-local',
  dim: LOCAL_DIM,
  embed: async (texts) => {
    const values = new Float32Array(texts.length * LOCAL_DIM)
    texts.forEach((text, row) => {
      values.set(embedLocally(text), row * LOCAL_DIM)
    })
    return { rows: texts.length, dim: LOCAL_DIM, values }
  },
}
