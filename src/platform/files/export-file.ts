import { lstatSync, realpathSync } from 'node:fs'
import { resolve, sep } from 'node:path'
import { defineFaults, Fault } from '../../kernel/fault.ts'
import { isPathInside } from '../../kernel/text/path-inside.ts'
import { type Handle, holdRoot, type JailBackend, openBackend } from '../jail/handles.ts'
import { fromRoot } from '../jail/path.ts'
import { errorCode, walkDown } from '../jail/walk.ts'
import { replaceFile } from './atomic-write.ts'

export const exportFaults = defineFaults('export', {
  path: { kind: 'invalid', fix: 'Name a file in an existing folder under the export root.' },
  failed: { kind: 'unavailable', fix: 'Check the rights and the free space of the folder.' },
})

/** Bytes that a file system takes for a name. */
const MAX_NAME = 255

/** The root, held from the first export on: what takes the place of its path later gets nothing. */
interface Held {
  readonly ground: JailBackend
  readonly spellings: readonly string[]
}

const hold = (root: string): Held => {
  try {
    const handle = holdRoot(root)
    return { ground: openBackend(handle), spellings: [handle.path, handle.given].map(slashed) }
  } catch (cause) {
    throw exportFaults.path('there is no export root', { cause })
  }
}

const slashed = (path: string): string => (sep === '/' ? path : path.replaceAll(sep, '/'))

/** The names that lead to the folder, and the name of the file, by the words of the path alone. */
const readPath = (
  { ground: backend, spellings }: Held,
  asked: string,
): readonly [folder: string[], name: string] => {
  if (asked === '' || asked.includes('\0')) throw exportFaults.path('the path is empty or holds a NUL')
  const way = fromRoot(slashed(resolve(backend.path, asked)), spellings)
  const names = way?.split('/').filter((name) => name !== '') ?? []
  const name = names.pop()
  if (way === undefined) throw exportFaults.path('outside the export root')
  if (name === undefined) throw exportFaults.path('the path is not a plain file')
  if (Buffer.byteLength(name) > MAX_NAME) throw exportFaults.path('the name of the file is too long')
  return [names, name]
}

/** What the walk says of a path, in the words of an export. Its own name nothing of the machine either. */
const asRefusal = (thrown: unknown): unknown => {
  if (!(thrown instanceof Fault)) return thrown
  const words = thrown.kind === 'refused' ? 'outside the export root' : 'there is no folder for this path'
  return exportFaults.path(words, { cause: thrown })
}

/** The folder, gone down to one name at a time and held: a link put into the way leads nowhere. */
const findFolder = (
  { ground: backend, spellings }: Held,
  names: readonly string[],
  asked: string,
): Handle => {
  try {
    return walkDown(backend, names, asked, spellings).place
  } catch (thrown) {
    throw asRefusal(thrown)
  }
}

const realPlace = (place: string): string => {
  try {
    return realpathSync(place)
  } catch {
    return resolve(place)
  }
}

/** The held folder is judged by where it is, not by the words that led to it. */
const judge = (backend: JailBackend, folder: Handle, name: string, reserved: readonly string[]): void => {
  if (!folder.stats.isDirectory()) throw exportFaults.path('there is no folder for this path')
  if (!backend.holds(folder)) throw exportFaults.path('outside the export root')
  const path = resolve(realpathSync(folder.procPath), name)
  if (reserved.some((place) => isPathInside(realPlace(place), path)))
    throw exportFaults.path('this place is not for exports')
  const there = lstatSync(`${folder.procPath}/${name}`, { throwIfNoEntry: false })
  if (there !== undefined && !there.isFile()) throw exportFaults.path('the path is not a plain file')
}

/**
 * Writes whole files under one root and never into the reserved places: what is there afterwards is the old
 * file or the new one, never half. It goes down to the folder as the jail does and writes into the folder it holds.
 */
export const exportFolder = (root: string, reserved: readonly string[]) => {
  let held: Held | undefined
  return async (asked: string, text: string): Promise<void> => {
    held ??= hold(root)
    const [names, name] = readPath(held, asked)
    const folder = findFolder(held, names, asked)
    try {
      judge(held.ground, folder, name, reserved)
      // Durable: the operator may delete the graph once it is exported.
      await replaceFile(`${folder.procPath}/${name}`, text, { durable: true, mode: 0o600 }).catch((cause) => {
        throw exportFaults.failed('the file could not be written', { cause })
      })
    } catch (thrown) {
      // The system's own complaint about a folder that changes under us.
      throw errorCode(thrown) === undefined
        ? thrown
        : exportFaults.path('the path changed', { cause: thrown })
    } finally {
      folder.close()
    }
  }
}
