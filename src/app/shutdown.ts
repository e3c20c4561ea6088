import { parentProcess } from '../platform/files/process-identity.ts'

const FLUSH_MS = 100

/**
 * Kills this process when a thread is stuck in a system call of a hung file system: `process.exit` would wait for
 * that thread. The delay lets the message reach stderr first.
 */
export const killProcess = (print: (message: string) => void): void => {
  print('a file system does not respond; killing this process')
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), FLUSH_MS)
}

const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
const STOP_MS = 800
const WATCH_MS = 1_000

/** `npm run` and `npx` start a shell, which starts this process and outlives them. */
const isBehindNpm = process.env.npm_lifecycle_event !== undefined

/** The parent and, behind npm, the parent of its shell. Only Linux tells the latter without starting a program. */
const parents = (): string =>
  isBehindNpm ? `${process.ppid} ${parentProcess(process.ppid)}` : `${process.ppid}`

// Read when the program starts: later the parent may be gone already.
const firstParents = parents()

/**
 * Stops the server and exits: on a signal and, with `orphaned: 'end'` or behind npm, when the parent process is gone.
 * `stop` has a time limit, because a client that does not read its pipe must not keep this process alive.
 */
export const onShutdown = (
  stop: () => Promise<void>,
  { orphaned }: { readonly orphaned: 'end' | 'stay' },
): void => {
  let ending = false
  const end = () => {
    if (ending) return
    ending = true
    setTimeout(() => process.exit(0), STOP_MS).unref()
    void stop().finally(() => process.exit(0))
  }
  for (const signal of SIGNALS) process.on(signal, end)
  if (orphaned === 'stay' && !isBehindNpm) return
  // Behind a wrapper such as npx, stdin may stay open after the client has died.
  setInterval(() => {
    if (parents() !== firstParents) end()
  }, WATCH_MS).unref()
}
