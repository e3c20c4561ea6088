import type { Embedder } from '../embed.ts'
import { normalizeRow } from '../format/vectors.ts'
import { stem, wordsOf } from './tokens.ts'

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

const OFFSET = 0x811c9dc5
const PRIME = 0x01000193

// FNV-1a over UTF-16 code units: small, well spread, and the same on every machine.
const hash = (seed: number, text: string, from = 0, to = text.length): number => {
  let value = seed
  for (let i = from; i < to; i++) value = Math.imul(value ^ text.charCodeAt(i), PRIME)
  return value
}

/** Spreads the last bits too: FNV alone leaves them alike for words that end alike. */
const finish = (value: number): number => {
  const mixed = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d)
  return (mixed ^ (mixed >>> 13)) >>> 0
}

/** A beginning of its own for each kind of feature, so that a word and a piece spelt alike differ. */
const [WORD_SEED, ROOT_SEED, PAIR_SEED, PIECE_SEED] = ['w ', 'r ', 'b ', 'p '].map((kind) =>
  hash(OFFSET, kind),
) as [number, number, number, number]

/**
 * It knows less than the words do: no rarity, and few bins for everything. So much less than two neighbouring ranks
 * differ by: what words found it never pushes aside, and where they find too little it fills up.
 */
const WEIGHT = 0.01

/** Words whose features are remembered: a few thousand make up most of any text. */
const MAX_KNOWN = 65_536
const known = new Map<string, Uint32Array>()

/** What a word adds to a vector: itself, its root and its pieces; of a common word only itself. */
const hashWord = (word: string): Uint32Array => {
  const features = [hash(WORD_SEED, word)]
  if (!COMMON.has(word)) {
    features.push(hash(ROOT_SEED, stem(word)))
    const framed = `<${word}>`
    for (const size of PIECE_LENGTHS)
      for (let at = 0; at + size <= framed.length; at++)
        features.push(hash(PIECE_SEED, framed, at, at + size))
  }
  return Uint32Array.from(features, finish)
}

const featuresOf = (word: string): Uint32Array => {
  const found = known.get(word)
  if (found !== undefined) return found
  const features = hashWord(word)
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(word, features)
  return features
}

type Add = (feature: number, weight: number) => void

/** Long words have many pieces; together they weigh the same. */
const addWord = (word: string, factor: number, add: Add): void => {
  const features = featuresOf(word)
  if (features.length === 1) return add(features[0] as number, COMMON_WEIGHT * factor)
  add(features[0] as number, WHOLE * factor)
  add(features[1] as number, ROOT * factor)
  const share = (PIECE * factor) / Math.sqrt(Math.max(features.length - 2, 1))
  for (let i = 2; i < features.length; i++) add(features[i] as number, share)
}

/** The vector of a text: its features thrown into a fixed number of bins, with signs so that collisions cancel. */
export const embedLocally = (text: string): Float32Array => {
  const sums = new Float64Array(LOCAL_DIM)
  const add: Add = (value, weight) => {
    const bin = value % LOCAL_DIM
    sums[bin] = (sums[bin] as number) + (value & 0x4000_0000 ? weight : -weight)
  }
  const words = new Map<string, number>()
  const pairs = new Map<number, number>()
  let before: string | undefined
  for (const word of wordsOf(text)) {
    words.set(word, (words.get(word) ?? 0) + 1)
    if (COMMON.has(word)) continue
    if (before !== undefined) {
      const pair = hash(hash(hash(PAIR_SEED, before), ' '), word)
      pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
    }
    before = word
  }
  // Square roots of counts, not logarithms: only those are the same to the bit everywhere.
  for (const [word, times] of words) addWord(word, Math.sqrt(times), add)
  for (const [pair, times] of pairs) add(finish(pair), PAIR * Math.sqrt(times))
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
  weight: WEIGHT,
  embed: async (texts) => {
    const values = new Float32Array(texts.length * LOCAL_DIM)
    texts.forEach((text, row) => {
      values.set(embedLocally(text), row * LOCAL_DIM)
    })
    return { rows: texts.length, dim: LOCAL_DIM, values }
  },
}
