import { readSync } from 'node:fs'
import type { KnownVectors } from '../../packets/build/window-inputs.ts'
import { readDocRows } from '../../packets/format/docs.ts'
import { copyFloats, readFlatIndex } from '../../packets/format/faiss.ts'
import { readManifest } from '../../packets/format/manifest.ts'
import { type AsyncJail, type OpenedFile, openAsyncJail } from '../jail/async.ts'
import { diskFault } from './drafts.ts'
import { openedSource } from './payload.ts'

const MAX_MANIFEST = 16 * 1024 * 1024

/** The vectors of an earlier build, read from its index when they are needed. */
interface EarlierVectors extends KnownVectors {
  close(): Promise<void>
}

const NONE: EarlierVectors = { get: () => undefined, close: async () => {} }

/** The row of each text by its hash; undefined when the index has other rows. */
const findRows = async (jail: AsyncJail, rows: number): Promise<ReadonlyMap<string, number> | undefined> => {
  const docs = await jail.open('docs.jsonl')
  if (docs === undefined) return undefined
  const found = new Map<string, number>()
  let row = 0
  try {
    for await (const group of readDocRows(openedSource(docs)))
      for (const { doc } of group) {
        if (doc.hash !== undefined) found.set(doc.hash, row)
        row += 1
      }
  } finally {
    await docs.file.close()
  }
  return row === rows ? found : undefined
}

const openVectors = async (jail: AsyncJail, index: OpenedFile): Promise<KnownVectors | undefined> => {
  const { rows, dim, offset } = await readFlatIndex(openedSource(index))
  const found = await findRows(jail, rows)
  if (found === undefined) return undefined
  return {
    get: (hash) => {
      const row = found.get(hash)
      if (row === undefined) return undefined
      const bytes = Buffer.allocUnsafe(4 * dim)
      if (readSync(index.file.fd, bytes, 0, bytes.length, offset + row * bytes.length) < bytes.length)
        throw diskFault({ code: 'EIO' })
      return copyFloats(bytes)
    },
  }
}

/**
 * The vectors of an earlier build, by the hash of their text. Read from the index, where they are float32, so
 * that a build with reuse gives the same bytes as one without.
 */
export const knownVectors = async (folder: string, model: string): Promise<EarlierVectors> => {
  let index: OpenedFile | undefined
  try {
    const jail = openAsyncJail(folder)
    const manifest = readManifest((await jail.read('manifest.json', MAX_MANIFEST)) ?? Buffer.alloc(0))
    // Vectors with prefixes belong to other texts.
    if (manifest.embedding.model !== model || manifest.embedding.document_prefix) return NONE
    index = await jail.open('faiss/index.faiss')
    const vectors = index && (await openVectors(jail, index))
    if (index !== undefined && vectors !== undefined) {
      const { file } = index
      return { get: vectors.get, close: () => file.close() }
    }
  } catch {
    // An invalid earlier build means building everything again.
  }
  await index?.file.close()
  return NONE
}
