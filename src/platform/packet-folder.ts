import { mkdir, open, readFile, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { confinePath } from '../packets/format/confine.ts'
import { DocTable } from '../packets/format/docs.ts'
import { floatsOf, memorySource, readFlat } from '../packets/format/faiss.ts'
import { readManifest } from '../packets/format/manifest.ts'
import type { OpenFile } from '../packets/publish.ts'
import { diskFault, draftName, sweepDrafts, syncFolder, writeNew } from './packet-files.ts'

/** Puts a packet's files where an earlier build may be: afterwards it is the old one or the new one, whole. */
export const writePacket = async (folder: string, files: ReadonlyMap<string, Uint8Array>): Promise<void> => {
  const draft = join(dirname(folder), draftName())
  const old = join(dirname(folder), draftName())
  try {
    await mkdir(draft, { recursive: true })
    await sweepDrafts(dirname(folder))
    for (const [path, bytes] of files) await writeNew(join(draft, confinePath(path)), [bytes], 0o644)
    await syncFolder(draft)
    await rename(folder, old).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOENT') throw cause
    })
    await rename(draft, folder)
    await syncFolder(dirname(folder))
  } catch (cause) {
    throw diskFault(cause)
  } finally {
    await rm(draft, { recursive: true, force: true })
    await rm(old, { recursive: true, force: true })
  }
}

/** The files of a built packet, opened when they are asked for. */
export const packetFolder =
  (folder: string): OpenFile =>
  async (path) => {
    const place = join(folder, confinePath(path))
    const found = await stat(place).catch(() => undefined)
    if (!found?.isFile()) return undefined
    return {
      size: found.size,
      read: async (at, length) => {
        const file = await open(place, 'r').catch((cause: unknown) => {
          throw diskFault(cause)
        })
        try {
          const bytes = Buffer.alloc(length)
          for (let done = 0; done < length; ) {
            const { bytesRead } = await file.read(bytes, done, length - done, at + done)
            if (bytesRead === 0) throw diskFault({ code: 'EIO' })
            done += bytesRead
          }
          return bytes
        } finally {
          await file.close()
        }
      },
    }
  }

/**
 * The vectors of an earlier build, by the hash of their text. They are taken from the index, where they are
 * unrounded, so that a build that reuses them gives the same bytes as one that does not.
 */
export const knownVectors = async (folder: string, model: string): Promise<Map<string, Float32Array>> => {
  const known = new Map<string, Float32Array>()
  try {
    const manifest = readManifest(await readFile(join(folder, 'manifest.json')))
    // Vectors of texts with something before them are vectors of other texts.
    if (manifest.embedding.model !== model || manifest.embedding.document_prefix) return known
    const docs = new DocTable(await readFile(join(folder, 'docs.jsonl')))
    const bytes = await readFile(join(folder, 'faiss/index.faiss'))
    const { rows, dim, offset } = await readFlat(memorySource(bytes))
    if (rows !== docs.rows) return known
    const values = floatsOf(bytes.subarray(offset))
    let row = 0
    for (const { hash } of docs) {
      if (hash !== undefined) known.set(hash, values.subarray(row * dim, (row + 1) * dim))
      row += 1
    }
    return known
  } catch {
    // Whatever is wrong with the earlier build, the answer is to build all of it again.
    return new Map()
  }
}
