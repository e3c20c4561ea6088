import { realpathSync } from 'node:fs'
import { delimiter, sep } from 'node:path'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import { absolutePath } from './program.ts'

const realFolder = (folder: string): string => {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

/** `npx` and `npm run` put this folder of the repository, and those of its parent folders, on the PATH. */
const PACKAGE_PROGRAMS = `${sep}node_modules${sep}.bin`

let last: { readonly path: string | undefined; readonly root: string; readonly trusted: string } | undefined

/** PATH without the folders that a repository fills: relative entries, those inside it, and installed packages. */
export const trustedPath = (path: string | undefined, root: string): string => {
  // The same for every process of a run.
  if (last?.path === path && last?.root === root) return last.trusted
  const top = realFolder(root)
  const isForeign = (folder: string) => {
    const real = realFolder(folder)
    return [folder, real].every(
      (one) => !isPathInside(top, one) && !`${one}${sep}`.includes(`${PACKAGE_PROGRAMS}${sep}`),
    )
  }
  const trusted = absolutePath(path).split(delimiter).filter(isForeign).join(delimiter)
  last = { path, root, trusted }
  return trusted
}
