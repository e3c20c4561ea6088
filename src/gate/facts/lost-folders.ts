import { extensionOf } from '../../kernel/text/languages.ts'
import { type Detection, PLATFORM_EXTENSIONS } from './detect-platforms.ts'
import { DEPENDENCY_FOLDERS, NODE_PLATFORM } from './manifests.ts'

interface LostFolder {
  readonly platform: string
  readonly folder: string
}

const isUnder = (folders: readonly string[], path: string): boolean =>
  folders.some((folder) => path.startsWith(folder))

/**
 * Folders where a platform was detected before and is not any more, although files of it remain there. `joined` still
 * has them.
 */
export const keepLostFolders = (
  before: Detection,
  after: Detection,
  present: readonly string[],
): { readonly joined: Detection; readonly lost: readonly LostFolder[] } => {
  // No rule belongs to `node`, so nothing is lost with it.
  const ruled = Object.entries(before.roots).filter(([platform]) => platform !== NODE_PLATFORM)
  const lost = ruled.flatMap(([platform, folders]) => {
    const kept = after.roots[platform] ?? []
    const isFile = (path: string) =>
      PLATFORM_EXTENSIONS[platform]?.includes(extensionOf(path)) &&
      !DEPENDENCY_FOLDERS.test(path) &&
      !isUnder(kept, path)
    return folders
      .filter((folder) => !isUnder(kept, folder))
      .filter((folder) => present.some((path) => path.startsWith(folder) && isFile(path)))
      .map((folder) => ({ platform, folder }))
  })
  const roots = { ...after.roots }
  const platforms = { ...after.platforms }
  for (const { platform, folder } of lost) {
    roots[platform] = [...(roots[platform] ?? []), folder].sort()
    const known = before.platforms[platform]
    if (known !== undefined && !platforms[platform]?.detected) platforms[platform] = known
  }
  return { joined: { platforms: sortKeys(platforms), roots: sortKeys(roots) }, lost }
}

const sortKeys = <T>(record: Readonly<Record<string, T>>): Record<string, T> =>
  Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)))
