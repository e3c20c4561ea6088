import type { JsonObject } from '../kernel/json.ts'
import type { CallRecord, Recorder } from '../kernel/ports.ts'

/** What a server over stdio has done, for the line it leaves in its log at the end. */
export class Tally implements Recorder {
  readonly #tools = new Map<string, number>()
  #total = 0
  #failed = 0
  #broken = 0

  record({ tool, outcome, kind }: CallRecord): void {
    this.#tools.set(tool, (this.#tools.get(tool) ?? 0) + 1)
    this.#total += 1
    if (outcome !== 'answer') this.#failed += 1
    if (kind === 'corrupt') this.#broken += 1
  }

  report(): JsonObject {
    const good = this.#total - this.#failed
    return {
      requests_total: this.#total,
      requests_success: good,
      requests_failed: this.#failed,
      invariant_failures: this.#broken,
      success_rate: this.#total === 0 ? 100 : (100 * good) / this.#total,
      tools: Object.fromEntries([...this.#tools].sort()),
    }
  }
}
