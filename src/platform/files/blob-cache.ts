import { createHash } from 'node:crypto'
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { readRegularFile } from '../jail/async.ts'
import { replaceFile, sweepDrafts } from './atomic-write.ts'
import { makeFolders } from './make-folders.ts'

const MAX_ENTRY_BYTES = 16 * 1024 * 1024
const CHECKSUM_BYTES = 32

export const sha256 = (...parts: readonly (string | Uint8Array)[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

/** Removes the files that were written longest ago, until the rest fits. Returns how many bytes are left. */
export const trimFolder = async (folder: string, maxBytes: number): Promise<number> => {
  await sweepDrafts(folder)
  const files = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const path = join(folder, name)
      const { size, mtimeMs } = await stat(path).catch(() => ({ size: 0, mtimeMs: 0 }))
      return { path, size, mtimeMs }
    }),
  )
  let left = 0
  for (const { path, size } of files.toSorted((a, b) => b.mtimeMs - a.mtimeMs)) {
    if (left + size > maxBytes) await rm(path, { force: true }).catch(() => {})
    else left += size
  }
  return left
}

/** Bytes by key. What is kept can be made again. */
interface BlobCache {
  read(key: string): Promise<Uint8Array | undefined>
  write(key: string, bytes: Uint8Array): Promise<void>
}

/**
 * Keeps bytes in files of a folder, each behind a checksum of key and bytes. A damaged entry, or that of another key,
 * reads as none; a failed write is ignored. Beyond `maxBytes` the oldest entries are removed.
 */
export const blobCache = (folder: () => string, maxBytes: number): BlobCache => {
  const pathOf = (key: string) => join(folder(), sha256(key).toString('hex'))
  const checksum = (key: string, bytes: Uint8Array) => sha256(`${key}\n`, bytes)
  let total: number | undefined
  return {
    async read(key) {
      const file = await readRegularFile(pathOf(key), MAX_ENTRY_BYTES).catch(() => undefined)
      if (file === undefined) return undefined
      const bytes = file.subarray(CHECKSUM_BYTES)
      return checksum(key, bytes).equals(file.subarray(0, CHECKSUM_BYTES)) ? bytes : undefined
    },
    async write(key, bytes) {
      if (bytes.length > MAX_ENTRY_BYTES - CHECKSUM_BYTES) return
      try {
        makeFolders(folder(), 0o700)
        // Not durable: damage is noticed by the checksum.
        await replaceFile(pathOf(key), [checksum(key, bytes), bytes], { durable: false, mode: 0o600 })
        total = (total ?? maxBytes) + bytes.length
        if (total > maxBytes) total = await trimFolder(folder(), maxBytes)
      } catch {}
    },
  }
}
