import { generateKeyPairSync } from 'node:crypto'
import type { Stats } from 'node:fs'
import { mkdir, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { errorCode, Fault } from '../../kernel/fault.ts'
import { readRegularFile } from '../jail/async.ts'
import { replaceFile } from './atomic-write.ts'
import { placeFaults } from './no-symlinks.ts'

const MAX_BYTES = 64 * 1024

/** As ssh does with its keys. Windows has no such modes: the profile of a user is closed to others there. */
const requirePrivate = ({ uid, mode }: Stats, path: string): void => {
  const own = process.getuid?.() ?? uid
  if (uid !== own)
    throw placeFaults.occupied(`${path} belongs to another user (uid ${uid})`, {
      fix: `Run \`chown ${own} ${path}\` as root, or remove it.`,
    })
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw placeFaults.occupied(`${path} is open to other users`, { fix: `Run \`chmod go= ${path}\`.` })
}

/** The secret in a file; undefined when there is no file. Symlinks, pipes and what others may open are refused. */
export const readKeyFile = async (path: string): Promise<string | undefined> => {
  try {
    const bytes = await readRegularFile(path, MAX_BYTES)
    if (bytes !== undefined) {
      for (const place of [dirname(path), path]) requirePrivate(await stat(place), place)
      return bytes.toString('utf8')
    }
  } catch (cause) {
    if (cause instanceof Fault) throw cause
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(cause) ?? '')) return undefined
    throw placeFaults.occupied(`${basename(path)} cannot be read`, { cause })
  }
  throw placeFaults.occupied(`${basename(path)} is not a regular file`)
}

const newKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

/** The secret, by default a private key in PEM; made when there is none. Of two processes both use the first one. */
export const keyFile = async (path: string, make: () => string = newKey): Promise<string> => {
  const existing = await readKeyFile(path)
  if (existing !== undefined) return existing
  try {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 })
    // Durable: signatures of a lost key cannot be verified.
    await replaceFile(path, make(), { durable: true, mode: 0o600, exclusive: true })
  } catch (cause) {
    const code = errorCode(cause)
    if (code !== 'EEXIST') throw placeFaults.unwritable(`${path} cannot be created (${code})`, { cause })
  }
  const kept = await readKeyFile(path)
  // The key that was generated may not be the one another process linked first: only the file counts.
  if (kept === undefined) throw placeFaults.occupied(`${basename(path)} was removed while it was created`)
  return kept
}
