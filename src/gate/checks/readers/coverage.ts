import nodePath from 'node:path'
import { compareText } from '../../../evidence/compare.ts'
import type { Element, XmlVisitor } from '../../../kernel/text/xml.ts'
import { type CheckReader, CheckUnreadable, type ReaderInput } from './reader.ts'
import { attributeOf, cleanText, fileOf, linesOf, placePath, type ResultFile, walkReport } from './results.ts'

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
class CoverageBuilder {
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

/** The records that matter here; functions and totals follow from them or are not judged. */
const IGNORED = /^(?:TN|VER|FN|FNDA|FNF|FNH|FNL|FNA|LF|LH|BRF|BRH|MCDC|MCF|MCH):|^#|^\s*$/

/** A tracefile of lcov, as lcov, Istanbul, vitest, c8, coverage.py, grcov and others write it. */
export const readLcov: CheckReader = (input) => {
  const builder = new CoverageBuilder()
  let counts: ReturnType<CoverageBuilder['file']>
  let isOpen = false
  for (const line of linesOf(input.bytes)) {
    const [, kind = '', value = ''] = /^(SF|DA|BRDA):(.*)$/.exec(line) ?? []
    if (kind === 'SF') {
      counts = builder.file(placePath(value, input), value)
      isOpen = true
    } else if (line.trimEnd() === 'end_of_record') isOpen = false
    else if (kind === '' && IGNORED.test(line)) continue
    else if (!isOpen || kind === '') throw new CheckUnreadable('the report is not a tracefile of lcov')
    else if (kind === 'DA') {
      const [number = '', hits = ''] = value.split(',')
      builder.addLine(counts, number, hits)
    } else {
      const at = value.lastIndexOf(',')
      const taken = value.slice(at + 1)
      builder.addBranch(counts, value.slice(0, at), taken !== '-' && taken !== '0')
    }
  }
  if (isOpen) throw new CheckUnreadable('the report ends in the middle of a record')
  return { results: [], coverage: builder.finish() }
}

type Attributes = Element['attributes']

const MAX_SOURCES = 100

class CoberturaVisitor implements XmlVisitor {
  readonly builder = new CoverageBuilder()
  readonly #input: ReaderInput
  readonly #path: string[] = []
  readonly #sources: string[] = []
  #counts: ReturnType<CoverageBuilder['file']>

  constructor(input: ReaderInput) {
    this.#input = input
  }

  open(name: string, attributes: Attributes): void {
    if (this.#path.length === 0 && name !== 'coverage')
      throw new CheckUnreadable(`the output is not Cobertura XML: its root is <${cleanText(name, 40)}>`)
    const [parent, outer] = [this.#path.at(-1), this.#path.at(-2)]
    this.#path.push(name)
    if (name === 'source' && parent === 'sources') this.#sources.push('')
    if (this.#sources.length > MAX_SOURCES)
      throw new CheckUnreadable(`the report has more than ${MAX_SOURCES} sources`)
    if (name === 'class') {
      const file = attributeOf(attributes, 'filename') ?? ''
      this.#counts = this.builder.file(this.#place(file), file)
    }
    // The lines of methods are among the lines of the class.
    if (name === 'line' && parent === 'lines' && outer === 'class') this.#line(attributes)
  }

  #line(attributes: Attributes): void {
    const number = attributeOf(attributes, 'number') ?? ''
    this.builder.addLine(this.#counts, number, attributeOf(attributes, 'hits') ?? '')
    const [, taken, found] =
      /\((\d{1,4})\/(\d{1,4})\)/.exec(attributeOf(attributes, 'condition-coverage') ?? '') ?? []
    for (let at = 0; at < Number(found ?? 0); at += 1)
      this.builder.addBranch(this.#counts, `${number},${at}`, at < Number(taken))
  }

  text(text: string): void {
    const last = this.#sources.length - 1
    if (this.#path.at(-1) === 'source' && last >= 0) this.#sources[last] += text.slice(0, 4_096)
  }

  close(): void {
    this.#path.pop()
  }

  /** A file is below one of the sources; those of another machine are not here, so the folder of the tool is tried last. */
  #place(file: string): ResultFile {
    const { root, folder } = this.#input
    const bases = this.#sources.map((source) => nodePath.resolve(folder, source.trim() || '.'))
    const places = bases.map((base) => placePath(file, { root, folder }, base))
    return places.find((place) => fileOf(place) !== undefined) ?? placePath(file, this.#input)
  }
}

/** Cobertura XML, as coverage.py, Istanbul, gcovr, JaCoCo converters, coverlet and others write it. */
export const readCobertura: CheckReader = (input) => {
  const visitor = new CoberturaVisitor(input)
  walkReport(input.bytes, visitor)
  return { results: [], coverage: visitor.builder.finish() }
}

/** How often the lines of a file ran, by line number. */
interface FileCoverage {
  readonly lines: ReadonlyMap<number, number>
  /** Branches that the tool counted in the file, and those that were taken. */
  readonly branches: { readonly found: number; readonly taken: number }
}

/** What the tests ran, by path relative to the root of the repository, in the order of the paths. */
export interface Coverage {
  readonly files: ReadonlyMap<string, FileCoverage>
  /** How many files are outside of the repository. They are not judged. */
  readonly outside: number
}
