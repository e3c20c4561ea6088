import { constants } from 'node:fs'
import { link, open, readdir, rename, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { lazyCrypto } from '../../kernel/encoding/crypto.ts'
import { currentProcess, decodeIdentity, encodeIdentity, isDead, shortIdentity } from './process-identity.ts'

/** Fsyncs a folder, so that new and renamed entries survive a crash. Ignores errors: Windows opens no folders. */
export const fsyncDir = async (path: string): Promise<void> => {
  const handle = await open(path, constants.O_RDONLY).catch(() => undefined)
  await handle?.sync().catch(() => {})
  await handle?.close()
}

/** The name of a temporary file or folder. It names the writing process, so that drafts of dead ones can be swept. */
export const draftName = (): string =>
  `.draft-${encodeIdentity(currentProcess())}-${lazyCrypto().randomBytes(6).toString('hex')}.tmp`

const DRAFT = /^\.draft-(.+)-[0-9a-f]+\.tmp$/
const DAY_MS = 24 * 3_600_000

/** Removes the drafts of dead processes from a folder. Drafts of another machine are removed after a day. */
export const sweepDrafts = async (folder: string): Promise<void> => {
  const here = shortIdentity(currentProcess())
  for (const name of await readdir(folder).catch(() => [])) {
    const owner = decodeIdentity(DRAFT.exec(name)?.[1] ?? '')
    if (owner === undefined) continue
    const path = join(folder, name)
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    const abandoned = owner.host === here.host ? isDead(owner, here) : Date.now() - mtimeMs > DAY_MS
    if (abandoned) await rm(path, { recursive: true, force: true })
  }
}

interface ReplaceOptions {
  /**
   * Whether the file has to survive a crash of the machine right after the call: then the file and its folder are
   * fsynced. Without it a reader after a crash may find the old file, the new one, or one with missing bytes.
   */
  readonly durable: boolean
  /** Permission bits before the umask. */
  readonly mode?: number
  /** Sets `mode` whatever the umask is. */
  readonly ignoreUmask?: boolean
  /** Fails with EEXIST where the name is taken, instead of replacing the file. Needs hard links. */
  readonly exclusive?: boolean
}

/** A function writes the content itself, by pieces that are lent until the promise is kept. */
export type WrittenContent =
  | string
  | Uint8Array
  | Iterable<Uint8Array>
  | AsyncIterable<Uint8Array>
  | ((append: (bytes: Uint8Array) => Promise<void>) => Promise<void>)

const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW = 0 } = constants

/**
 * Writes a file beside `path` and renames it there: a reader sees the old file or the whole new one. A symlink under
 * the name is replaced, never followed. The folder has to exist; system errors are thrown as they are.
 */
export const replaceFile = async (
  path: string,
  content: WrittenContent,
  { durable, mode = 0o666, ignoreUmask = false, exclusive = false }: ReplaceOptions,
): Promise<void> => {
  const draft = join(dirname(path), draftName())
  const file = await open(draft, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, mode)
  try {
    try {
      if (typeof content === 'function') await content((bytes) => writeFile(file, bytes))
      else await writeFile(file, content)
      if (ignoreUmask) await file.chmod(mode)
      if (durable) await file.sync()
    } finally {
      await file.close()
    }
    if (exclusive) await link(draft, path)
    else await rename(draft, path)
  } catch (cause) {
    await unlink(draft).catch(() => {})
    throw cause
  }
  if (exclusive) await unlink(draft).catch(() => {})
  if (durable) await fsyncDir(dirname(path))
}
