import { closeSync, constants, existsSync, openSync, statSync, writeSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, posix, win32 } from 'node:path'
import { readRegularFile } from '../jail/async.ts'
import { replaceFile } from './atomic-write.ts'
import { makeFolders } from './make-folders.ts'
import { placeFaults } from './no-symlinks.ts'

const MAX_BYTES = 64 * 1024

/** The folder for state of this user on this machine: outside of every repository. */
export const userStateFolder = (
  environment: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
  home: () => string = homedir,
): string => {
  const windows = platform === 'win32'
  const { isAbsolute, join } = windows ? win32 : posix
  const named = windows ? environment.LOCALAPPDATA : environment.XDG_STATE_HOME
  // A relative path is ignored: it would lead into the repository.
  if (named !== undefined && isAbsolute(named)) return join(named, 'warrant')
  return join(home(), ...(windows ? ['AppData', 'Local'] : ['.local', 'state']), 'warrant')
}

/** The path of a file or folder of ours. As ssh, we take none that others own or can read; on Windows modes say nothing. */
const requirePrivate = (path: string, mode: '600' | '700'): string => {
  const uid = process.getuid?.()
  // What cannot be looked at cannot be used either, and says so there.
  if (uid === undefined || !existsSync(path)) return path
  const { uid: owner, mode: present } = statSync(path)
  if (owner === uid && (present & 0o077) === 0) return path
  throw placeFaults.occupied(`${path} ${owner === uid ? 'is open to' : 'belongs to'} other users`, {
    fix: `Run \`chown -R ${uid} '${path}' && chmod ${mode} '${path}'\`. Where that cannot be, set XDG_STATE_HOME to another folder and sign with --signing-key.`,
  })
}

/** The same folder, or a file in it, to be read and written. */
export const privateState = (environment: NodeJS.ProcessEnv, file?: string): string => {
  const folder = requirePrivate(userStateFolder(environment), '700')
  return file === undefined ? folder : requirePrivate(join(folder, file), '600')
}

/**
 * A small JSON file in that folder, which remembers something. Nothing depends on it being there: a missing or
 * unreadable file reads as undefined, and a failed write is ignored.
 */
export const userRecord = (path: () => string, maxBytes = MAX_BYTES) => ({
  async read(): Promise<unknown> {
    try {
      return JSON.parse((await readRegularFile(path(), maxBytes))?.toString('utf8') ?? '')
    } catch {
      return undefined
    }
  },
  async write(value: object): Promise<void> {
    try {
      const text = `${JSON.stringify(value)}\n`
      const replace = () => replaceFile(path(), text, { durable: false, mode: 0o600 })
      await replace().catch(async () => {
        makeFolders(dirname(path()), 0o700)
        await replace()
      })
    } catch {}
  },
})

const LINE_BYTES = 128
const { O_CREAT, O_WRONLY, O_NOFOLLOW = 0 } = constants

/**
 * A line in that folder which is replaced in place: for what is noted so often that a new file would cost too much. A
 * killed process leaves the old line or the new one, because both have the same length.
 */
export const userLine = (path: () => string) => ({
  async read(): Promise<string | undefined> {
    try {
      return (await readRegularFile(path(), LINE_BYTES))?.toString('latin1').trimEnd()
    } catch {
      return undefined
    }
  },
  write(text: string): void {
    const open = () => openSync(path(), O_CREAT | O_WRONLY | O_NOFOLLOW, 0o600)
    const openInFolder = () => {
      makeFolders(dirname(path()), 0o700)
      return open()
    }
    try {
      let file: number
      try {
        file = open()
      } catch {
        file = openInFolder()
      }
      try {
        writeSync(file, `${text.padEnd(LINE_BYTES - 1)}\n`, 0)
      } finally {
        closeSync(file)
      }
    } catch {}
  },
})
