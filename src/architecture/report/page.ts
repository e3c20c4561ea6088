import { maskAll } from '../../kernel/text/secrets.ts'
import type { Architecture } from '../architecture.ts'
import { fitGraph } from '../mermaid.ts'
import { type Deployable, serviceOf, servicesOf } from '../services/service-draft.ts'
import { systemGraph } from '../system-graph.ts'
import {
  entryRows,
  libraryBlocks,
  nothingFound,
  type ReportFacts,
  serviceTables,
  shownPlace,
  suggestionSection,
  summarySection,
  tableOf,
  titleSection,
} from './content.ts'
import type { Block, ReportLanguage, ReportModel, Section } from './model.ts'
import { REPORT_STRINGS, type ReportStrings } from './strings.ts'

/** A page with more sections than this is not read. The tables name all services. */
const MAX_SERVICES = 60

/** Endpoints, outgoing connections and types of one service; of no service when it is undefined. */
const partsOf = (found: Architecture, service: Deployable | undefined) => {
  const { system, connections, graph } = found
  const isOwn = (file: string) => serviceOf(file, system.services) === service
  const nodes = graph.nodes.filter(({ source }) => isOwn(source.file))
  const ids = new Set(nodes.map(({ id }) => id))
  return {
    inbound: connections.inbound.filter(({ served_by, source_file }) => isOwn(served_by ?? source_file)),
    outbound: connections.outbound.filter(({ source_file }) => {
      const users = servicesOf(source_file, system.services)
      return service === undefined ? users.length === 0 : users.includes(service)
    }),
    graph: {
      nodes,
      edges: graph.edges.filter(({ from, to }) => ids.has(from) && ids.has(to)),
      renamed: graph.renamed,
    },
  }
}

const partBlocks = (
  found: Architecture,
  service: Deployable | undefined,
  strings: ReportStrings,
): readonly Block[] => {
  const { inbound, outbound, graph } = partsOf(found, service)
  const empty = nothingFound(found.coverage, strings)
  const calls = outbound.map((one) => [
    one.target_service,
    one.protocol,
    one.type,
    one.path ?? '',
    `${one.source_file}:${one.line}`,
  ])
  return [
    ...tableOf(strings.entries, strings.entryHead, entryRows(inbound), strings, empty),
    ...tableOf(strings.outgoing, strings.outgoingHead, calls, strings, empty),
    ...(graph.nodes.length === 0
      ? []
      : [
          { kind: 'heading' as const, text: strings.types },
          { kind: 'diagram' as const, drawing: fitGraph(graph) },
        ]),
  ]
}

const serviceSection = (
  found: Architecture,
  service: Deployable,
  id: string,
  strings: ReportStrings,
): Section => {
  const { nodes, relations } = found.system
  const named = new Map(nodes.map((node) => [node.id, node]))
  const own = `service:${service.name}`
  const rows = relations
    .filter(({ from, to }) => from === own || to === own)
    .map(({ kind, from, to, protocol, about, sources: [source] }) => {
      const other = named.get(from === own ? to : from)
      const [calls, calledBy] =
        kind === 'depends_on'
          ? [strings.startsAfter, strings.startsBefore]
          : [strings.calls, strings.calledBy]
      return [
        from === own ? calls : calledBy,
        other?.name ?? '',
        strings.systemKinds[other?.kind ?? 'outside'],
        kind === 'depends_on' ? '' : protocol,
        about.join(', '),
        source === undefined ? '' : shownPlace(source),
      ]
    })
  return {
    id,
    title: service.name,
    blocks: [
      {
        kind: 'bullets',
        items: [
          [`${strings.serviceHead[1]}: ${strings.serviceKinds[service.kind]}`],
          ...(service.folder === undefined
            ? []
            : [[`${strings.serviceHead[2]}: `, { code: service.folder === '' ? '.' : service.folder }]]),
          ...service.shownBy.map((one) => [
            `${strings.serviceHead[3]}: ${one.reason} `,
            { code: shownPlace(one) },
          ]),
        ],
      },
      ...tableOf(
        strings.neighbours,
        strings.neighbourHead,
        rows,
        strings,
        nothingFound(found.coverage, strings),
      ),
      ...partBlocks(found, service, strings),
    ],
  }
}

/** The report as a page: services first, each with a section of its own, then what belongs to none. */
export const composePage = (found: Architecture, facts: ReportFacts, lang: ReportLanguage): ReportModel => {
  const strings = REPORT_STRINGS[lang]
  const { services } = found.system
  const shown = services.slice(0, MAX_SERVICES)
  const ids = new Map(shown.map(({ name }, at) => [`service:${name}`, `service-${at + 1}`]))
  const { graph, idOf } = systemGraph(found.system)
  const links = Object.fromEntries([...ids].map(([node, id]) => [idOf.get(node) ?? '', id]))
  const rest = partsOf(found, undefined)
  const hasRest = rest.inbound.length + rest.outbound.length + rest.graph.nodes.length > 0
  return maskAll({
    lang,
    sections: [
      titleSection(found, facts, strings),
      { id: 'summary', ...summarySection(found, strings) },
      {
        id: 'system',
        title: strings.system,
        blocks: [
          ...(graph.nodes.length === 0
            ? []
            : [{ kind: 'diagram' as const, drawing: fitGraph(graph), links }]),
          ...serviceTables(found, strings),
        ],
      },
      ...shown.map((service) =>
        serviceSection(found, service, ids.get(`service:${service.name}`) ?? '', strings),
      ),
      ...(hasRest || services.length === 0
        ? [{ id: 'rest', title: strings.outsideServices, blocks: partBlocks(found, undefined, strings) }]
        : []),
      { id: 'libraries', title: strings.libraries, blocks: libraryBlocks(found, strings).slice(1) },
      { id: 'suggestions', ...suggestionSection(found, strings) },
    ],
  })
}
