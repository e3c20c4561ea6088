import { join, resolve } from 'node:path'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import { requireNoSymlinks } from '../../platform/files/no-symlinks.ts'
import type { Config } from './settings.ts'

const STORE_FOLDERS = [
  'cas',
  'meta',
  'index',
  'cache',
  ...['metadata', 'metadata_alias', 'trust', 'embeddings'].map((name) => join('cache', name)),
]

/** The path of a packet store inside the project. Refuses symlinks, which a repository may have brought. */
export const requireStoreWithoutSymlinks = (root: string, ...names: readonly string[]): string => {
  const store = requireNoSymlinks(root, ...names)
  for (const name of STORE_FOLDERS) requireNoSymlinks(store, name)
  return store
}

/** The packet store of the settings. Outside the project the operator chose it, and symlinks are allowed. */
export const packetRoot = ({ root, packetRoot }: Pick<Config, 'root' | 'packetRoot'>): string => {
  const base = resolve(root)
  const store = resolve(base, packetRoot)
  return isPathInside(base, store) ? requireStoreWithoutSymlinks(base, packetRoot) : store
}
