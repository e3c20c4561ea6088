import { access, constants, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { errorCode } from '../../kernel/fault.ts'
import type { StoreCheck } from '../../kernel/ports.ts'
import { makeFolders } from './make-folders.ts'
import { placeFaults } from './no-symlinks.ts'

/** Health of the state folder. The first write creates the folder; this check does not. */
export const stateFolder = (path: string): StoreCheck => ({
  async health() {
    const kind = 'folder'
    try {
      if (!(await stat(path)).isDirectory()) {
        return { kind, state: 'failing', detail: 'the state folder is not a directory' }
      }
      await access(path, constants.R_OK | constants.W_OK)
      return { kind, state: 'ready', detail: 'readable and writable' }
    } catch (cause) {
      if (errorCode(cause) === 'ENOENT') {
        return { kind, state: 'absent', detail: 'nothing has been stored yet' }
      }
      return { kind, state: 'failing', detail: 'the state folder cannot be read and written' }
    }
  },
})

/** Creates a folder with a `.gitignore` of its own: the data of this machine must not be committed by accident. */
export const hideFolder = async (path: string, ignored = '*\n'): Promise<void> => {
  try {
    makeFolders(path, 0o700)
  } catch (cause) {
    const code = errorCode(cause)
    if (code !== 'EEXIST' && code !== 'ENOTDIR') throw cause
    throw placeFaults.occupied(`${basename(path)} is not a folder`, { cause })
  }
  await writeFile(join(path, '.gitignore'), ignored, { flag: 'wx' }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw cause
  })
}

const COMMITTED = '*\n!/rules/\n!/rules/**\n!/checks.yml\n!/keys.yml\n!/acceptances.yml\n'

/** Creates the state folder. Only the user rules, the checks, the keys and the acceptances in it are meant to be committed. */
export const makeState = (path: string): Promise<void> => hideFolder(path, COMMITTED)
