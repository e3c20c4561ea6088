import { lstatSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { defineFaults } from '../../kernel/fault.ts'
import { isPathInside } from '../../kernel/text/path-inside.ts'

export const placeFaults = defineFaults('place', {
  link: {
    kind: 'refused',
    fix: 'Remove the symlink. To keep the data elsewhere, set that path in the settings.',
  },
  occupied: { kind: 'refused', fix: 'Move the existing file away, or set another path in the settings.' },
  unwritable: {
    kind: 'unavailable',
    fix: 'Give this user write permission there, or set XDG_STATE_HOME (on Windows LOCALAPPDATA) to another folder.',
  },
  folder: {
    kind: 'refused',
    fix: 'Name a file in an existing folder of the repository that is not reached by a symlink.',
  },
})

/** Whether a path is inside a folder and not the folder itself. Lexical: no symlink is followed. */
export const isBelow = (folder: string, path: string): boolean =>
  relative(folder, path) !== '' && isPathInside(folder, path)

const isLink = (path: string): boolean => {
  try {
    return lstatSync(path).isSymbolicLink()
  } catch {
    return false
  }
}

/**
 * The path of a file of ours; throws when a part of it below the root is a symlink. A repository may bring that symlink
 * to redirect our reads and writes. Outside the root the operator chose the path, and symlinks are allowed.
 */
export const requireNoSymlinks = (root: string, ...parts: readonly string[]): string => {
  const path = resolve(root, ...parts)
  if (!isBelow(root, path)) return path
  const names = relative(root, path).split(sep)
  const link = names.findIndex((_, at) => isLink(resolve(root, ...names.slice(0, at + 1))))
  if (link === -1) return path
  throw placeFaults.link(
    `${names.slice(0, link + 1).join('/')} is a symlink, and warrant does not write through symlinks`,
  )
}

const SQLITE_FILES = ['', '-wal', '-shm', '-journal']

/** The same for a SQLite database and the files beside it. */
export const requireRegularDatabase = (root: string, ...parts: readonly string[]): string => {
  const path = requireNoSymlinks(root, ...parts)
  for (const suffix of SQLITE_FILES) requireNoSymlinks(root, `${path}${suffix}`)
  return path
}
