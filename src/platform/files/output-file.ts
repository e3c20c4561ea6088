import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { openAsyncJail } from '../jail/async.ts'
import { replaceFile } from './atomic-write.ts'
import { isBelow, placeFaults } from './no-symlinks.ts'

interface WriteOptions {
  /** Fail with EEXIST instead of replacing a file. */
  readonly fresh?: boolean
}

/**
 * Writes a file that the operator named. In the repository symlinks under the name or on the way to it are not
 * followed. Outside of it the path is opened as given, so that pipes and devices work.
 */
export const writeOutputFile = async (
  root: string,
  path: string,
  text: string,
  { fresh = false }: WriteOptions = {},
): Promise<void> => {
  const absolute = resolve(path)
  if (!isBelow(root, absolute)) return writeFile(absolute, text, { flag: fresh ? 'wx' : 'w' })
  const written = await openAsyncJail(root).within(dirname(absolute), async (folder) => {
    const file = join(folder, basename(absolute))
    // Not durable: a report can be made again.
    await (fresh ? writeFile(file, text, { flag: 'wx' }) : replaceFile(file, text, { durable: false }))
    return true
  })
  if (written === undefined) throw placeFaults.folder('the repository has no such folder')
}

/** Creates a file of the repository and its parent folders. False when the file exists already. */
export const createRepositoryFile = async (root: string, path: string, text: string): Promise<boolean> => {
  const jail = openAsyncJail(root)
  const names = path.split('/')
  const name = names.pop() ?? ''
  for (const [at, child] of names.entries()) {
    await jail.within(names.slice(0, at).join('/') || '.', (folder) =>
      mkdir(join(folder, child)).catch((cause: NodeJS.ErrnoException) => {
        if (cause.code !== 'EEXIST') throw cause
      }),
    )
  }
  const created = await jail.within(names.join('/') || '.', (folder) =>
    writeFile(join(folder, name), text, { flag: 'wx' }).then(
      () => true,
      (cause: NodeJS.ErrnoException) => {
        if (cause.code === 'EEXIST') return false
        throw cause
      },
    ),
  )
  if (created === undefined) throw placeFaults.folder(`${path} is not inside the repository`)
  return created
}

/** Replaces a regular file of the repository atomically; its mode stays. Symlinks are not followed. */
export const replaceRepositoryFile = async (root: string, path: string, text: string): Promise<void> => {
  const jail = openAsyncJail(root)
  const opened = await jail.open(path)
  if (opened === undefined) throw placeFaults.folder(`${path} is not a regular file of the repository`)
  const { mode } = await opened.file.stat().finally(() => opened.file.close())
  const replaced = await jail.within(dirname(path), async (folder) => {
    const options = { durable: true, mode: mode & 0o7777, ignoreUmask: true }
    await replaceFile(join(folder, basename(path)), text, options)
    return true
  })
  if (replaced === undefined) throw placeFaults.folder(`${path} is not inside the repository`)
}
