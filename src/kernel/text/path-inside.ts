import nodePath, { type PlatformPath } from 'node:path'

/**
 * Whether an absolute path is the folder itself or lies below it, by its name alone: symlinks are not followed.
 * Compares whole path segments, so a file named `..x` is inside and a sibling with the same prefix is not.
 */
export const isPathInside = (
  folder: string,
  path: string,
  flavour: Pick<PlatformPath, 'relative' | 'isAbsolute' | 'sep'> = nodePath,
): boolean => {
  const way = flavour.relative(folder, path)
  // On Windows the way to another drive is an absolute path.
  return way !== '..' && !way.startsWith(`..${flavour.sep}`) && !flavour.isAbsolute(way)
}
