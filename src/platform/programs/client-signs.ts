import { constants } from 'node:fs'
import { access, lstat, realpath } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'

const EXTENSIONS = process.platform === 'win32' ? ['.cmd', '.exe'] : ['']

/** The real path of a program in one of the folders; undefined when none has it. Nothing is started. */
export const findProgram = async (name: string, path: string): Promise<string | undefined> => {
  for (const folder of path.split(delimiter).filter((one) => one !== ''))
    for (const extension of EXTENSIONS) {
      const file = join(folder, `${name}${extension}`)
      const found = await access(file, constants.X_OK).then(
        () => realpath(file),
        () => undefined,
      )
      if (found !== undefined) return found
    }
  return undefined
}

/** Whether the home folder of the user has this file or folder. */
export const isInHome = async (path: string): Promise<boolean> => {
  try {
    await lstat(join(homedir(), path))
    return true
  } catch {
    return false
  }
}
