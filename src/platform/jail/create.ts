import { randomUUID } from 'node:crypto'
import { closeSync, constants, fsyncSync, linkSync, openSync, unlinkSync, writeFileSync } from 'node:fs'
import { jailFaults, quotePath } from '../../kernel/jail.ts'
import type { JailBackend } from './handles.ts'
import { errorCode } from './walk.ts'

const { O_CREAT, O_EXCL, O_WRONLY, O_RDONLY, O_NOFOLLOW = 0 } = constants
// EXCL is what keeps us from writing through a link that waits under the name.
const CREATE = O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW
const MODE = 0o644

/** File systems without hard links say so in one of these ways. */
const NO_LINKS = new Set(['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'])

const remove = (path: string): void => {
  try {
    unlinkSync(path)
  } catch {
    // It is gone, or cannot be made to go: either way there is nothing left to do about it.
  }
}

const writeWhole = (path: string, bytes: Uint8Array): void => {
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

/** Gives a finished draft its name, unless the name is taken. */
const publish = (draft: string, final: string, bytes: Uint8Array): void => {
  try {
    linkSync(draft, final)
  } catch (cause) {
    if (!NO_LINKS.has(errorCode(cause) ?? '')) throw cause
    writeWhole(final, bytes)
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

/** A new file directly under the root: all of it or none of it, and never in the place of another. */
export const createFile = (backend: JailBackend, name: string, bytes: Uint8Array): void => {
  const { root } = backend
  if (name.includes('/') || name.includes('\\') || name.startsWith('.')) {
    throw jailFaults.read_only(`not a name for a new file: ${quotePath(name)}`)
  }
  const draft = `${root.procPath}/.${randomUUID()}.tmp`
  try {
    if (!backend.holds(root)) throw jailFaults.changed('the root is no longer where it was')
    writeWhole(draft, bytes)
    try {
      publish(draft, `${root.procPath}/${name}`, bytes)
    } finally {
      remove(draft)
    }
    if (process.platform !== 'win32') syncFolder(root.procPath)
  } catch (cause) {
    if (errorCode(cause) === 'EEXIST')
      throw jailFaults.exists(`there already is a ${quotePath(name)}`, { cause })
    if (errorCode(cause) === undefined) throw cause
    throw jailFaults.io('the file could not be written', { cause })
  }
}
