import { EVIDENCE_FILE } from '../../evidence/store.ts'
import type { FileKinds } from '../facts/file-kinds.ts'
import type { ChangeSet, FileReading, ScanReport } from '../ports.ts'
import type { ReportedFiles } from '../reports/report.ts'
import { isSource, type UnjudgedKind } from '../rules/path-kinds.ts'

/** Reads the files in scope, and marks those that are judged for secrets alone. */
export const fileContents = (set: Pick<ChangeSet, 'source' | 'read'>, tests: FileKinds) => {
  /** The kind of each file that rules about the program do not read. */
  const kinds = new Map<string, UnjudgedKind>()
  /** Files of a change that say they are generated: they are judged as any other. */
  const marked: string[] = []
  // The author of a change writes the first lines too.
  const counts = set.source === 'git:repository'
  async function* read(paths: readonly string[], signal: AbortSignal): AsyncGenerator<FileReading> {
    for await (const reading of set.read(paths, signal)) {
      const { path, bytes } = reading
      const named = bytes && tests.byPath(path)
      const isMarked = bytes !== undefined && named === undefined && tests.byContent(path, bytes)
      if (isMarked && !counts) marked.push(path)
      const kind = isMarked && counts ? 'generated' : named
      if (kind !== undefined) kinds.set(path, kind)
      const isWhole = bytes === undefined || (kind === undefined && path !== EVIDENCE_FILE)
      yield isWhole ? reading : { path, bytes, secretsOnly: true }
    }
  }
  return { kinds, marked, read }
}

type FileContents = ReturnType<typeof fileContents>

/** Packs that say nothing about a language or a framework. */
const GENERAL_PACKS = new Set(['generic', 'secrets', 'config', 'agents'])
const MAX_NAMES = 5

/** The first names or numbers of a sorted list, and how many more there are. */
export const listNames = (names: readonly (string | number)[]): string => {
  const rest = names.length - MAX_NAMES
  return `${names.slice(0, MAX_NAMES).join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
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
  notes({ kinds, marked }: FileContents, { changes, source }: ChangeSet): string[] {
    const isChange = source !== 'git:repository'
    const added = changes.filter(({ path, change }) => isChange && change === 'added' && kinds.has(path))
    const names = added.map(({ path }) => path)
    return [
      ...(names.length === 0
        ? []
        : [
            `${files(names.length)} new in this change ${names.length === 1 ? 'counts' : 'count'} as generated or vendored, so only rules about secrets read ${names.length === 1 ? 'it' : 'them'}: ${listNames(names.sort())}.`,
          ]),
      ...(marked.length === 0
        ? []
        : [
            `${files(marked.length)} ${marked.length === 1 ? 'claims' : 'claim'} to be generated, which does not count for a change, and ${marked.length === 1 ? 'was' : 'were'} judged all the same: ${listNames(marked.toSorted())}.`,
          ]),
      ...(this.#unread === 0 || this.#read > 0
        ? []
        : [
            `No rules for a language or framework apply to ${files(this.#unread)} of source code: only general rules read ${this.#unread === 1 ? 'it' : 'them'}. Add rules of your own in .warrant/rules.`,
          ]),
    ]
  }
}
