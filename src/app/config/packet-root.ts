import { join, resolve } from 'node:path'
import { isBelow, requireNoSymlinks } from '../../platform/files/no-symlinks.ts'
import type { Config } from './settings.ts'

const STORE_FOLDERS = [
  'cas',
  'meta',
  'index',
  'cache',
  ...['metadata', 'metadata_alias', 'trust', 'embeddings'].map((name) => join('cache', name)),
]

/** A store in the project. Its folders may have come with the repository, and none may be a link. */
export const rejectSharedStore = (root: string, ...way: readonly string[]): string => {
  const place = requireNoSymlinks(root, ...way)
  for (const name of STORE_FOLDERS) requireNoSymlinks(place, name)
  return place
}

/** Where the settings have packets kept. */
export const packetRoot = ({ root, packetRoot }: Pick<Config, 'root' | 'packetRoot'>): string => {
  const base = resolve(root)
  const home = resolve(base, packetRoot)
  return isBelow(base, home) ? rejectSharedStore(base, packetRoot) : home
}
