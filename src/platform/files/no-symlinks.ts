import { lstatSync } from 'node:fs'
import { relative, resolve, sep } from 'node:path'
import { defineFaults } from '../../kernel/fault.ts'
import { isPathInside } from '../../kernel/text/path-inside.ts'

export const placeFaults = defineFaults('place', {
  link: {
    kind: 'refused',
    fix: 'Take the link away; to keep it elsewhere, name that place itself in the settings.',
  },
  occupied: { kind: 'refused', fix: 'Move away what lies there, or name another place in the settings.' },
  folder: {
    kind: 'refused',
    fix: 'Name a file in an existing folder that is no link out of the repository.',
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
 * Where we keep what is ours. Below the root that place may have come with a repository, and a link that waits
 * there must not send our reading or writing elsewhere. Outside of the root it is the operator's own word.
 */
export const requireNoSymlinks = (root: string, ...way: readonly string[]): string => {
  const path = resolve(root, ...way)
  if (!isBelow(root, path)) return path
  const names = relative(root, path).split(sep)
  const link = names.findIndex((_, at) => isLink(resolve(root, ...names.slice(0, at + 1))))
  if (link === -1) return path
  throw placeFaults.link(
    `${names.slice(0, link + 1).join('/')} is a link, and what is ours is not kept by one`,
  )
}

const SQLITE_FILES = ['', '-wal', '-shm', '-journal']

/** The same of a database, which is several files. */
export const requireRegularDatabase = (root: string, ...way: readonly string[]): string => {
  const path = requireNoSymlinks(root, ...way)
  for (const ending of SQLITE_FILES) requireNoSymlinks(root, `${path}${ending}`)
  return path
}
