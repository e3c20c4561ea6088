/**
 * A signal that aborts with `signal` or after `ms`. The timer references all signals: in Node 20 `AbortSignal.any` does
 * not keep its sources alive, and after a garbage collection the deadline would never fire.
 */
export const withDeadline = (signal: AbortSignal, ms: number): AbortSignal => {
  const deadline = new AbortController()
  const both = AbortSignal.any([signal, deadline.signal])
  const expire = (..._referenced: readonly AbortSignal[]) =>
    deadline.abort(new DOMException('the deadline has passed', 'TimeoutError'))
  setTimeout(expire, ms, signal, both).unref()
  return both
}
