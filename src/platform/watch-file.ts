import { type FSWatcher, watch } from 'node:fs'

const POLL_MS = 1_000
/** Several events make one change: a writer creates, writes and renames. */
const SETTLE_MS = 20

/**
 * Calls `changed` when what `look` sees of a file in `folder` is no longer what it was. The system tells us where
 * it can; where it cannot (no such folder yet, no watches left) we look every second.
 */
export const watchFile = (
  folder: string,
  name: string,
  look: () => string,
  changed: () => void,
): (() => void) => {
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
