import { type BigIntStats, type FSWatcher, lstatSync, watch } from 'node:fs'
import { join } from 'node:path'

/** Which file it is and which state of it; empty when there is none. */
export const identify = (stats: BigIntStats | undefined): string =>
  stats === undefined
    ? ''
    : `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}:${stats.mode}`

export const fileIdentity = (path: string): string => {
  try {
    return identify(lstatSync(path, { bigint: true, throwIfNoEntry: false }))
  } catch {
    // A folder on the way that is none, or closed to us: there is no file for us.
    return ''
  }
}

const POLL_MS = 1_000
/** Several events make one change: a writer creates, writes and renames. */
const SETTLE_MS = 20

/**
 * Calls `changed` when a file in `folder` is no longer the one it was. The system tells us where it can; where it
 * cannot (no such folder yet, no watches left) we look every second.
 */
export const watchFile = (folder: string, name: string, changed: () => void): (() => void) => {
  const look = () => fileIdentity(join(folder, name))
  let last = look()
  let settling: NodeJS.Timeout | undefined
  let polling: NodeJS.Timeout | undefined
  let watcher: FSWatcher | undefined

  const check = () => {
    settling = undefined
    const now = look()
    if (now === last) return
    last = now
    changed()
  }
  const poll = () => {
    watcher?.close()
    watcher = undefined
    polling ??= setInterval(check, POLL_MS).unref()
  }
  try {
    watcher = watch(folder, { persistent: false }, (_, file) => {
      if (file === null || file === name) settling ??= setTimeout(check, SETTLE_MS).unref()
    })
    watcher.on('error', poll)
  } catch {
    poll()
  }
  return () => {
    watcher?.close()
    clearInterval(polling)
    clearTimeout(settling)
  }
}
