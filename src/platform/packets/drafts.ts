import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { defineFaults, errorCode, Fault } from '../../kernel/fault.ts'
import type { LentChunk } from '../../packets/ports.ts'
import { replaceFile, type WrittenContent } from '../files/atomic-write.ts'
import { makeFolders } from '../files/make-folders.ts'

export const diskFaults = defineFaults('packet_disk', {
  full: { kind: 'exhausted', fix: 'Free some space, or prune the cache with `warrant packet cache prune`.' },
  failed: { kind: 'unavailable', fix: 'Check the permissions of the packet folder and the disk it is on.' },
  absent: { kind: 'missing', fix: 'Check the path; a packet is a folder with a manifest.json.' },
})

const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG']

/** Maps a file system error to a fault that says what to do. A fault passes unchanged. */
export const diskFault = (cause: unknown): Fault => {
  if (cause instanceof Fault) return cause
  const code = errorCode(cause) ?? ''
  return FULL.includes(code)
    ? diskFaults.full('no space left in the packet folder', { cause })
    : diskFaults.failed(`the packet folder cannot be used (${code || 'unknown'})`, { cause })
}

/** Size of a batched write: a system call costs more than the bytes. */
const BATCH = 768 * 1024
/** A chunk of this size is written alone. */
const WHOLE = 256 * 1024
/** Bytes after which a background fdatasync starts. */
const SYNC_BYTES = 8 * 1024 * 1024

/** Whether a background sync is running. One at a time: each blocks a thread of the pool. */
let syncing = false

/** A file that is being written. */
class DraftFile {
  readonly #file: FileHandle
  #written = 0
  #synced: Promise<unknown> = Promise.resolve()

  constructor(file: FileHandle) {
    this.#file = file
  }

  async write(bytes: Uint8Array): Promise<void> {
    const { bytesWritten } = await this.#file.write(bytes)
    // A short write is repeated; the error, if any, comes with the rest.
    if (bytesWritten < bytes.length) await this.#file.writeFile(bytes.subarray(bytesWritten))
    this.#written += bytes.length
    if (this.#written >= SYNC_BYTES && !syncing) this.#syncEarly()
  }

  async finish(): Promise<void> {
    await this.#synced
    await this.#file.sync()
  }

  #syncEarly(): void {
    this.#written = 0
    const earlier = this.#synced
    syncing = true
    const done = this.#file.datasync().finally(() => {
      syncing = false
    })
    // An earlier failure must not be lost by a later success.
    this.#synced = Promise.all([earlier, done])
    this.#synced.catch(() => {})
  }
}

/** Writes one piece while the next is received. Small chunks are batched, by copying because they are lent. */
const writeAll = async (
  file: DraftFile,
  chunks: AsyncIterable<LentChunk> | Iterable<LentChunk>,
): Promise<void> => {
  let batch: Uint8Array[] = []
  let size = 0
  let written = Promise.resolve()
  const write = async (piece: Uint8Array) => {
    await written
    written = file.write(piece)
    written.catch(() => {})
  }
  const flush = async () => {
    if (size > 0) await write(Buffer.concat(batch))
    batch = []
    size = 0
  }
  for await (const chunk of chunks) {
    if (chunk.length < WHOLE) {
      batch.push(Buffer.from(chunk))
      size += chunk.length
      if (size >= BATCH) await flush()
    } else {
      await flush()
      await write(chunk)
    }
  }
  await flush()
  await written
}

/** Writes a new file and syncs it. An existing file is neither followed nor replaced. */
export const writeNew = async (
  path: string,
  chunks: AsyncIterable<LentChunk> | Iterable<LentChunk>,
  mode = 0o444,
): Promise<void> => {
  makeFolders(dirname(path), 0o755)
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW = 0 } = constants
  const file = await open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, mode)
  try {
    const draft = new DraftFile(file)
    await writeAll(draft, chunks)
    await draft.finish()
  } finally {
    await file.close()
  }
}

/** Replaces a file of a packet store atomically. `durable` is false only for caches whose reader detects damage. */
export const replaceStoreFile = async (
  path: string,
  content: WrittenContent,
  { durable }: { readonly durable: boolean },
): Promise<void> => {
  try {
    makeFolders(dirname(path), 0o755)
    await replaceFile(path, content, { durable, mode: 0o644 })
  } catch (cause) {
    throw diskFault(cause)
  }
}

/** The bytes of a file, which is opened only when the first are taken. */
export async function* readChunks(path: string): AsyncGenerator<Uint8Array> {
  yield* (await open(path)).createReadStream()
}
