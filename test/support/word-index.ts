import { SparseWriter } from '../../src/packets/build/sparse-writer.ts'
import { type Doc, writeDocs } from '../../src/packets/format/docs.ts'
import { memorySource } from '../../src/packets/format/faiss.ts'
import { writeWordIndex } from '../../src/packets/search/derive-word-index.ts'
import { LexicalIndex } from '../../src/packets/search/lexical.ts'
import type { RankingKind } from '../../src/packets/search/tokens.ts'
import { WordIndexFile } from '../../src/packets/search/word-index.ts'
import { memoryOutput } from './packet-setup.ts'

interface IndexedFiles {
  readonly docs: Uint8Array
  readonly sparse?: Uint8Array
  readonly kind?: RankingKind
  readonly runSize?: number
}

/** The bytes of a word index over these files. */
export const wordIndexBytes = async ({
  docs,
  sparse,
  kind = 'plain',
  runSize,
}: IndexedFiles): Promise<Buffer> => {
  const pieces: Uint8Array[] = []
  await writeWordIndex(
    { docs: memorySource(docs), sparse: sparse && memorySource(sparse) },
    { kind, madeFrom: 'test', promised: undefined, runSize },
    async (bytes) => void pieces.push(Uint8Array.from(bytes)),
    () => {},
  )
  return Buffer.concat(pieces)
}

export const textDocs = (texts: readonly string[]): Uint8Array =>
  writeDocs(texts.map((text, i) => ({ id: String(i), text, metadata: {} })))

export const openWordIndex = (bytes: Uint8Array): Promise<WordIndexFile> =>
  WordIndexFile.open(memorySource(bytes))

/** An index over texts, one a row, with the words of a `sparse/bm25.json` when it is given. */
export const lexicalOf = async (texts: readonly string[], sparse?: Uint8Array): Promise<LexicalIndex> =>
  new LexicalIndex(
    await openWordIndex(await wordIndexBytes({ docs: textDocs(texts), ...(sparse && { sparse }) })),
  )

/** The bytes of `sparse/bm25.json` over texts, one a row. */
export const sparseBytes = async (texts: readonly string[]): Promise<Uint8Array> => {
  const { files, create, open } = memoryOutput()
  const rows = create('rows')
  const writer = new SparseWriter(rows)
  for (const text of texts) writer.add(text)
  rows.end()
  await writer.finish(open('rows'), create('sparse'))
  return files.get('sparse') as Uint8Array
}

/** An index with fields over chunks. */
export const fieldIndexOf = async (docs: readonly Doc[]): Promise<LexicalIndex> =>
  new LexicalIndex(await openWordIndex(await wordIndexBytes({ docs: writeDocs(docs), kind: 'fields' })))
