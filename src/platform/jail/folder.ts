import {
  type CheckDeadline,
  type DirectoryEntry,
  type Folder,
  jailFaults,
  quotePath,
} from '../../kernel/jail.ts'
import type { Checks } from './checks.ts'
import { readEntries } from './entries.ts'
import type { Handle } from './handles.ts'
import { systemFault } from './walk.ts'

/** An open folder of the jail. Symlinks in it are never followed. With `cached` its listing may be reused. */
export const openFolder = (
  checks: Checks,
  handle: Handle,
  segments: readonly string[],
  cached = false,
): Folder => {
  const { backend, entryCache } = checks
  const isDenied = checks.deniedAt(segments.length + 1)
  const path = segments.join('/')
  const below = (name: string) => [...segments, name]

  /** Undefined instead of a fault: a walk skips entries that may not be read, as they were not requested by name. */
  const attempt = <T>(
    name: string,
    open: (at: Handle, name: string) => Handle,
    use: (found: Handle) => T,
  ) => {
    if (isDenied?.(below(name))) return undefined
    let found: Handle | undefined
    try {
      found = open(handle, name)
      return use(found)
    } catch {
      found?.close()
      return undefined
    }
  }

  const allowed = (entries: readonly DirectoryEntry[]): readonly DirectoryEntry[] => {
    if (isDenied === undefined) return entries
    const names = below('')
    return entries.filter(({ name }) => {
      names[segments.length] = name
      return !isDenied(names)
    })
  }

  const read = (checkDeadline: CheckDeadline) => {
    try {
      return allowed(readEntries(handle, checkDeadline))
    } catch (thrown) {
      throw systemFault(thrown, path)
    }
  }

  return {
    path,
    entries(checkDeadline) {
      // A folder that is requested by name is often requested again; a walk visits each folder once.
      const entries = cached
        ? entryCache.list(path, {
            read: () => read(checkDeadline),
            currentStats: () => backend.currentStats(handle),
          })
        : read(checkDeadline)
      if (!backend.isInside(handle))
        throw jailFaults.changed(`changed while it was listed: ${quotePath(path)}`)
      return entries
    },
    enter: (name) =>
      attempt(name, backend.enter, (found) => {
        checks.checkFileSystem(found, name)
        return openFolder(checks, found, below(name))
      }),
    read: (name, bytes) =>
      attempt(name, backend.find, (found) => {
        const file = checks.read(found, below(name).join('/'), bytes)
        found.close()
        return file
      }),
    close: () => handle.close(),
  }
}
