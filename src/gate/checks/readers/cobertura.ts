import nodePath from 'node:path'
import type { Element, XmlVisitor } from '../../../kernel/text/xml.ts'
import { CoverageBuilder } from './coverage-builder.ts'
import { attributeOf, walkReport } from './read-xml.ts'
import { type CheckReader, CheckUnreadable, type ReaderInput } from './reader.ts'
import { placePath, type ResultFile } from './result-place.ts'
import { cleanText } from './result-text.ts'

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
    return places.find((place) => place !== undefined && 'file' in place) ?? placePath(file, this.#input)
  }
}

/** Cobertura XML, as coverage.py, Istanbul, gcovr, JaCoCo converters, coverlet and others write it. */
export const readCobertura: CheckReader = (input) => {
  const visitor = new CoberturaVisitor(input)
  walkReport(input.bytes, visitor)
  return { results: [], coverage: visitor.builder.finish() }
}
