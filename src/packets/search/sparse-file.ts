import { isRecord } from '../../kernel/encoding/json.ts'
import { packetFaults } from '../faults.ts'
import { readJson } from '../format/json-bytes.ts'
import {
  addOccurrences,
  type GrowingPosting,
  inverseDocumentFrequency,
  type Posting,
  type SparseRows,
} from './postings.ts'
import { searchTerms } from './tokens.ts'

/** A larger file is not parsed as JSON. */
export const MAX_SPARSE_BYTES = 1024 * 1024 * 1024

/** Inverts postings: the words of each row, and how often they occur. */
const invertPostings = (postings: readonly Posting[], count: number) => {
  const starts = new Uint32Array(count + 1)
  for (const { rows } of postings) {
    for (let i = 0; i < rows.length; i++) {
      const next = (rows[i] as number) + 1
      starts[next] = (starts[next] as number) + 1
    }
  }
  for (let row = 0; row < count; row++)
    starts[row + 1] = (starts[row + 1] as number) + (starts[row] as number)
  const free = starts.slice()
  const word = new Uint32Array(starts[count] as number)
  const times = new Uint32Array(word.length)
  postings.forEach(({ rows, counts }, number) => {
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as number
      const at = free[row] as number
      word[at] = number
      times[at] = counts[i] as number
      free[row] = at + 1
    }
  })
  return { starts, word, times }
}

const collectPostings = (texts: Iterable<string>) => {
  const found = new Map<string, GrowingPosting>()
  const lengths: number[] = []
  for (const text of texts) {
    const words = searchTerms(text)
    for (const word of words) addOccurrences(found, word, lengths.length, 1)
    lengths.push(words.length)
  }
  const words = [...found.keys()].sort()
  return { words, postings: words.map((word) => found.get(word) as Posting), lengths }
}

/**
 * Writes `sparse/bm25.json` over texts, one a row. Words are written unstemmed, for other readers. Written in
 * pieces, because one JSON object would not fit in memory.
 */
export const writeSparse = (texts: Iterable<string>): Uint8Array => {
  const { words, postings, lengths } = collectPostings(texts)
  const keys = words.map((word) => `${JSON.stringify(word)}:`)
  const weights = postings.map(
    ({ rows }, i) => `${keys[i]}${inverseDocumentFrequency(lengths.length, rows.length)}`,
  )
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(lengths.length, 1)
  const { starts, word, times } = invertPostings(postings, lengths.length)
  const countsOf = (row: number): string => {
    const counts: string[] = []
    for (let i = starts[row] as number; i < (starts[row + 1] as number); i++)
      counts.push(`${keys[word[i] as number]}${times[i]}`)
    return `{${counts.join()}}`
  }
  return Buffer.concat([
    Buffer.from(`{"idf":{${weights.join()}},"doc_len":[${lengths.join()}],"tf":[`),
    ...lengths.map((_, row) => Buffer.from(`${row === 0 ? '' : ','}${countsOf(row)}`)),
    Buffer.from(`],"avgdl":${average}}`),
  ])
}

const isCounts = (value: unknown): value is number[] =>
  Array.isArray(value) && value.every((one) => Number.isSafeInteger(one) && one >= 0 && one < 2 ** 32)

/** Reads `sparse/bm25.json`, which must have `count` rows. */
export const readSparse = (bytes: Uint8Array, count: number): SparseRows => {
  const value = readJson(bytes, 'sparse/bm25.json', MAX_SPARSE_BYTES, packetFaults.index)
  const { doc_len: lengths, tf } = isRecord(value) ? value : {}
  if (!isCounts(lengths) || !Array.isArray(tf) || lengths.length !== count || tf.length !== count)
    throw packetFaults.index('sparse/bm25.json has another number of rows than docs.jsonl')
  const rows = tf.map((one: unknown) => {
    const entries = isRecord(one) ? Object.entries(one) : []
    if (!isRecord(one) || !isCounts(entries.map(([, times]) => times)))
      throw packetFaults.index('sparse/bm25.json has a count that is not a number')
    // A row with a zero count does not contain the word.
    return (entries as [string, number][]).filter(([, times]) => times > 0)
  })
  return { rows, lengths }
}
