import type { JsonObject } from '../kernel/encoding/json.ts'
import type { CallRecord, Recorder } from '../kernel/ports.ts'

/** Upper bounds of the latency histogram, in milliseconds. */
const BOUNDS = [1, 5, 25, 100, 500, 2_500, 10_000, Number.POSITIVE_INFINITY]
const NAMES = BOUNDS.map((bound) => (Number.isFinite(bound) ? `${bound}` : 'more'))

interface Count {
  calls: number
  readonly buckets: number[]
}

/** Counts the calls of a stdio server, for the log line it writes when it stops. */
export class CallStats implements Recorder {
  readonly #tools = new Map<string, Count>()
  #failed = 0
  #corrupt = 0

  record({ tool, outcome, kind, ms }: CallRecord): undefined {
    let count = this.#tools.get(tool)
    if (count === undefined) {
      count = { calls: 0, buckets: BOUNDS.map(() => 0) }
      this.#tools.set(tool, count)
    }
    count.calls += 1
    let at = 0
    while (ms > (BOUNDS[at] ?? ms)) at += 1
    count.buckets[at] = (count.buckets[at] ?? 0) + 1
    if (outcome !== 'answer') this.#failed += 1
    if (kind === 'corrupt') this.#corrupt += 1
  }

  report(): JsonObject {
    const tools = [...this.#tools].sort(([one], [other]) => (one < other ? -1 : 1))
    const total = tools.reduce((sum, [, { calls }]) => sum + calls, 0)
    const good = total - this.#failed
    const histogram = (counts: readonly number[]) =>
      Object.fromEntries(NAMES.map((name, at) => [name, counts[at] ?? 0] as const).filter(([, n]) => n > 0))
    return {
      requests_total: total,
      requests_success: good,
      requests_failed: this.#failed,
      invariant_failures: this.#corrupt,
      success_rate: total === 0 ? 100 : (100 * good) / total,
      tools: Object.fromEntries(tools.map(([name, { calls }]) => [name, calls])),
      latency_ms: Object.fromEntries(tools.map(([name, count]) => [name, histogram(count.buckets)])),
    }
  }
}
