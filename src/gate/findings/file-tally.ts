import { extensionOf, grammarForExtension } from '../../kernel/text/languages.ts'
import type { ChangeSet, FileContent, FileReading, ScanReport } from '../ports.ts'
import type { ReportedFiles } from '../reports/report.ts'
import type { UnjudgedKind } from '../rules/path-kinds.ts'

export interface KindTests {
  readonly byPath: (path: string) => UnjudgedKind | undefined
  readonly byContent: (path: string, bytes: Uint8Array) => boolean
}

/** The most that waits until the base has been asked about it. */
const MAX_WAITING_BYTES = 8 * 1024 * 1024

type Contents = Pick<ChangeSet, 'source' | 'read' | 'readBefore' | 'readCommitted'>

/** Reads the files in scope, and marks those that are judged for secrets alone. */
export class FileContents {
  /** The kind of each file that rules about the program do not read. */
  readonly kinds = new Map<string, UnjudgedKind>()
  /** Files that say they are generated, which they did not at the base: they are judged as any other. */
  readonly newlyMarked: string[] = []
  readonly #set: Contents
  readonly #tests: KindTests

  constructor(set: Contents, tests: KindTests) {
    this.#set = set
    this.#tests = tests
  }

  async *read(paths: readonly string[], signal: AbortSignal): AsyncGenerator<FileReading> {
    let waiting: FileContent[] = []
    let size = 0
    for await (const reading of this.#set.read(paths, signal)) {
      const { path, bytes } = reading
      const kind = this.#tests.byPath(path)
      if (bytes === undefined) yield reading
      else if (kind !== undefined) yield this.#exempt(reading, kind)
      else if (!this.#tests.byContent(path, bytes)) yield reading
      else if (this.#set.source === 'git:repository') yield this.#exempt(reading, 'generated')
      else {
        waiting.push(reading)
        size += bytes.length
      }
      if (size < MAX_WAITING_BYTES) continue
      yield* this.#compare(waiting, signal)
      waiting = []
      size = 0
    }
    if (waiting.length > 0) yield* this.#compare(waiting, signal)
  }

  #exempt(file: FileContent, kind: UnjudgedKind): FileContent {
    this.kinds.set(file.path, kind)
    return { ...file, secretsOnly: true }
  }

  /** A new file, or one that people wrote until now, cannot take itself out by a comment. */
  async *#compare(files: readonly FileContent[], signal: AbortSignal): AsyncGenerator<FileContent> {
    const paths = files.map(({ path }) => path)
    const marked = new Set<string>()
    const set = this.#set
    const before = set.readCommitted?.(paths, signal) ?? set.readBefore(paths, signal)
    for await (const { path, bytes } of before)
      if (bytes !== undefined && this.#tests.byContent(path, bytes)) marked.add(path)
    for (const file of files) {
      if (!marked.has(file.path)) this.newlyMarked.push(file.path)
      yield marked.has(file.path) ? this.#exempt(file, 'generated') : file
    }
  }
}

/** Packs that say nothing about a language or a framework. */
const GENERAL_PACKS = new Set(['generic', 'secrets', 'config', 'agents'])
/** Languages of programs that no shipped pack is for. */
const OTHER_SOURCES = new Set(
  'rb php cs fs vb rs c h cc cpp hpp m mm scala groovy dart ex exs erl clj lua pl r jl zig nim hs ml vue svelte sol'.split(
    ' ',
  ),
)
const MAX_NAMES = 5

const isSource = (path: string): boolean => {
  const extension = extensionOf(path)
  return grammarForExtension(extension) !== undefined || OTHER_SOURCES.has(extension)
}

export const listNames = (paths: readonly string[]): string => {
  const names = paths.toSorted().slice(0, MAX_NAMES).join(', ')
  return paths.length > MAX_NAMES ? `${names} and ${paths.length - MAX_NAMES} more` : names
}

const files = (count: number): string => (count === 1 ? '1 file' : `${count} files`)

/** Counts which files were looked at by which packs, and why others were not. */
export class FileTally {
  readonly #packs = new Map<string, number>()
  readonly #skipped = { binary: 0, size: 0 }
  #scanned = 0
  #unparsed = 0
  #unreadable = 0
  /** Files of programs that no pack for a language or a framework read. */
  #unread = 0
  #read = 0

  /** `reach`: whether rules about its kind of file apply, only those about every text, or it is exempt. */
  add(report: ScanReport, reach: 'kind' | 'text' | 'exempt'): void {
    if (report.outcome === 'skipped') {
      if (report.why === undefined) return
      this.#skipped[report.why] += 1
      if (reach === 'text') this.#unreadable += 1
      return
    }
    if (report.outcome === 'unparsed') this.#unparsed += 1
    else if (reach === 'kind') this.#scanned += 1
    for (const pack of report.packs) this.#packs.set(pack, (this.#packs.get(pack) ?? 0) + 1)
    if (report.outcome === 'unparsed' || !isSource(report.path)) return
    if (report.packs.every((pack) => GENERAL_PACKS.has(pack))) this.#unread += 1
    else this.#read += 1
  }

  count({ kinds }: FileContents, changed: number, unmatched: number): ReportedFiles {
    const { binary, size } = this.#skipped
    const ofKind = (kind: string) => [...kinds.values()].filter((one) => one === kind).length
    const skipped = {
      binary,
      generated: ofKind('generated'),
      vendored: ofKind('vendored'),
      too_large: size,
      ...(this.#unparsed > 0 && { no_grammar: this.#unparsed }),
    }
    const packs = Object.fromEntries([...this.#packs].sort(([a], [b]) => (a < b ? -1 : 1)))
    return { changed, scanned: this.#scanned, unmatched: unmatched - this.#unreadable, packs, skipped }
  }

  /** What a reader must know about the files that rules did not read. */
  notes({ kinds, newlyMarked }: FileContents, { changes, source }: ChangeSet): string[] {
    const isChange = source !== 'git:repository'
    const added = changes.filter(({ path, change }) => isChange && change === 'added' && kinds.has(path))
    const names = added.map(({ path }) => path)
    return [
      ...(names.length === 0
        ? []
        : [
            `${files(names.length)} new in this change ${names.length === 1 ? 'counts' : 'count'} as generated or vendored, so only rules about secrets read ${names.length === 1 ? 'it' : 'them'}: ${listNames(names)}.`,
          ]),
      ...(newlyMarked.length === 0
        ? []
        : [
            `${files(newlyMarked.length)} ${newlyMarked.length === 1 ? 'claims' : 'claim'} to be generated, which the base does not show, and ${newlyMarked.length === 1 ? 'was' : 'were'} judged all the same: ${listNames(newlyMarked)}.`,
          ]),
      ...(this.#unread === 0 || this.#read > 0
        ? []
        : [
            `No rules for a language or framework apply to ${files(this.#unread)} of source code: only general rules read ${this.#unread === 1 ? 'it' : 'them'}. Add rules of your own in .warrant/rules.`,
          ]),
    ]
  }
}
