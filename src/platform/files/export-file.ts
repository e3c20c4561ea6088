import { closeSync, constants, lstatSync, openSync, readSync, realpathSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { defineFaults, Fault } from '../../kernel/fault.ts'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import { type Handle, holdRoot, type JailBackend, openBackend } from '../jail/handles.ts'
import { fromRoot } from '../jail/path.ts'
import { errnoCode, walkDown } from '../jail/walk.ts'
import { replaceFile } from './atomic-write.ts'

export const exportFaults = defineFaults('export', {
  path: { kind: 'invalid', fix: 'Name a file in an existing folder under the export root.' },
  failed: { kind: 'unavailable', fix: 'Check the permissions and the free space of the folder.' },
})

const MAX_NAME_BYTES = 255

/** The export root, opened at the first export: a path that is swapped later does not move it. */
interface ExportRoot {
  readonly backend: JailBackend
  readonly spellings: readonly string[]
}

const toSlashes = (path: string): string => (sep === '/' ? path : path.replaceAll(sep, '/'))

const openRoot = (root: string): ExportRoot => {
  try {
    const handle = holdRoot(root)
    return { backend: openBackend(handle), spellings: [handle.path, handle.given].map(toSlashes) }
  } catch (cause) {
    throw exportFaults.path('the export root does not exist', { cause })
  }
}

/** Splits the path lexically into the names of its folders and the name of the file. */
const splitPath = (
  { backend, spellings }: ExportRoot,
  asked: string,
): readonly [folders: string[], name: string] => {
  if (asked === '' || asked.includes('\0')) throw exportFaults.path('the path is empty or holds a NUL')
  const inside = fromRoot(toSlashes(resolve(backend.path, asked)), spellings)
  if (inside === undefined) throw exportFaults.path('outside the export root')
  const names = inside.split('/').filter((name) => name !== '')
  const name = names.pop()
  if (name === undefined) throw exportFaults.path('the path is not a regular file')
  if (Buffer.byteLength(name) > MAX_NAME_BYTES) throw exportFaults.path('the name of the file is too long')
  return [names, name]
}

/** Opens the folder one name at a time, as the jail does: a symlink swapped in later has no effect. */
const openFolder = (
  { backend, spellings }: ExportRoot,
  segments: readonly string[],
  path: string,
): Handle => {
  try {
    return walkDown(backend, { segments, path, spellings }).handle
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown
    const message = thrown.kind === 'refused' ? 'outside the export root' : 'there is no folder for this path'
    throw exportFaults.path(message, { cause: thrown })
  }
}

const resolveLinks = (path: string): string => {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
const START_BYTES = 64

const readStart = (path: string): string => {
  const file = openSync(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  try {
    const bytes = Buffer.alloc(START_BYTES)
    return bytes.toString('latin1', 0, readSync(file, bytes))
  } finally {
    closeSync(file)
  }
}

interface ExportLimits {
  /** Paths that are not for exports, with all below them. */
  readonly reserved: readonly string[]
  /** Whether a file that begins with this text is an earlier export. Others are not replaced. */
  readonly isOwn: (start: string) => boolean
}

/** Checks where the open folder is now, and not the path that led to it. */
const checkTarget = (
  backend: JailBackend,
  folder: Handle,
  name: string,
  { reserved, isOwn }: ExportLimits,
): void => {
  if (!folder.stats.isDirectory()) throw exportFaults.path('there is no folder for this path')
  if (!backend.isInside(folder)) throw exportFaults.path('outside the export root')
  const path = resolve(realpathSync(folder.procPath), name)
  // On some disks names in capitals are the same.
  const [lower, ...places] = [path, ...reserved.map(resolveLinks)].map((one) => one.toLowerCase())
  if (places.some((place) => isPathInside(place, lower ?? '')))
    throw exportFaults.path('this path is reserved and not for exports')
  const existing = lstatSync(`${folder.procPath}/${name}`, { throwIfNoEntry: false })
  if (existing === undefined) return
  if (!existing.isFile()) throw exportFaults.path('the path is not a regular file')
  if (!isOwn(readStart(`${folder.procPath}/${name}`)))
    throw exportFaults.path('a file that is no export has this name, and is not replaced', {
      fix: 'Name a new file, or remove the one that is there.',
    })
}

/**
 * Returns a function that writes files below the root atomically, and replaces earlier exports only. It opens the
 * folder as the jail does and writes into the open folder.
 */
export const exportFolder = (root: string, limits: ExportLimits) => {
  let opened: ExportRoot | undefined
  return async (asked: string, content: string | Uint8Array): Promise<void> => {
    opened ??= openRoot(root)
    const [names, name] = splitPath(opened, asked)
    const folder = openFolder(opened, names, asked)
    try {
      checkTarget(opened.backend, folder, name, limits)
      // Durable: the operator may delete the graph once it is exported.
      await replaceFile(`${folder.procPath}/${name}`, content, { durable: true, mode: 0o600 }).catch(
        (cause) => {
          throw exportFaults.failed('the file could not be written', { cause })
        },
      )
    } catch (thrown) {
      // A system error here means that the folder changed after it was opened.
      throw errnoCode(thrown) === undefined
        ? thrown
        : exportFaults.path('the path changed while it was checked', { cause: thrown })
    } finally {
      folder.close()
    }
  }
}
