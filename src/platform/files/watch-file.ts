import { type BigIntStats, type FSWatcher, lstatSync, watch } from 'node:fs'
import { lstat } from 'node:fs/promises'
import { join } from 'node:path'

/** Changes whenever the file is replaced or modified; empty when there is none. */
export const identify = (stats: BigIntStats | undefined): string =>
  stats === undefined
    ? ''
    : `${stats.dev}:${stats.ino}:${stats.size}:${stats.mtimeNs}:${stats.ctimeNs}:${stats.mode}`

export const fileIdentity = (path: string): string => {
  try {
    return identify(lstatSync(path, { bigint: true, throwIfNoEntry: false }))
  } catch {
    // A parent is not a folder, or may not be searched.
    return ''
  }
}

/** The same without blocking the thread, for callers that must not wait for a slow disk. */
export const readIdentity = async (path: string): Promise<string> =>
  identify(await lstat(path, { bigint: true }).catch(() => undefined))

const POLL_MS = 1_000
/** Debounce: a writer creates, writes and renames, which are several events. */
const DEBOUNCE_MS = 20

/**
 * Calls `changed` when the identity of the file changes. Uses `fs.watch`, and polls every second where that fails (the
 * folder does not exist yet, no inotify watches left). Returns a function that stops it.
 */
export const watchFile = (folder: string, name: string, changed: () => void): (() => void) => {
  const identityNow = () => fileIdentity(join(folder, name))
  let last = identityNow()
  let debounce: NodeJS.Timeout | undefined
  let polling: NodeJS.Timeout | undefined
  let watcher: FSWatcher | undefined

  const check = () => {
    debounce = undefined
    const now = identityNow()
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
      if (file === null || file === name) debounce ??= setTimeout(check, DEBOUNCE_MS).unref()
    })
    watcher.on('error', poll)
  } catch {
    poll()
  }
  return () => {
    watcher?.close()
    clearInterval(polling)
    clearTimeout(debounce)
  }
}
