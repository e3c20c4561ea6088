import { access, constants, mkdir, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { StoreCheck } from '../../kernel/ports.ts'
import { readRegularFile } from '../jail/async.ts'
import { replaceFile } from './atomic-write.ts'
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
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') {
        return { kind, state: 'absent', detail: 'nothing has been stored yet' }
      }
      return { kind, state: 'failing', detail: 'the state folder cannot be read and written' }
    }
  },
})

/** Creates a folder with a `.gitignore` of its own: the data of this machine must not be committed by accident. */
export const hideFolder = async (path: string, ignored = '*\n'): Promise<void> => {
  await mkdir(path, { recursive: true, mode: 0o700 }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST' && cause.code !== 'ENOTDIR') throw cause
    throw placeFaults.occupied(`${basename(path)} is not a folder`, { cause })
  })
  await writeFile(join(path, '.gitignore'), ignored, { flag: 'wx' }).catch((cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EEXIST') throw cause
  })
}

const RULES_ONLY = '*\n!/rules/\n!/rules/**\n'
const RULES_AND_CHECKS = `${RULES_ONLY}!/checks.yml\n`
const COMMITTED = `${RULES_AND_CHECKS}!/keys.yml\n`

/** Creates the state folder. Only the user rules, the checks and the keys in it are meant to be committed. */
export const makeState = async (path: string): Promise<void> => {
  await hideFolder(path, COMMITTED)
  const ignore = join(path, '.gitignore')
  const text = await readRegularFile(ignore, COMMITTED.length).catch(() => undefined)
  // Written by an earlier version, which knew no checks or no keys.
  if ([RULES_ONLY, RULES_AND_CHECKS].includes(text?.toString('utf8') ?? ''))
    await replaceFile(ignore, COMMITTED, { durable: false })
}
