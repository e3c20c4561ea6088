/**
 * A signal that fires when another does, or when the time is over. The timer holds the signals as well: Node 20 holds
 * those inside `any` by nothing, a garbage collection would take the end away, and whoever never answers be waited for
 * without one.
 */
export const withDeadline = (signal: AbortSignal, ms: number): AbortSignal => {
  const end = new AbortController()
  const both = AbortSignal.any([signal, end.signal])
  const passed = (..._held: readonly AbortSignal[]) =>
    end.abort(new DOMException('the deadline has passed', 'TimeoutError'))
  setTimeout(passed, ms, signal, both).unref()
  return both
}
