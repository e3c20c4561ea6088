import { SEVERITIES } from '../../../evidence/compare.ts'
import { type CheckOutput, type CheckResult, CheckUnreadable, severityOfLevel } from './reader.ts'

/** More results cannot be counted within a deadline. */
const MAX_COUNTED = 5_000_000

interface Numbered {
  readonly at: number
  readonly result: CheckResult
}

const rankOf = (level: string): number => SEVERITIES.indexOf(severityOfLevel(level))
const worstFirst = (a: Numbered, b: Numbered): number =>
  rankOf(b.result.level) - rankOf(a.result.level) || a.at - b.at

/** Keeps the worst results up to a limit, in the order of the tool, and counts the others. */
export class ResultCollector {
  readonly #limit: number
  /** How many results there were of each severity. */
  readonly #counts = SEVERITIES.map(() => 0)
  #kept: Numbered[] = []
  #count = 0

  constructor({ results }: { readonly results: number }) {
    this.#limit = Math.max(0, results)
  }

  get count(): number {
    return this.#count
  }

  /** Adds a result. It is built only if it may be kept: enough others that came before may be as bad. */
  add(level: string, build: () => CheckResult): void {
    const rank = rankOf(level)
    const before = this.#counts.reduce((sum, count, at) => (at >= rank ? sum + count : sum), 0)
    if (before < this.#limit) this.#kept.push({ at: this.#count, result: build() })
    this.#count += 1
    this.#counts[rank] = (this.#counts[rank] ?? 0) + 1
    if (this.#count > MAX_COUNTED)
      throw new CheckUnreadable(`the output has more than ${MAX_COUNTED} results`)
    // Sorted once for as many new results as are kept: the cost of one result does not depend on their number.
    if (this.#kept.length > 2 * this.#limit) this.#dropLightest()
  }

  #dropLightest(): void {
    this.#kept = this.#kept.sort(worstFirst).slice(0, this.#limit)
  }

  finish(): Pick<CheckOutput, 'results' | 'omitted'> {
    this.#dropLightest()
    const kept = this.#kept.sort((a, b) => a.at - b.at).map(({ result }) => result)
    const omitted = this.#count - kept.length
    return { results: kept, ...(omitted > 0 && { omitted }) }
  }
}
