import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { errorCode } from '../../kernel/fault.ts'

/**
 * Creates a folder and those above it. Returns the first that it created. `recursive` of Node.js never ends where a
 * folder is there and takes no other, such as below `/proc`.
 */
export const makeFolders = (path: string, mode = 0o777): string | undefined => {
  try {
    mkdirSync(path, { mode })
    return path
  } catch (cause) {
    if (errorCode(cause) === 'EEXIST' && statSync(path).isDirectory()) return undefined
    if (errorCode(cause) !== 'ENOENT' || dirname(path) === path) throw cause
  }
  const first = makeFolders(dirname(path), mode)
  try {
    mkdirSync(path, { mode })
  } catch (cause) {
    // Another process may have been faster.
    if (errorCode(cause) !== 'EEXIST') throw cause
  }
  return first ?? path
}
