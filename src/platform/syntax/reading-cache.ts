import { createHash, type Hash } from 'node:crypto'
import { dirname } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { ReadingCache, SourceReading } from '../../architecture/source/source-reading.ts'
import { replaceFile } from '../files/atomic-write.ts'
import { makeFolders } from '../files/make-folders.ts'
import { removeUnusedFiles } from '../files/unused-files.ts'
import { readRegularFile } from '../jail/async.ts'

const MAX_BYTES = 256 * 1024 * 1024
const DIGEST_BYTES = 32
const LENGTH_BYTES = 4
const BLOCK_BYTES = 1024 * 1024

/** A file of another program, or of another version of Node.js, has another digest. */
const startDigest = (build: string): Hash => createHash('sha256').update(`${build}\n${process.version}\n`)

/** The file: readings one after the other, their lengths by key, the length of that list, a digest over all. */
class ReadingFile {
  readonly blocks: Buffer[] = []
  readonly lengths = new Map<string, number>()
  readonly #digest: Hash
  #pieces: Uint8Array[] = []
  #bytes = 0
  #pending = 0

  constructor(build: string) {
    this.#digest = startDigest(build)
  }

  get isTooLarge(): boolean {
    return this.#bytes > MAX_BYTES
  }

  add(key: string, reading: Uint8Array): void {
    if (this.isTooLarge) return
    this.lengths.set(key, reading.length)
    this.#append(reading)
  }

  /** Small pieces are joined, because each would keep more memory than it fills. */
  #append(piece: Uint8Array): void {
    this.#pieces.push(piece)
    this.#bytes += piece.length
    this.#pending += piece.length
    if (this.#pending >= BLOCK_BYTES) this.#flush()
  }

  #flush(): void {
    const block = Buffer.concat(this.#pieces)
    this.#digest.update(block)
    this.blocks.push(block)
    this.#pieces = []
    this.#pending = 0
  }

  finish(): void {
    const list = serialize(this.lengths)
    const length = Buffer.alloc(LENGTH_BYTES)
    length.writeUInt32LE(list.length)
    this.#append(list)
    this.#append(length)
    this.#flush()
    this.blocks.push(this.#digest.digest())
  }
}

/** Readings by key. A damaged file has none. */
const readEntries = async (path: string, build: string): Promise<ReadonlyMap<string, Uint8Array>> => {
  const entries = new Map<string, Uint8Array>()
  try {
    const bytes = await readRegularFile(path, MAX_BYTES)
    if (bytes === undefined) return entries
    const body = bytes.subarray(0, -DIGEST_BYTES)
    if (!startDigest(build).update(body).digest().equals(bytes.subarray(-DIGEST_BYTES))) return entries
    const end = body.length - LENGTH_BYTES
    const lengths: Map<string, number> = deserialize(body.subarray(end - body.readUInt32LE(end), end))
    let start = 0
    for (const [key, length] of lengths) {
      entries.set(key, body.subarray(start, start + length))
      start += length
    }
    return entries
  } catch {
    return new Map()
  }
}

/** What the readers found in the files of one project, in a file of this user. `build` identifies the readers. */
export const openReadingCache = async (path: string, build: string): Promise<ReadingCache> => {
  const earlier = await readEntries(path, build)
  const file = new ReadingFile(build)
  let added = 0
  return {
    get(key): SourceReading | undefined {
      const bytes = earlier.get(key)
      if (bytes === undefined) return undefined
      file.add(key, bytes)
      return deserialize(bytes)
    },
    put(key, reading) {
      file.add(key, serialize(reading))
      added += 1
    },
    async save() {
      if (file.isTooLarge || (added === 0 && file.lengths.size === earlier.size)) return
      file.finish()
      try {
        makeFolders(dirname(path), 0o700)
        await replaceFile(path, file.blocks, { durable: false, mode: 0o600 })
        await removeUnusedFiles(dirname(path))
      } catch {}
    },
  }
}
