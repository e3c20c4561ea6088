/**
 * Aborts a stalled transfer. A lost network gives no error, and the deadline of a large blob may be hours away.
 * Only waiting for the registry counts, not time the consumer takes.
 */
export const watchIdle = (until: AbortSignal, idleMs: number) => {
  const idle = new AbortController()
  const forwardAbort = () => idle.abort(until.reason)
  const onIdle = () => idle.abort(Object.assign(new Error('no more bytes pass'), { code: 'ETIMEDOUT' }))
  const start = (ms: number) => setTimeout(onIdle, ms).unref()
  let timer = start(idleMs)
  const pause = () => clearTimeout(timer)
  until.addEventListener('abort', forwardAbort, { once: true })
  if (until.aborted) forwardAbort()
  return {
    signal: idle.signal,
    /** The cause of the end: the first reason, not what was thrown after it. */
    cause: (thrown: unknown): unknown => (idle.signal.aborted ? idle.signal.reason : thrown),
    pause,
    /** Begins to wait anew, `more` milliseconds longer than usual. */
    resume: (more = 0) => {
      pause()
      timer = start(idleMs + more)
    },
    end: () => {
      pause()
      until.removeEventListener('abort', forwardAbort)
    },
  }
}
