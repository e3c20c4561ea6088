import { type Embedder, SENTENCE_MODEL } from '../../src/packets/embed.ts'
import { normalizeRow } from '../../src/packets/format/vectors.ts'
import { splitWords, stem } from '../../src/packets/search/tokens.ts'

/** The model name in packets built with it. The number changes whenever a vector would. */
export const LOCAL_MODEL = 'warrant-local-1'
export const LOCAL_DIM = 384

const WHOLE = 1
const ROOT = 0.8
const PAIR = 0.4
const PIECE = 0.8
const PIECE_LENGTHS = [3, 4, 5]
/** Stop words. */
const COMMON = new Set(
  'a an and are as at be but by can do does for from has have how i if in into is it its of on or our so that the their then there these this to was we what when where which who why will with you your'.split(
    ' ',
  ),
)
const COMMON_WEIGHT = 0.15

const OFFSET = 0x811c9dc5
const PRIME = 0x01000193

// FNV-1a over UTF-16 code units: the same on every machine.
const hash = (seed: number, text: string, from = 0, to = text.length): number => {
  let value = seed
  for (let i = from; i < to; i++) value = Math.imul(value ^ text.charCodeAt(i), PRIME)
  return value
}

/** Final mixing: FNV-1a alone leaves the low bits alike for words with the same ending. */
const finish = (value: number): number => {
  const mixed = Math.imul(value ^ (value >>> 15), 0x2c1b3c6d)
  return (mixed ^ (mixed >>> 13)) >>> 0
}

/** A hash seed for each kind of feature, so that a word and an n-gram with the same spelling differ. */
const [WORD_SEED, ROOT_SEED, PAIR_SEED, PIECE_SEED] = ['w ', 'r ', 'b ', 'p '].map((kind) =>
  hash(OFFSET, kind),
) as [number, number, number, number]

/**
 * Far below the difference of two neighbouring ranks: these vectors never reorder lexical hits, they only add
 * rows where words find too few.
 */
const WEIGHT = 0.01

/** Size of the feature cache: a few thousand words make up most texts. */
const MAX_KNOWN = 65_536
const known = new Map<string, Uint32Array>()

/** The features of a word: the word, its stem and its character n-grams; of a stop word only the word. */
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

const wordFeatures = (word: string): Uint32Array => {
  const found = known.get(word)
  if (found !== undefined) return found
  const features = hashWord(word)
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(word, features)
  return features
}

type Add = (feature: number, weight: number) => void

/** The n-grams of a word share one weight, however many they are. */
const addWord = (word: string, factor: number, add: Add): void => {
  const features = wordFeatures(word)
  if (features.length === 1) return add(features[0] as number, COMMON_WEIGHT * factor)
  add(features[0] as number, WHOLE * factor)
  add(features[1] as number, ROOT * factor)
  const share = (PIECE * factor) / Math.sqrt(Math.max(features.length - 2, 1))
  for (let i = 2; i < features.length; i++) add(features[i] as number, share)
}

/**
 * Embeds a text by feature hashing: features are added to a fixed number of bins with a sign, so that
 * collisions cancel.
 */
export const embedLocally = (text: string): Float32Array => {
  const sums = new Float64Array(LOCAL_DIM)
  const add: Add = (value, weight) => {
    const bin = value % LOCAL_DIM
    sums[bin] = (sums[bin] as number) + (value & 0x4000_0000 ? weight : -weight)
  }
  const words = new Map<string, number>()
  const pairs = new Map<number, number>()
  let before: string | undefined
  for (const word of splitWords(text)) {
    words.set(word, (words.get(word) ?? 0) + 1)
    if (COMMON.has(word)) continue
    if (before !== undefined) {
      const pair = hash(hash(hash(PAIR_SEED, before), ' '), word)
      pairs.set(pair, (pairs.get(pair) ?? 0) + 1)
    }
    before = word
  }
  // Square roots of counts, not logarithms: only they are bit-identical on all platforms.
  for (const [word, times] of words) addWord(word, Math.sqrt(times), add)
  for (const [pair, times] of pairs) add(finish(pair), PAIR * Math.sqrt(times))
  return normalizeRow(Float32Array.from(sums))
}

/**
 * The built-in embedder: no model file, no download, no network. It matches words and parts of words, not
 * meaning; for synonyms configure a model.
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

/** The same vectors under the name of the built-in model, for packets that a program is asked about. */
export const sentenceNamed: Embedder = { ...localEmbedder, model: SENTENCE_MODEL }
