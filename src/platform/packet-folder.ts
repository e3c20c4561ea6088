import { mkdir, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { confinePath } from '../packets/format/confine.ts'
import { DocTable } from '../packets/format/docs.ts'
import { floatsOf, memorySource, readFlat } from '../packets/format/faiss.ts'
import { readManifest } from '../packets/format/manifest.ts'
import type { OpenFile } from '../packets/publish.ts'
import { fenceOf, type OpenedFile } from './jail-async.ts'
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

const readExactly = async ({ file }: OpenedFile, at: number, length: number): Promise<Buffer> => {
  const bytes = Buffer.alloc(length)
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(bytes, done, length - done, at + done)
    if (bytesRead === 0) throw diskFault({ code: 'EIO' })
    done += bytesRead
  }
  return bytes
}

/**
 * The files of a built packet, opened when they are asked for. The folder may have come with a repository: a link
 * in it must not have us publish what lies elsewhere.
 */
export const packetFolder = (folder: string): OpenFile => {
  const fence = fenceOf(folder)
  const use = async <T>(path: string, work: (opened: OpenedFile) => Promise<T>): Promise<T | undefined> => {
    const opened = await fence.open(path).catch((cause: unknown) => {
      throw diskFault(cause)
    })
    return opened && work(opened).finally(() => opened.file.close())
  }
  return async (asked) => {
    const path = confinePath(asked)
    const size = await use(path, async (opened) => opened.size)
    if (size === undefined) return undefined
    return {
      size,
      read: async (at, length) => {
        const bytes = await use(path, (opened) => readExactly(opened, at, length))
        if (bytes === undefined) throw diskFault({ code: 'ENOENT' })
        return bytes
      },
    }
  }
}

const MAX_EARLIER = 2 ** 31

/**
 * The vectors of an earlier build, by the hash of their text. They are taken from the index, where they are
 * unrounded, so that a build that reuses them gives the same bytes as one that does not.
 */
export const knownVectors = async (folder: string, model: string): Promise<Map<string, Float32Array>> => {
  const known = new Map<string, Float32Array>()
  try {
    const fence = fenceOf(folder)
    const part = async (path: string) => (await fence.read(path, MAX_EARLIER)) ?? Buffer.alloc(0)
    const manifest = readManifest(await part('manifest.json'))
    if (manifest.embedding.model !== model) return known
    const docs = new DocTable(await part('docs.jsonl'))
    const bytes = await part('faiss/index.faiss')
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
