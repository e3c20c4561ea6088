import { generateKeyPairSync } from 'node:crypto'
import { mkdir } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { readRegularFile } from '../jail/async.ts'
import { replaceFile } from './atomic-write.ts'
import { placeFaults } from './no-symlinks.ts'

const MAX_BYTES = 64 * 1024

/** Undefined when nothing is there; a link or a pipe in its place is no key. */
const readKey = async (path: string): Promise<string | undefined> => {
  try {
    const bytes = await readRegularFile(path, MAX_BYTES)
    if (bytes !== undefined) return bytes.toString('utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw placeFaults.occupied(`${basename(path)} cannot be read`, { cause })
  }
  throw placeFaults.occupied(`${basename(path)} is no plain file`)
}

/**
 * A private key in PEM, made when there is none. Written beside its place and linked there: of two processes
 * that make one at once, both use the one that came first.
 */
export const keyFile = async (path: string): Promise<string> => {
  const there = await readKey(path)
  if (there !== undefined) return there
  const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  // Durable: signatures of a lost key cannot be verified.
  await replaceFile(path, pem, { durable: true, mode: 0o600, exclusive: true }).catch(
    (cause: NodeJS.ErrnoException) => {
      if (cause.code !== 'EEXIST') throw cause
    },
  )
  const kept = await readKey(path)
  // A key that nobody has signs what nobody can check.
  if (kept === undefined) throw placeFaults.occupied(`${basename(path)} is gone again`)
  return kept
}
