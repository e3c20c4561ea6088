import { SEVERITIES } from '../../../evidence/severities.ts'
import { type CheckOutput, type CheckResult, severityOfLevel } from './reader.ts'

/** More results cannot be counted within a deadline. */
const MAX_COUNTED = 2_000_000

interface Numbered {
  readonly at: number
  readonly result: CheckResult
}

const rank = ({ result }: Numbered): number => SEVERITIES.indexOf(severityOfLevel(result.level))
const worstFirst = (a: Numbered, b: Numbered): number => rank(b) - rank(a) || a.at - b.at

/** Keeps the worst results up to a limit, in the order of the tool, and counts the others. */
export class ResultCollector {
  readonly #limit: number
  #kept: Numbered[] = []
  #count = 0

  constructor({ results }: { readonly results: number }) {
    this.#limit = Math.max(0, results)
  }

  get count(): number {
    return this.#count
  }

  /** False when there are more results than can be counted. */
  add(result: CheckResult): boolean {
    this.#kept.push({ at: this.#count, result })
    this.#count += 1
    // Sorted once for as many new results as are kept: the cost of one result does not depend on their number.
    if (this.#kept.length > 2 * this.#limit + 64) this.#dropLightest()
    return this.#count <= MAX_COUNTED
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
