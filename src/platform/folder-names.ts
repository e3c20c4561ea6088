import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { FolderNames } from '../gate/ports.ts'

export const folderNames = (root: string): FolderNames => ({
  names: (path) =>
    readdir(join(root, path)).then(
      (names) => names.sort(),
      () => [],
    ),
})
