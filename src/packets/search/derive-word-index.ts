import { Fault } from '../../kernel/fault.ts'
import { packetFaults } from '../faults.ts'
import { readDocRows } from '../format/docs.ts'
import type { ByteSource } from '../format/faiss.ts'
import { NumberList, wholeNumbers } from '../format/number-list.ts'
import { MAX_SPARSE_BYTES, readSparse, streamSparse } from './sparse-file.ts'
import { fieldedWords, type RankingKind, searchTerms, stem } from './tokens.ts'
import { type Append, IndexWriter } from './word-index.ts'
import { WordRuns } from './word-runs.ts'

/** The files that a word index is made of. */
interface WordSources {
  readonly docs: ByteSource
  /** `sparse/bm25.json`; read for packets without fields, because other tools have other words. */
  readonly sparse: ByteSource | undefined
}

interface DeriveOptions {
  readonly kind: RankingKind
  /** What identifies the files. */
  readonly madeFrom: string
  /** The number of chunks that the manifest says. */
  readonly promised: number | undefined
  /** Occurrences in a run, when the usual number is too many. */
  readonly runSize?: number | undefined
}

interface DerivedWords {
  readonly runs: WordRuns
  readonly lengths: Uint32Array
  readonly warning: string
}

type Progress = (done: number, total: number) => void

/** Reads every chunk once: finds the rows, and collects their words when `runs` is given. */
const readDocs = async (source: ByteSource, runs: WordRuns | undefined, progress: (done: number) => void) => {
  const [starts, lengths] = [new NumberList((length) => new Float64Array(length)), wholeNumbers()]
  let row = 0
  for await (const rows of readDocRows(source)) {
    for (const { start, doc } of rows) {
      starts.push(start)
      if (runs?.kind === 'fields') {
        const { words, places, length } = fieldedWords(doc)
        await runs.reserve(words.length)
        words.forEach((word, i) => {
          runs.add(word, row, places[i] ?? 0)
        })
        lengths.push(length)
      } else if (runs !== undefined) {
        const words = searchTerms(doc.text)
        await runs.reserve(words.length)
        for (const word of words) runs.add(stem(word), row, 1)
        lengths.push(words.length)
      }
      row += 1
      progress(start)
    }
  }
  starts.push(source.size)
  return { starts: starts.values, lengths: lengths.values }
}

/** The words that `sparse/bm25.json` has, in its usual form or as any JSON; undefined when it is invalid. */
const readSparseWords = async (
  source: ByteSource,
  count: number,
  makeRuns: () => WordRuns,
  progress: (done: number) => void,
): Promise<DerivedWords | undefined> => {
  const quick = makeRuns()
  const row = async (at: number, words: readonly string[], times: readonly number[]) => {
    await quick.reserve(words.length)
    words.forEach((word, i) => {
      quick.add(word, at, times[i] ?? 0)
    })
  }
  const lengths = await streamSparse(source, count, stem, { row, progress })
  if (lengths !== undefined) return { runs: quick, lengths, warning: '' }
  if (source.size > MAX_SPARSE_BYTES) return undefined
  try {
    const runs = makeRuns()
    const sparse = readSparse(await source.read(0, source.size), count)
    let at = 0
    for (const words of sparse.rows) {
      const known = [...words].filter(([word]) => word.isWellFormed())
      await runs.reserve(known.length)
      for (const [word, times] of known) runs.add(stem(word), at, times)
      at += 1
    }
    return { runs, lengths: Uint32Array.from(sparse.lengths), warning: '' }
  } catch (cause) {
    if (!(cause instanceof Fault)) throw cause
    return undefined
  }
}

/** The words of the texts, with the reason as a warning. */
const readTextWords = async (
  { docs }: WordSources,
  runs: WordRuns,
  progress: (done: number) => void,
  warning: string,
): Promise<DerivedWords> => ({ runs, lengths: (await readDocs(docs, runs, progress)).lengths, warning })

/**
 * Writes a word index from the files of a packet. For a packet with fields only `docs.jsonl` is read; otherwise the
 * words are those of `sparse/bm25.json`, or of the texts when that is missing or invalid.
 */
export const writeWordIndex = async (
  sources: WordSources,
  { kind, madeFrom, promised, runSize }: DeriveOptions,
  append: Append,
  progress: Progress,
): Promise<void> => {
  const { docs, sparse } = sources
  const total = docs.size + (kind === 'fields' ? 0 : (sparse?.size ?? docs.size))
  const out = new IndexWriter(append)
  const makeRuns = () => new WordRuns(kind, out, docs.size, runSize)
  const runs = kind === 'fields' ? makeRuns() : undefined
  const { starts, lengths } = await readDocs(docs, runs, (done) => progress(done, total))
  const rows = starts.length - 1
  if (promised !== undefined && promised !== rows)
    throw packetFaults.docs(`docs.jsonl has ${rows} chunks, the manifest says ${promised}`)
  const later = (done: number) => progress(docs.size + done, total)
  const findWords = async (): Promise<DerivedWords> => {
    if (runs !== undefined) return { runs, lengths, warning: '' }
    const found = sparse && (await readSparseWords(sparse, rows, makeRuns, later))
    const why = `sparse_index_${sparse === undefined ? 'missing' : 'invalid'}_fallback_runtime`
    return found ?? readTextWords(sources, makeRuns(), later, why)
  }
  const words = await findWords()
  const description = { kind, madeFrom, warning: words.warning, words: await words.runs.finish() }
  await out.finish(description, words.lengths, starts)
}
