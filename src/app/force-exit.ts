const FLUSH_MS = 100

/**
 * Kills this process when a thread is stuck in a system call of a hung file system: `process.exit` would wait for
 * that thread. The delay lets the message reach stderr first.
 */
export const killProcess = (print: (message: string) => void): void => {
  print('a file system does not respond; killing this process')
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), FLUSH_MS)
}
