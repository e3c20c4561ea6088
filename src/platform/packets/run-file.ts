import { constants } from 'node:fs'
import { type FileHandle, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ByteWriter } from '../../packets/search/varint.ts'
import type { RunStore } from '../../packets/search/word-runs.ts'
import { draftName } from '../files/atomic-write.ts'
import { diskFault } from './drafts.ts'
import { readExactly } from './file-source.ts'

/** Runs up to this size stay in memory: most packets never need the file. */
const MAX_MEMORY = 32 * 1024 * 1024
const { O_CREAT, O_EXCL, O_RDWR, O_NOFOLLOW = 0 } = constants

/**
 * Keeps the runs of a word index in memory, and from a size on in a draft file of a folder. Without a folder they
 * stay in memory.
 */
export class RunFile implements RunStore {
  readonly #folder: string | undefined
  readonly #most: number
  readonly #memory = new ByteWriter(1)
  #path = ''
  #file: FileHandle | undefined
  #size = 0

  /** `most` is the number of bytes in memory. */
  constructor(folder: string | undefined, most = MAX_MEMORY) {
    this.#folder = folder
    this.#most = most
  }

  async append(bytes: Uint8Array): Promise<number> {
    const at = this.#size
    this.#size += bytes.length
    if (this.#file === undefined && this.#folder !== undefined && this.#size > this.#most)
      await this.#moveToFile(this.#folder)
    if (this.#file === undefined) this.#memory.append(bytes)
    else await this.#write(this.#file, bytes, at)
    return at
  }

  get source() {
    return {
      size: this.#size,
      read: async (at: number, length: number): Promise<Uint8Array> =>
        this.#file === undefined
          ? this.#memory.written.slice(at, at + length)
          : readExactly({ file: this.#file, size: this.#size }, at, length),
    }
  }

  async remove(): Promise<void> {
    await this.#file?.close()
    if (this.#path !== '') await rm(this.#path, { force: true })
  }

  async #moveToFile(folder: string): Promise<void> {
    this.#path = join(folder, draftName())
    this.#file = await open(this.#path, O_CREAT | O_EXCL | O_RDWR | O_NOFOLLOW, 0o600).catch(
      (cause: unknown) => {
        throw diskFault(cause)
      },
    )
    await this.#write(this.#file, this.#memory.written, 0)
    this.#memory.clear()
  }

  async #write(file: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await file
        .write(bytes, done, bytes.length - done, position + done)
        .catch((cause: unknown) => {
          throw diskFault(cause)
        })
      done += bytesWritten
    }
  }
}
