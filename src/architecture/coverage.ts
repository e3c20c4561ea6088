import type { LibraryUses } from './frameworks/used-libraries.ts'
import { isRelevantFile, SKIP_REASONS, type SkipReason } from './project-reader.ts'
import { languageOfFile } from './source/file-languages.ts'
import { inOrder, type Survey } from './source/source-files.ts'

interface LanguageCoverage {
  readonly language: string
  readonly files: number
  readonly read: number
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>
}

/** What an analysis has looked at, and what it has not: "none found" is true only of files that were read. */
export interface AnalysisCoverage {
  /** Languages with a reader, most files first. */
  readonly languages: readonly LanguageCoverage[]
  /** Languages without a reader: their files were counted, not looked at. */
  readonly unread: readonly { readonly language: string; readonly files: number }[]
  readonly libraries: LibraryUses
  /** Limits that were reached. */
  readonly limits: readonly string[]
}

const mostFirst = <T extends { readonly files: number; readonly language: string }>(a: T, b: T): number =>
  b.files - a.files || inOrder(a.language, b.language)

/** The languages of files that the analysis reads. Declarations of types (`.d.ts`) are of a language that is read. */
const hasReader = (path: string): boolean => isRelevantFile(`x${path.slice(path.lastIndexOf('.'))}`)

export const coverageOf = (
  { files, warnings }: Survey,
  skipped: ReadonlyMap<string, SkipReason>,
  libraries: LibraryUses,
): AnalysisCoverage => {
  const read = new Map<string, { files: number; read: number; reasons: Map<SkipReason, number> }>()
  const unread = new Map<string, number>()
  for (const { path } of files) {
    const language = languageOfFile(path)
    if (language === undefined) continue
    if (!hasReader(path)) {
      unread.set(language, (unread.get(language) ?? 0) + 1)
      continue
    }
    const own = read.get(language) ?? { files: 0, read: 0, reasons: new Map() }
    read.set(language, own)
    own.files += 1
    // Declarations of types and compressed scripts have no reader although their language has one.
    const reason = skipped.get(path) ?? (isRelevantFile(path) ? undefined : 'generated')
    if (reason === undefined) own.read += 1
    else own.reasons.set(reason, (own.reasons.get(reason) ?? 0) + 1)
  }
  return {
    languages: [...read]
      .map(([language, { reasons, ...counts }]) => ({
        language,
        ...counts,
        skipped: Object.fromEntries(
          SKIP_REASONS.flatMap((reason) => {
            const count = reasons.get(reason)
            return count === undefined ? [] : [[reason, count]]
          }),
        ),
      }))
      .sort(mostFirst),
    unread: [...unread].map(([language, count]) => ({ language, files: count })).sort(mostFirst),
    libraries,
    limits: warnings.map(({ message }) => message),
  }
}
