import { randomUUID } from 'node:crypto'
import { closeSync, constants, fsyncSync, linkSync, openSync, unlinkSync, writeFileSync } from 'node:fs'
import { jailFaults, quotePath } from '../../kernel/jail.ts'
import type { JailBackend } from './handles.ts'
import { errnoCode } from './walk.ts'

const { O_CREAT, O_EXCL, O_WRONLY, O_RDONLY, O_NOFOLLOW = 0 } = constants
// O_EXCL fails on a symlink under the name instead of writing through it.
const CREATE = O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW
const MODE = 0o644

/** Errors of file systems without hard links. */
const NO_LINK_CODES = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

const remove = (path: string): void => {
  try {
    unlinkSync(path)
  } catch {
    // It is gone already, or cannot be removed.
  }
}

const writeNewFile = (path: string, bytes: Uint8Array): void => {
  const descriptor = openSync(path, CREATE, MODE)
  try {
    writeFileSync(descriptor, bytes)
    fsyncSync(descriptor)
  } catch (cause) {
    remove(path)
    throw cause
  } finally {
    closeSync(descriptor)
  }
}

/** Gives a finished draft its name; EEXIST when the name is taken. Without hard links the file is written in place. */
const linkToName = (draft: string, final: string, bytes: Uint8Array): void => {
  try {
    linkSync(draft, final)
  } catch (cause) {
    if (!NO_LINK_CODES.has(errnoCode(cause) ?? '')) throw cause
    writeNewFile(final, bytes)
  }
}

const syncFolder = (path: string): void => {
  const descriptor = openSync(path, O_RDONLY)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Creates a file directly under the root, atomically and never over another. Not `replaceFile`: the jail is synchronous
 * and works without hard links too.
 */
export const createFile = (backend: JailBackend, name: string, bytes: Uint8Array): void => {
  const { root } = backend
  if (name.includes('/') || name.includes('\\') || name.startsWith('.')) {
    throw jailFaults.read_only(`not a valid name for a new file: ${quotePath(name)}`)
  }
  const draft = `${root.procPath}/.${randomUUID()}.tmp`
  try {
    if (!backend.isInside(root)) throw jailFaults.changed('the root was moved or replaced')
    writeNewFile(draft, bytes)
    try {
      linkToName(draft, `${root.procPath}/${name}`, bytes)
    } finally {
      remove(draft)
    }
    if (process.platform !== 'win32') syncFolder(root.procPath)
  } catch (cause) {
    if (errnoCode(cause) === 'EEXIST')
      throw jailFaults.exists(`already exists: ${quotePath(name)}`, { cause })
    if (errnoCode(cause) === undefined) throw cause
    throw jailFaults.io('the file could not be written', { cause })
  }
}
