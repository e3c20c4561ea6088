import { constants } from 'node:fs'
import { type FileHandle, mkdir, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import { defineFaults, Fault } from '../../kernel/fault.ts'
import { replaceFile } from '../files/atomic-write.ts'

export const diskFaults = defineFaults('packet_disk', {
  full: { kind: 'exhausted', fix: 'Free some space, or prune the cache with `warrant packet cache prune`.' },
  failed: { kind: 'unavailable', fix: 'Check the rights and the health of the folder for packets.' },
  absent: { kind: 'missing', fix: 'Check the path; packets are folders that hold a manifest.json.' },
})

const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG']

/** Says of a failed write what a caller can do about it. A fault passes as it is. */
export const diskFault = (cause: unknown): Fault => {
  if (cause instanceof Fault) return cause
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? ''
  return FULL.includes(code)
    ? diskFaults.full('there is no space left for packets', { cause })
    : diskFaults.failed(`the folder for packets cannot be used (${code || 'unknown'})`, { cause })
}

/** So much is written at once: a write costs more than the bytes in it. */
const BATCH = 768 * 1024
/** A chunk of this size is a batch by itself. */
const WHOLE = 256 * 1024
/** So much goes to the disk while more is on its way. */
const SYNC_BYTES = 8 * 1024 * 1024

/** Whether some file is being synced. One at a time: each keeps a thread that everybody else needs too. */
let syncing = false

/** A file as it is filled. */
class Filling {
  readonly #file: FileHandle
  #written = 0
  #synced: Promise<unknown> = Promise.resolve()

  constructor(file: FileHandle) {
    this.#file = file
  }

  async write(bytes: Uint8Array): Promise<void> {
    const { bytesWritten } = await this.#file.write(bytes)
    // A disk that takes only a part says why when it is offered the rest.
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
    // What failed once is not made good by what did not fail later.
    this.#synced = Promise.all([earlier, done])
    this.#synced.catch(() => {})
  }
}

/**
 * Writes one piece while the next is on its way. Small chunks are gathered by copying: when the one after the next
 * is asked for, a chunk is somebody else's.
 */
const writeAll = async (
  file: Filling,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
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

/** Writes a new file and makes it durable. Nothing that is there is followed or replaced. */
export const writeNew = async (
  path: string,
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  mode = 0o444,
): Promise<void> => {
  await mkdir(dirname(path), { recursive: true, mode: 0o755 })
  const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW = 0 } = constants
  const file = await open(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, mode)
  try {
    const filling = new Filling(file)
    await writeAll(filling, chunks)
    await filling.finish()
  } finally {
    await file.close()
  }
}

/** Replaces a file of a packet store atomically. `durable` is false only for caches whose reader detects damage. */
export const replaceStoreFile = async (
  path: string,
  content: Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
  { durable }: { readonly durable: boolean },
): Promise<void> => {
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o755 })
    await replaceFile(path, content, { durable, mode: 0o644 })
  } catch (cause) {
    throw diskFault(cause)
  }
}

/** The bytes of a file, which is opened only when the first are taken. */
export async function* readChunks(path: string): AsyncGenerator<Uint8Array> {
  yield* (await open(path)).createReadStream()
}
