import { mkdir, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { openAsyncJail } from '../jail/async.ts'
import { replaceFile } from './atomic-write.ts'
import { isBelow, placeFaults } from './no-symlinks.ts'

export interface WriteOptions {
  /** Only where nothing is yet. */
  readonly fresh?: boolean
}

/**
 * Writes a file that the operator named. Anywhere else that is theirs to say; in the repository a link may wait
 * under the name or on the way to it, and is not written through.
 */
export const writeOutputFile = async (
  root: string,
  path: string,
  text: string,
  { fresh = false }: WriteOptions = {},
): Promise<void> => {
  const whole = resolve(path)
  if (!isBelow(root, whole)) return writeFile(whole, text, { flag: fresh ? 'wx' : 'w' })
  const written = await openAsyncJail(root).within(dirname(whole), async (reach) => {
    const place = join(reach, basename(whole))
    // Not durable: a report can be made again.
    await (fresh ? writeFile(place, text, { flag: 'wx' }) : replaceFile(place, text, { durable: false }))
    return true
  })
  if (written === undefined) throw placeFaults.folder('there is no such folder in the repository')
}

/** Makes a new file of the repository, and the folders that lead to it. False when there is one already. */
export const createRepositoryFile = async (root: string, path: string, text: string): Promise<boolean> => {
  const jail = openAsyncJail(root)
  const names = path.split('/')
  const name = names.pop() ?? ''
  for (const [at, folder] of names.entries()) {
    await jail.within(names.slice(0, at).join('/') || '.', (reach) =>
      mkdir(join(reach, folder)).catch((cause: NodeJS.ErrnoException) => {
        if (cause.code !== 'EEXIST') throw cause
      }),
    )
  }
  const planted = await jail.within(names.join('/') || '.', (reach) =>
    writeFile(join(reach, name), text, { flag: 'wx' }).then(
      () => 'new',
      (cause: NodeJS.ErrnoException) => {
        if (cause.code === 'EEXIST') return 'there'
        throw cause
      },
    ),
  )
  if (planted === undefined) throw placeFaults.folder(`${path} does not lie in the repository`)
  return planted === 'new'
}
