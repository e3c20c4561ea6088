import { join } from 'node:path'
import type { ByteSource } from '../../packets/format/faiss.ts'
import { confinePath } from '../../packets/format/safe-path.ts'
import type { AsyncJail, OpenedFile } from '../jail/async.ts'
import { diskFault } from './drafts.ts'

/** Reads exactly so many bytes of an open file. */
export const readExactly = async ({ file }: OpenedFile, at: number, length: number): Promise<Buffer> => {
  const bytes = Buffer.allocUnsafe(length)
  for (let done = 0; done < length; ) {
    const { bytesRead } = await file.read(bytes, done, length - done, at + done).catch((cause: unknown) => {
      throw diskFault(cause)
    })
    if (bytesRead === 0) throw diskFault({ code: 'EIO' })
    done += bytesRead
  }
  return bytes
}

/** An open file as a source of bytes. */
export const openedSource = (opened: OpenedFile): ByteSource => ({
  size: opened.size,
  read: (at, length) => readExactly(opened, at, length),
})

/** Most bytes of a file of a packet that is read as a whole, or of its chunks. */
export const MAX_DOCS = 2 ** 31

/**
 * The payload of a packet, read in a jail: the store may come from a repository, and a symlink must not lead
 * elsewhere.
 */
export class Payload {
  readonly #jail: AsyncJail
  readonly #folder: string

  constructor(jail: AsyncJail, folder: string) {
    this.#jail = jail
    this.#folder = join(folder, 'payload')
  }

  place(path: string): string {
    return join(this.#folder, confinePath(path))
  }

  read(path: string): Promise<Uint8Array | undefined> {
    return this.#jail.read(this.place(path), MAX_DOCS).catch((cause: unknown) => {
      throw diskFault(cause)
    })
  }

  open(path: string): Promise<OpenedFile | undefined> {
    return this.#jail.open(this.place(path)).catch((cause: unknown) => {
      throw diskFault(cause)
    })
  }

  async size(path: string): Promise<number | undefined> {
    const opened = await this.#jail.open(this.place(path)).catch(() => undefined)
    await opened?.file.close()
    return opened?.size
  }
}
