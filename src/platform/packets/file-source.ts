import type { ByteSource } from '../../packets/format/faiss.ts'
import type { OpenedFile } from '../jail/async.ts'
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
