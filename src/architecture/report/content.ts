import { maskAll } from '../../kernel/text/secrets.ts'
import type { Architecture } from '../architecture.ts'
import type { Inbound, Outbound } from '../connections/framework.ts'
import type { AnalysisCoverage } from '../coverage.ts'
import type { LibraryUse } from '../frameworks/used-libraries.ts'
import type { SourceLocation } from '../graph.ts'
import { fitGraph, shortLabel } from '../mermaid.ts'
import { SKIP_REASONS } from '../project-reader.ts'
import { inOrder } from '../source/source-files.ts'
import { GROUPS, type Suggestion } from '../suggestion.ts'
import { systemGraph } from '../system-graph.ts'
import type { Block, Inline, ReportLanguage, ReportModel, Section } from './model.ts'
import { format, placeName, REPORT_STRINGS, type ReportStrings, RULE_IMPACTS } from './strings.ts'
import { reportSummary } from './summary.ts'

const MAX_NAMES = 30

const LANGUAGE_NAMES: Readonly<Record<LibraryUse['language'], string>> = {
  java: 'Java',
  kotlin: 'Kotlin',
  script: 'JavaScript',
  python: 'Python',
  go: 'Go',
}

const joinLimited = (all: readonly string[]): string =>
  all.slice(0, MAX_NAMES).join(', ') + (all.length > MAX_NAMES ? `, … (${all.length})` : '')

const unreadLanguages = ({ unread }: AnalysisCoverage, strings: ReportStrings): string =>
  joinLimited(
    unread.map(({ language, files }) =>
      format(files === 1 ? strings.inFile : strings.inFiles, { name: language, n: files }),
    ),
  )

