import { readlink, realpath } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'

const MAX_LINKS = 16

/** Where a write to a path ends up: links are followed, also one whose target does not exist yet. */
export const findWriteTarget = async (path: string, left = MAX_LINKS): Promise<string> => {
  const real = await realpath(path).catch(() => undefined)
  if (real !== undefined || left === 0) return real ?? path
  const target = await readlink(path).catch(() => undefined)
  if (target !== undefined) return findWriteTarget(resolve(dirname(path), target), left - 1)
  const parent = dirname(path)
  return parent === path ? path : join(await findWriteTarget(parent, left - 1), basename(path))
}
