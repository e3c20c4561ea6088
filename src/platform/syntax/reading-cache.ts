import { createHash } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { ReadingCache, SourceReading } from '../../project/source/source-reading.ts'
import { replaceFile } from '../files/atomic-write.ts'
import { removeUnusedFiles } from '../files/unused-files.ts'
import { readRegularFile } from '../jail/async.ts'

const MAX_BYTES = 256 * 1024 * 1024
const DIGEST_BYTES = 32

const digestOf = (build: string, bytes: Uint8Array): Buffer =>
  createHash('sha256').update(`${build}\n${process.version}\n`).update(bytes).digest()

/** Entries of the file: a digest over program and contents, then the map. A damaged file has none. */
const readEntries = async (path: string, build: string): Promise<ReadonlyMap<string, Uint8Array>> => {
  try {
    const bytes = await readRegularFile(path, MAX_BYTES)
    if (bytes === undefined) return new Map()
    const body = bytes.subarray(DIGEST_BYTES)
    if (!digestOf(build, body).equals(bytes.subarray(0, DIGEST_BYTES))) return new Map()
    return deserialize(body) as Map<string, Uint8Array>
  } catch {
    return new Map()
  }
}

/** What the readers found in the files of one project, in a file of this user. `build` identifies the readers. */
export const openReadingCache = async (path: string, build: string): Promise<ReadingCache> => {
  const earlier = await readEntries(path, build)
  const used = new Map<string, Uint8Array>()
  let added = 0
  return {
    get(key) {
      const bytes = earlier.get(key)
      if (bytes === undefined) return undefined
      used.set(key, bytes)
      return deserialize(bytes) as SourceReading
    },
    put(key, reading) {
      used.set(key, serialize(reading))
      added += 1
    },
    async save() {
      if (added === 0 && used.size === earlier.size) return
      const body = serialize(used)
      if (body.length + DIGEST_BYTES > MAX_BYTES) return
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 })
        await replaceFile(path, Buffer.concat([digestOf(build, body), body]), { durable: false, mode: 0o600 })
        await removeUnusedFiles(dirname(path))
      } catch {}
    },
  }
}