const libraryList = (uses: readonly LibraryUse[], strings: ReportStrings): string =>
  joinLimited(
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

export interface ReportFacts {
  /** RFC 3339. */
  readonly at: string
  /** The folder that the report is about. */
  readonly root: string
  /** Version of this program. */
  readonly version: string
  /** The main build file and its digest. */
  readonly build?: { readonly file: string; readonly sha256: string }
}

const MAX_ROWS = 200
const MAX_ITEMS = 20
const MAX_EVIDENCE = 3

export const titleSection = (
  { coverage }: Architecture,
  facts: ReportFacts,
  strings: ReportStrings,
): Section => ({
  title: 'Sentinel Architecture Report',
  blocks: [
    {
      kind: 'bullets',
      items: [
        [`${strings.generated}: `, { code: facts.at }],
        [`${strings.root}: `, { code: facts.root }],
        [`${strings.version}: `, { code: facts.version }],
        ...(facts.build === undefined
          ? []
          : [[`${format(strings.hash, { file: facts.build.file })}: `, { code: facts.build.sha256 }]]),
      ],
    },
    ...coverageBlocks(coverage, strings),
  ],
})

/** A table of at most `MAX_ROWS` rows, and the number of the others. */
export const tableOf = (
  title: string,
  head: readonly string[],
  rows: readonly (readonly string[])[],
  strings: ReportStrings,
  empty = strings.none,
): readonly Block[] => [
  { kind: 'heading', text: title },
  { kind: 'table', head, rows: rows.slice(0, MAX_ROWS) },
  ...(rows.length === 0 ? [{ kind: 'text' as const, text: [empty] }] : []),
  ...(rows.length > MAX_ROWS
    ? [{ kind: 'text' as const, text: [format(strings.more, { n: rows.length - MAX_ROWS })] }]
    : []),
]

const distinctRows = (rows: readonly (readonly string[])[]): readonly (readonly string[])[] => [
  ...new Map(rows.map((row) => [row.join('\0'), row])).values(),
]

/** The callers of a target. For a declared client, the types into which it is injected. */
const sourcesOf = ({ consumers, caller, source_file }: Outbound): readonly string[] =>
  consumers ?? [caller === '' ? source_file : caller]

export const shownPlace = ({ file, line }: SourceLocation): string => `${file}:${line}`

export const serviceTables = (
  { system, coverage }: Architecture,
  strings: ReportStrings,
): readonly Block[] => {
  const empty = nothingFound(coverage, strings)
  const { services, nodes, relations } = system
  const kinds = new Map(nodes.map(({ id, kind, name }) => [id, { kind, name }]))
  const rows = services.map(({ name, kind, folder, shownBy }) => [
    name,
    strings.serviceKinds[kind],
    folder === '' ? '.' : (folder ?? ''),
    shownBy
      .slice(0, MAX_EVIDENCE)
      .map((one) => `${one.reason} (${shownPlace(one)})`)
      .join('; '),
  ])
  const related = relations.map(({ from, to, protocol, about, sources: [source] }) => {
    // A message that a service receives comes from a broker: the kind is that of the other side.
    const other = kinds.get(to)?.kind === 'service' ? kinds.get(from) : kinds.get(to)
    return [
      kinds.get(from)?.name ?? from,
      kinds.get(to)?.name ?? to,
      strings.systemKinds[other?.kind ?? 'outside'],
      protocol,
      about.join(', '),
      source === undefined ? '' : shownPlace(source),
    ]
  })
  return [
    ...tableOf(strings.services, strings.serviceHead, rows, strings, empty),
    ...tableOf(strings.systemRelations, strings.systemHead, related, strings, empty),
  ]
}

export const libraryBlocks = ({ structure }: Architecture, strings: ReportStrings): readonly Block[] => {
  const rows = structure.dependencies.map((one) => [
    one.module,
    one.groupId,
    one.artifactId,
    one.version ?? '',
  ])
  return tableOf(strings.libraries, strings.libraryHead, distinctRows(rows), strings)
}

export const summarySection = (found: Architecture, strings: ReportStrings): Section => ({
  title: strings.summary,
  blocks: [{ kind: 'bullets', items: reportSummary(found, strings).map((line) => [line]) }],
})

export const entryRows = (inbound: readonly Inbound[]): readonly (readonly string[])[] =>
  inbound.map((one) => [one.protocol, one.endpoint, one.handler, `${one.source_file}:${one.line}`])

const dependencySection = (found: Architecture, strings: ReportStrings): Section => {
  const { connections } = found
  const relations = connections.outbound.flatMap((one) =>
    sourcesOf(one).map((source) => [source, one.protocol, one.target_service, one.type]),
  )
  const empty = nothingFound(found.coverage, strings)
  const byText = (a: readonly string[], b: readonly string[]) => inOrder(a.join('\0'), b.join('\0'))
  return {
    title: strings.dependencies,
    blocks: [
      ...serviceTables(found, strings),
      ...tableOf(
        strings.relations,
        strings.relationHead,
        [...distinctRows(relations)].sort(byText),
        strings,
        empty,
      ),
      ...tableOf(strings.entries, strings.entryHead, entryRows(connections.inbound), strings, empty),
      ...libraryBlocks(found, strings),
    ],
  }
}

const diagramSection = ({ graph, system }: Architecture, strings: ReportStrings): Section => {
  const drawing = fitGraph(graph)
  const { cut } = drawing
  // One service without others is described by its types, unless none of them has a role.
  const showsSystem = system.services.length > 1 || (graph.nodes.length === 0 && system.nodes.length > 0)
  const showsTypes = graph.nodes.length > 0 || !showsSystem
  const aliased = drawing.graph.nodes.filter(({ name }) => shortLabel(name) !== name)
  const legend = aliased.map(({ id, name, source }) => [id, name, `${source.file}:${source.line}`])
  return {
    title: strings.diagram,
    blocks: [
      ...(showsSystem
        ? [
            ...(showsTypes ? [{ kind: 'heading' as const, text: strings.system }] : []),
            { kind: 'diagram' as const, drawing: fitGraph(systemGraph(system).graph) },
            ...(showsTypes ? [{ kind: 'heading' as const, text: strings.types }] : []),
          ]
        : []),
      ...(showsTypes ? [{ kind: 'diagram' as const, drawing }] : []),
      ...(cut.nodes + cut.edges > 0
        ? [{ kind: 'text' as const, text: [format(strings.cutDiagram, cut)] }]
        : []),
      ...(legend.length > 0 ? tableOf(strings.legend, strings.legendHead, legend, strings) : []),
    ],
  }
}

const suggestionItem = (
  { rule, severity, subject, file, line, value }: Suggestion,
  strings: ReportStrings,
): readonly Inline[] => {
  const sentences = strings.rules[rule]
  const impacts = (RULE_IMPACTS[rule] ?? []).map((one) => strings.impacts[one]).join(', ')
  return [
    { severity },
    ' ',
    { code: placeName(subject, strings) },
    ` (${file}:${line}, ${strings.rule} `,
    { code: rule },
    `): ${format(sentences?.fact ?? rule, { value })}. ${sentences?.advice ?? ''} ${strings.impact}: ${impacts}.`,
  ]
}

export const suggestionSection = ({ suggestions }: Architecture, strings: ReportStrings): Section => ({
  title: strings.suggestions,
  blocks: GROUPS.flatMap((group): readonly Block[] => {
    const own = suggestions.filter((one) => one.group === group)
    const more = own.length - MAX_ITEMS
    return [
      { kind: 'heading', text: strings[group] },
      own.length === 0
        ? { kind: 'text', text: [strings.none] }
        : { kind: 'bullets', items: own.slice(0, MAX_ITEMS).map((one) => suggestionItem(one, strings)) },
      ...(more > 0 ? [{ kind: 'text' as const, text: [format(strings.more, { n: more })] }] : []),
    ]
  }),
})

/** The report: five sections, always in this order. Credentials are masked. */
export const composeReport = (found: Architecture, facts: ReportFacts, lang: ReportLanguage): ReportModel => {
  const strings = REPORT_STRINGS[lang]
  return maskAll({
    lang,
    sections: [
      titleSection(found, facts, strings),
      summarySection(found, strings),
      dependencySection(found, strings),
      diagramSection(found, strings),
      suggestionSection(found, strings),
    ],
  })
}
