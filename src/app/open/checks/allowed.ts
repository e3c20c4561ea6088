import { realpathSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { digestBytes } from '../../../kernel/encoding/hash.ts'
import { isRecord } from '../../../kernel/encoding/json.ts'
import { userRecord, userStateFolder } from '../../../platform/files/user-state.ts'

/** The checks files that a person allowed, kept for this user outside of every repository. */

/** One allowed checks file. Its text is kept to show what a later version changes. */
interface AllowedFile {
  readonly digest: string
  readonly text: string
}

const MAX_ALLOWED = 20
const MAX_BYTES = 4 * 1024 * 1024

const isAllowedFile = (value: unknown): value is AllowedFile =>
  isRecord(value) && typeof value.digest === 'string' && typeof value.text === 'string'

/** By path, and by number and birth of the root: another repository may be cloned at the same path later. */
const repositoryRecord = (root: string) =>
  userRecord(() => {
    const real = realpathSync(root)
    const { dev, ino, birthtimeNs } = statSync(real, { bigint: true })
    const name = digestBytes(`${dev}:${ino}:${birthtimeNs}:${real}`).slice('sha256:'.length, 39)
    return join(userStateFolder(process.env), 'checks', `${name}.json`)
  }, MAX_BYTES)

/** Newest first. */
export const readAllowed = async (root: string): Promise<readonly AllowedFile[]> => {
  const value = await repositoryRecord(root).read()
  return isRecord(value) && Array.isArray(value.allowed) ? value.allowed.filter(isAllowedFile) : []
}

/** Remembers that a person allowed this text. False when it could not be kept. */
export const rememberAllowed = async (root: string, text: string): Promise<boolean> => {
  const digest = digestBytes(text)
  const others = (await readAllowed(root)).filter((one) => one.digest !== digest)
  await repositoryRecord(root).write({ root, allowed: [{ digest, text }, ...others].slice(0, MAX_ALLOWED) })
  return (await readAllowed(root)).some((one) => one.digest === digest)
}
