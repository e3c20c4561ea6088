import type { AnalysisCoverage } from '../coverage.ts'
import type { LibraryUse } from '../frameworks/used-libraries.ts'
import { SKIP_REASONS } from '../project-reader.ts'
import type { Block, Inline } from './model.ts'
import { format, type ReportStrings } from './strings.ts'

const MAX_NAMES = 30

const LANGUAGE_NAMES: Readonly<Record<LibraryUse['language'], string>> = {
  java: 'Java',
  kotlin: 'Kotlin',
  script: 'JavaScript',
  python: 'Python',
  go: 'Go',
  swift: 'Swift',
}

const joinNames = (all: readonly string[]): string =>
  all.slice(0, MAX_NAMES).join(', ') + (all.length > MAX_NAMES ? `, … (${all.length})` : '')

const unreadLanguages = ({ unread }: AnalysisCoverage, strings: ReportStrings): string =>
  joinNames(
    unread.map(({ language, files }) =>
      format(files === 1 ? strings.inFile : strings.inFiles, { name: language, n: files }),
    ),
  )

const libraryList = (uses: readonly LibraryUse[], strings: ReportStrings): string =>
  joinNames(
    uses.map(({ name, language, files }) =>
      format(files === 1 ? strings.usedInFile : strings.usedInFiles, {
        name,
        language: LANGUAGE_NAMES[language],
        n: files,
      }),
    ),
  )

/** What the analysis looked at and what it did not: the first part of every report. */
export const coverageBlocks = (coverage: AnalysisCoverage, strings: ReportStrings): readonly Block[] => {
  const rows = coverage.languages.map(({ language, files, read, skipped }) => [
    language,
    String(files),
    String(read),
    SKIP_REASONS.flatMap((reason) => {
      const n = skipped[reason]
      return n === undefined ? [] : [format(strings.skipReasons[reason], { n })]
    }).join(', '),
  ])
  const { recognized, unrecognized } = coverage.libraries
  const lines: readonly (readonly [string, string])[] = [
    [strings.unreadLine, unreadLanguages(coverage, strings)],
    [strings.recognizedLine, libraryList(recognized, strings)],
    [strings.unrecognizedLine, libraryList(unrecognized, strings)],
  ]
  const items: readonly (readonly Inline[])[] = [
    ...lines.flatMap(([line, list]) => (list === '' ? [] : [[format(line, { list })]])),
    ...coverage.limits.map((message) => [format(strings.limitLine, { message })]),
  ]
  return [
    { kind: 'label', text: strings.lookedAt },
    ...(rows.length === 0
      ? [{ kind: 'text' as const, text: [strings.nothingRead] }]
      : [{ kind: 'table' as const, head: strings.coverageHead, rows }]),
    ...(items.length === 0 ? [] : [{ kind: 'bullets' as const, items }]),
  ]
}

const NO_CODE = new Set(['Configuration', 'Protobuf'])

/** The sentence in the place of an empty table: what was read without a result, and what was not read. */
export const nothingFound = (coverage: AnalysisCoverage, strings: ReportStrings): string => {
  const n = coverage.languages
    .filter(({ language }) => !NO_CODE.has(language))
    .reduce((sum, { read }) => sum + read, 0)
  const list = unreadLanguages(coverage, strings)
  if (n === 0 && list === '') return strings.nothingRead
  const unread = list === '' ? [] : [format(strings.noneUnread, { list })]
  return [...(n === 0 ? [] : [format(strings.noneRead, { n })]), ...unread].join(' ')
}
