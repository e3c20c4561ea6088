import { isRecord } from '../../kernel/encoding/json.ts'
import { packetFaults } from '../faults.ts'
import { readJson } from '../format/json-bytes.ts'
import type { SparseRows } from './postings.ts'

/** A larger file is not parsed as JSON. */
export const MAX_SPARSE_BYTES = 1024 * 1024 * 1024

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
