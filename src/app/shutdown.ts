const SIGNALS = ['SIGTERM', 'SIGINT', 'SIGHUP'] as const
const STOP_MS = 800
const WATCH_MS = 1_000

/**
 * Ends the process in good order: on a signal, or, for a server that has one client, when the parent is gone
 * and nobody is left to hang up.
 * `stop` gets a moment to finish; a client that does not read must not keep us alive.
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
  if (orphaned === 'stay') return
  const parent = process.ppid
  // Behind a wrapper such as npx stdin may stay open although the client is long dead.
  setInterval(() => {
    if (process.ppid !== parent) end()
  }, WATCH_MS).unref()
}
