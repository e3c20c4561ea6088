import { constants } from 'node:fs'
import { lstat, open, realpath, rename, unlink } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { defineFaults } from '../kernel/fault.ts'

export const exportFaults = defineFaults('export', {
  path: { kind: 'invalid', fix: 'Name a file in an existing folder under the export root.' },
  failed: { kind: 'unavailable', fix: 'Check the rights and the free space of the folder.' },
})

const escapes = (way: string): boolean => way === '..' || way.startsWith(`..${sep}`) || isAbsolute(way)

const lookAt = (path: string) => lstat(path).catch(() => undefined)

let drafts = 0

/** A name no other writer uses at the same time, and no longer than any file system takes. */
const draftName = (): string => {
  drafts += 1
  return `.warrant-${process.pid}-${drafts}.tmp`
}

/** Where a path leads, links and all, when that is a place an export may be written to. */
const judgePath = async (root: string, reserved: readonly string[], asked: string): Promise<string> => {
  if (asked === '' || asked.includes('\0')) throw exportFaults.path('the path is empty or holds a NUL')
  const base = await realpath(root)
  const target = resolve(base, asked)
  // The folder is resolved before it is judged: a link inside may lead outside.
  const folder = await realpath(dirname(target)).catch((cause) => {
    throw exportFaults.path('there is no folder for this path', { cause })
  })
  const path = join(folder, basename(target))
  if (escapes(relative(base, path)) || path === base) throw exportFaults.path('outside the export root')
  for (const place of reserved) {
    const real = await realpath(place).catch(() => resolve(place))
    if (!escapes(relative(real, path))) throw exportFaults.path('this place is not for exports')
  }
  if (!(await lookAt(folder))?.isDirectory()) throw exportFaults.path('there is no folder for this path')
  const there = await lookAt(path)
  if (there !== undefined && !there.isFile()) throw exportFaults.path('the path is not a plain file')
  return path
}

/**
 * Writes whole files under one root and never into the reserved places: what is there afterwards is the old
 * file or the new one, never half.
 */
export const exportFolder =
  (root: string, reserved: readonly string[]) =>
  async (asked: string, text: string): Promise<void> => {
    const path = await judgePath(root, reserved, asked)
    const folder = dirname(path)
    const draft = join(folder, draftName())
    try {
      const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants
      const file = await open(draft, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600)
      try {
        await file.writeFile(text)
        await file.sync()
      } finally {
        await file.close()
      }
      await rename(draft, path)
      const handle = await open(folder, constants.O_RDONLY)
      await handle.sync().finally(() => handle.close())
    } catch (cause) {
      await unlink(draft).catch(() => {})
      throw exportFaults.failed('the file could not be written', { cause })
    }
  }
