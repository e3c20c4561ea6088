import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { OutputFile, PacketOutput } from '../../packets/build/packet-output.ts'
import type { ByteSource } from '../../packets/format/faiss.ts'
import { confinePath } from '../../packets/format/safe-path.ts'
import { diskFault } from './drafts.ts'

/** Size of a batched write: a system call costs more than the bytes. */
const BATCH = 256 * 1024
const { O_CREAT, O_EXCL, O_RDWR, O_NOFOLLOW = 0 } = constants

const onDisk = <T>(work: () => T): T => {
  try {
    return work()
  } catch (cause) {
    throw diskFault(cause)
  }
}

/** Writes in batches. An existing file is neither followed nor replaced. */
class BatchedFile implements OutputFile {
  readonly fd: number
  readonly #batch = Buffer.allocUnsafe(BATCH)
  #length = 0

  constructor(path: string) {
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 })
    this.fd = openSync(path, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW, 0o644)
  }

  write(bytes: Uint8Array): void {
    if (this.#length + bytes.length > BATCH) this.end()
    if (bytes.length > BATCH) return this.#writeAll(bytes)
    this.#batch.set(bytes, this.#length)
    this.#length += bytes.length
  }

  end(): void {
    this.#writeAll(this.#batch.subarray(0, this.#length))
    this.#length = 0
  }

  #writeAll(bytes: Uint8Array): void {
    onDisk(() => {
      for (let done = 0; done < bytes.length; ) done += writeSync(this.fd, bytes, done)
    })
  }
}

const readAt = (fd: number, at: number, length: number): Buffer => {
  const bytes = Buffer.allocUnsafe(length)
  for (let done = 0; done < length; ) {
    const count = readSync(fd, bytes, done, length - done, at + done)
    if (count === 0) throw diskFault({ code: 'EIO' })
    done += count
  }
  return bytes
}

/** The files of a packet in a new folder that no other process writes to. */
export class FolderOutput implements PacketOutput {
  readonly #folder: string
  readonly #files = new Map<string, BatchedFile>()

  constructor(folder: string) {
    this.#folder = folder
  }

  create(path: string): OutputFile {
    const file = onDisk(() => new BatchedFile(join(this.#folder, confinePath(path))))
    this.#files.set(path, file)
    return file
  }

  open(path: string): ByteSource {
    const { fd } = this.#files.get(path) as BatchedFile
    return {
      size: onDisk(() => fstatSync(fd).size),
      read: async (at, length) => onDisk(() => readAt(fd, at, length)),
    }
  }

  remove(path: string): void {
    const file = this.#files.get(path)
    if (file === undefined) return
    this.#files.delete(path)
    onDisk(() => {
      closeSync(file.fd)
      unlinkSync(join(this.#folder, path))
    })
  }

  /** Closes the files and waits until they are on the disk. */
  async sync(): Promise<void> {
    const paths = [...this.#files.keys()]
    this.close()
    for (const path of paths) {
      const file = await open(join(this.#folder, path), O_RDWR | O_NOFOLLOW)
      await file.sync().finally(() => file.close())
    }
  }

  close(): void {
    for (const { fd } of this.#files.values()) closeSync(fd)
    this.#files.clear()
  }
}
