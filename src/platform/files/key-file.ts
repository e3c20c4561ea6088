import { generateKeyPairSync } from 'node:crypto'
import { basename, dirname } from 'node:path'
import { errorCode } from '../../kernel/fault.ts'
import { readRegularFile } from '../jail/async.ts'
import { replaceFile } from './atomic-write.ts'
import { makeFolders } from './make-folders.ts'
import { placeFaults } from './no-symlinks.ts'

const MAX_BYTES = 64 * 1024

/** The secret in a file; undefined when there is no file. Symlinks and pipes are refused. */
export const readKeyFile = async (path: string): Promise<string | undefined> => {
  try {
    const bytes = await readRegularFile(path, MAX_BYTES)
    if (bytes !== undefined) return bytes.toString('utf8')
  } catch (cause) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(cause) ?? '')) return undefined
    throw placeFaults.occupied(`${basename(path)} cannot be read`, {
      cause,
      fix: 'Let this user read it, or sign with another key: --signing-key.',
    })
  }
  throw placeFaults.occupied(`${basename(path)} is not a regular file`)
}

const newKey = (): string =>
  generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()

/** The secret, by default a private key, made when there is none. Of two processes that make it at once, both use the first. */
export const keyFile = async (path: string, make: () => string = newKey): Promise<string> => {
  const existing = await readKeyFile(path)
  if (existing !== undefined) return existing
  try {
    makeFolders(dirname(path), 0o700)
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
