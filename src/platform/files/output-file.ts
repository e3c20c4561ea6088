import { randomBytes } from 'node:crypto'
import { mkdir, rename, unlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { openAsyncJail } from '../jail/async.ts'
import { isBelow, placeFaults } from './no-symlinks.ts'

/** The name changes what it stands for; what it stood for, were it a link, stays as it was. */
const replace = async (path: string, text: string): Promise<void> => {
  const draft = join(dirname(path), `.warrant-${randomBytes(6).toString('hex')}.tmp`)
  try {
    await writeFile(draft, text, { flag: 'wx' })
    await rename(draft, path)
  } catch (cause) {
    await unlink(draft).catch(() => {})
    throw cause
  }
}

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
    await (fresh ? writeFile(place, text, { flag: 'wx' }) : replace(place, text))
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
