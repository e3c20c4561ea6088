import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, mkdir, open, readdir, rename, rm, stat, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { defineFaults, Fault } from '../../kernel/fault.ts'
import type { LentChunk } from '../../packets/registry.ts'
import { fsyncDir } from '../files/fsync-dir.ts'
import {
  currentProcess,
  decodeIdentity,
  encodeIdentity,
  isDead,
  shortIdentity,
} from '../files/process-identity.ts'

export const diskFaults = defineFaults('packet_disk', {
  full: { kind: 'exhausted', fix: 'Free some space, or prune the cache with `warrant packet cache prune`.' },
  failed: { kind: 'unavailable', fix: 'Check the permissions of the packet folder and the disk it is on.' },
  absent: { kind: 'missing', fix: 'Check the path; a packet is a folder with a manifest.json.' },
})

const FULL = ['ENOSPC', 'EDQUOT', 'EFBIG']

/** Maps a file system error to a fault that says what to do. A fault passes unchanged. */
export const diskFault = (cause: unknown): Fault => {
  if (cause instanceof Fault) return cause
  const code = (cause as NodeJS.ErrnoException | undefined)?.code ?? ''
  return FULL.includes(code)
    ? diskFaults.full('no space left in the packet folder', { cause })
    : diskFaults.failed(`the packet folder cannot be used (${code || 'unknown'})`, { cause })
}

/** The name of a draft, with the identity of its writer, so that drafts of dead processes can be recognized. */
export const draftName = (): string =>
  `.draft-${encodeIdentity(currentProcess())}-${randomBytes(6).toString('hex')}`

const DRAFT = /^\.draft-(.+)-[0-9a-f]+$/
const DAY_MS = 24 * 3_600_000

/** Whether the writer of a draft is dead. On another machine only the age can tell. */
const isAbandoned = (name: string, ageMs: number): boolean => {
  const owner = decodeIdentity(DRAFT.exec(name)?.[1] ?? '')
  if (owner === undefined) return false
  const here = shortIdentity(currentProcess())
  return here.host === owner.host ? isDead(owner, here) : ageMs > DAY_MS
}

/** Removes the drafts of dead writers in a folder. */
export const sweepDrafts = async (folder: string): Promise<void> => {
  for (const name of await readdir(folder).catch(() => [])) {
    const path = join(folder, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    if (isAbandoned(name, Date.now() - mtimeMs)) await rm(path, { recursive: true, force: true })
  }
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
  await mkdir(dirname(path), { recursive: true, mode: 0o755 })
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

/** Replaces a small file at once: whoever reads sees the old bytes or the new ones. */
export const replaceFile = async (path: string, bytes: Uint8Array): Promise<void> => {
  const draft = join(dirname(path), draftName())
  try {
    await writeNew(draft, [bytes], 0o644)
    await rename(draft, path)
    await fsyncDir(dirname(path))
  } catch (cause) {
    await unlink(draft).catch(() => {})
    throw diskFault(cause)
  }
}
