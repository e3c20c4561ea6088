import { closeSync, constants, fstatSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { mkdir, open, readdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import type { OutputFile, PacketOutput } from '../../packets/build/packet-output.ts'
import type { ByteSource } from '../../packets/format/faiss.ts'
import { confinePath } from '../../packets/format/safe-path.ts'
import type { OpenFile } from '../../packets/ports.ts'
import { draftName, fsyncDir, sweepDrafts } from '../files/atomic-write.ts'
import { withLock } from '../files/file-lock.ts'
import { makeFolders } from '../files/make-folders.ts'
import { type AsyncJail, type OpenedFile, openAsyncJail } from '../jail/async.ts'
import { systemClock } from '../system/clock.ts'
import { diskFault } from './drafts.ts'
import { readExactly } from './payload.ts'

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
    makeFolders(dirname(path), 0o755)
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
    const file = this.#files.get(path)
    if (file === undefined) throw new RangeError(`${path} was not created`)
    return {
      size: onDisk(() => fstatSync(file.fd).size),
      read: async (at, length) => onDisk(() => readAt(file.fd, at, length)),
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

const LOCK_MS = 30_000
/** Search depth for `NAME/VERSION`; a name may have two segments. */
const MAX_DEPTH = 3

/** The name of the previous packet while it is being replaced. */
const previousPath = (folder: string): string => join(dirname(folder), `.${basename(folder)}.previous`)

const isThere = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined)) !== undefined

const whileAlone = <T>(folder: string, work: () => Promise<T>): Promise<T> =>
  withLock(join(dirname(folder), `.${basename(folder)}.lock`), { clock: systemClock, waitMs: LOCK_MS }, work)

/** Restores the previous packet of a build that died before the new one was in place. */
const bringBack = async (folder: string): Promise<void> => {
  const aside = previousPath(folder)
  if (!(await isThere(aside))) return
  if (await isThere(folder)) await rm(aside, { recursive: true, force: true })
  else await rename(aside, folder)
}

/** Recovers a folder from an interrupted build: it has the old packet or the new one afterwards. */
export const recoverPacket = async (folder: string): Promise<void> => {
  if (await isThere(previousPath(folder))) await whileAlone(folder, () => bringBack(folder))
}

/** A packet that is being written beside its folder. */
interface PacketDraft {
  readonly output: PacketOutput
  /** Puts the packet in place. */
  commit(): Promise<void>
  /** Removes what is not in place. */
  discard(): Promise<void>
}

/** Puts a complete packet in place: the old one is renamed until the new one is there. */
const exchange = (folder: string, draft: string): Promise<void> =>
  whileAlone(folder, async () => {
    await bringBack(folder)
    await rename(folder, previousPath(folder)).catch((cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'ENOENT') throw cause
    })
    await rename(draft, folder)
    await fsyncDir(dirname(folder))
    await rm(previousPath(folder), { recursive: true, force: true })
  })

/** Removes empty folders from `folder` up to `top`: a build that is refused leaves none. */
const removeEmpty = async (folder: string, top: string): Promise<void> => {
  for (let path = folder; path.startsWith(top); path = dirname(path))
    if (
      !(await rmdir(path).then(
        () => true,
        () => false,
      ))
    )
      return
}

/**
 * Begins a packet, which will replace an earlier build. A reader through `packetFolder` sees the old packet or the new
 * one, never a mix.
 */
export const draftPacket = async (folder: string): Promise<PacketDraft> => {
  const parent = dirname(folder)
  const draft = join(parent, draftName())
  let made: string | undefined
  try {
    made = makeFolders(parent)
    await mkdir(draft)
    await sweepDrafts(parent)
  } catch (cause) {
    throw diskFault(cause)
  }
  const output = new FolderOutput(draft)
  return {
    output,
    commit: async () => {
      try {
        await output.sync()
        await fsyncDir(draft)
        await exchange(folder, draft)
      } catch (cause) {
        throw diskFault(cause)
      }
    },
    discard: async () => {
      output.close()
      await rm(draft, { recursive: true, force: true })
      if (made !== undefined) await removeEmpty(parent, made)
    },
  }
}

/** The packets in a folder and below it. */
export const builtPackets = async (folder: string, depth = 0): Promise<readonly string[]> => {
  if (await isThere(join(folder, 'manifest.json'))) return [folder]
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const below = entries
    .filter((entry) => entry.isDirectory() && !/^\.|^node_modules$/.test(entry.name) && depth < MAX_DEPTH)
    .map(({ name }) => join(folder, name))
    .sort()
  return (await Promise.all(below.map((one) => builtPackets(one, depth + 1)))).flat()
}

const useFile = async <T>(
  jail: AsyncJail,
  path: string,
  work: (opened: OpenedFile) => Promise<T>,
): Promise<T | undefined> => {
  const opened = await jail.open(path).catch((cause: unknown) => {
    throw diskFault(cause)
  })
  return opened && work(opened).finally(() => opened.file.close())
}

/**
 * Opens files of a built packet, inside a jail: the folder may come from a repository, and a symlink must not
 * publish other files.
 */
export const packetFolder =
  (folder: string): OpenFile =>
  async (asked) => {
    const jail = openAsyncJail((await isThere(folder)) ? folder : previousPath(folder))
    const path = confinePath(asked)
    const size = await useFile(jail, path, async (opened) => opened.size)
    if (size === undefined) return undefined
    return {
      size,
      read: async (at, length) => {
        const bytes = await useFile(jail, path, (opened) => readExactly(opened, at, length))
        if (bytes === undefined) throw diskFault({ code: 'ENOENT' })
        return bytes
      },
    }
  }
