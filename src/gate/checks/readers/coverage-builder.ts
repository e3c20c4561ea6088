import { compareText } from '../../../evidence/compare.ts'
import type { Coverage } from './coverage.ts'
import { CheckUnreadable } from './reader.ts'
import type { ResultFile } from './result-place.ts'

/** Lines of all files; more would take more memory than a gate may use. */
const MAX_LINES = 4_000_000
const MAX_NUMBER = 10_000_000

interface FileCounts {
  readonly lines: Map<number, number>
  readonly branches: Map<string, boolean>
}

const readCount = (text: string): number | undefined => {
  const count = /^\d{1,20}(?:\.\d{1,20})?(?:e\+?\d{1,3})?$/i.test(text) ? Number(text) : undefined
  return count === undefined ? undefined : Math.ceil(Math.min(count, Number.MAX_SAFE_INTEGER))
}

/** Adds up what several records say about one file: a line ran when it ran in one of them. */
export class CoverageBuilder {
  readonly #files = new Map<string, FileCounts>()
  readonly #outside = new Set<string>()
  #lines = 0

  /** The counts of a file, to be filled; undefined when it is not in the repository. */
  file(place: ResultFile, given: string): FileCounts | undefined {
    if (place === undefined || !('file' in place)) {
      this.#outside.add(given)
      return undefined
    }
    const counts = this.#files.get(place.file) ?? { lines: new Map(), branches: new Map() }
    this.#files.set(place.file, counts)
    return counts
  }

  addLine(counts: FileCounts | undefined, line: string, hits: string): void {
    // Some tools write a negative count when a counter overflowed: the line ran.
    const [number, count] = [readCount(line), hits.startsWith('-') ? 1 : readCount(hits)]
    if (number === undefined || count === undefined || number > MAX_NUMBER)
      throw new CheckUnreadable('the report has a line without a number or without a count')
    if (counts === undefined || number === 0) return
    const known = counts.lines.get(number)
    if (known === undefined) this.#lines += 1
    if (this.#lines > MAX_LINES) throw new CheckUnreadable(`the report has more than ${MAX_LINES} lines`)
    counts.lines.set(number, Math.min((known ?? 0) + count, Number.MAX_SAFE_INTEGER))
  }

  addBranch(counts: FileCounts | undefined, id: string, taken: boolean): void {
    counts?.branches.set(id, taken || counts.branches.get(id) === true)
    if (counts !== undefined && counts.branches.size > MAX_LINES)
      throw new CheckUnreadable(`the report has more than ${MAX_LINES} branches`)
  }

  finish(): Coverage {
    if (this.#files.size === 0 && this.#outside.size === 0)
      throw new CheckUnreadable('the report has no file')
    const files = [...this.#files]
      .sort(([a], [b]) => compareText(a, b))
      .map(([file, { lines, branches }]) => {
        const taken = [...branches.values()].filter((one) => one).length
        return [file, { lines, branches: { found: branches.size, taken } }] as const
      })
    return { files: new Map(files), outside: this.#outside.size }
  }
}
