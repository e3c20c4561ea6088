import * as z from 'zod'
import { optional } from '../../kernel/optional.ts'
import type { Architecture } from '../architecture.ts'
import { serviceOf } from '../services/service-draft.ts'

/**
 * Services, relations and endpoints with ids that do not change with line numbers or the order of files: what
 * `warrant report --json` prints and `--diff` compares.
 */

const Identified = { id: z.string() }

const SystemDescription = z.object({
  nodes: z.array(
    z.looseObject({ ...Identified, kind: z.string(), name: z.string(), technology: z.string() }),
  ),
  relations: z.array(
    z.looseObject({
      ...Identified,
      from: z.string(),
      to: z.string(),
      protocol: z.string(),
      about: z.array(z.string()).optional(),
    }),
  ),
  endpoints: z.array(
    z.looseObject({ ...Identified, service: z.string(), protocol: z.string(), endpoint: z.string() }),
  ),
})
type SystemDescription = z.infer<typeof SystemDescription>

const EarlierReport = z.object({ system: SystemDescription })

/** The description in the output of `warrant report --json`. Throws when the text is anything else. */
export const readDescription = (text: string): SystemDescription =>
  EarlierReport.parse(JSON.parse(text)).system

const firstOfEach = <T extends { readonly id: string }>(all: readonly T[]): T[] => {
  const byId = new Map<string, T>()
  for (const one of all) if (!byId.has(one.id)) byId.set(one.id, one)
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1))
}

export const describeSystem = ({ system, connections, coverage }: Architecture) => {
  const folders = new Map(system.services.map(({ name, folder }) => [`service:${name}`, folder]))
  return {
    nodes: system.nodes.map(({ id, kind, name, technology, sources }) => {
      const folder = folders.get(id)
      return { id, kind, name, technology, ...optional({ folder }), sources }
    }),
    relations: system.relations.map((one) => ({ id: `${one.from} -> ${one.to} (${one.protocol})`, ...one })),
    endpoints: firstOfEach(
      connections.inbound.map(({ protocol, endpoint, handler, source_file, line, served_by }) => {
        const service = serviceOf(served_by ?? source_file, system.services)?.name ?? ''
        const id = `${service === '' ? '' : `${service}: `}${protocol} ${endpoint}`
        return { id, service, protocol, endpoint, handler, source_file, line }
      }),
    ),
    coverage,
  }
}

const SYSTEM_PARTS = ['nodes', 'relations', 'endpoints'] as const

interface PartDifference {
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** Topics, queues or paths that a relation of both descriptions has gained or lost. */
interface ChangedRelation extends PartDifference {
  readonly id: string
}

type SystemDifference = Readonly<Record<(typeof SYSTEM_PARTS)[number], PartDifference>> & {
  readonly changed: readonly ChangedRelation[]
}

/** Ids of one description that the other has not. */
const missingIn = (
  own: readonly { readonly id: string }[],
  other: readonly { readonly id: string }[],
): readonly string[] => {
  const known = new Set(other.map(({ id }) => id))
  return [...new Set(own.map(({ id }) => id))].filter((id) => !known.has(id)).sort()
}

const partDifference = (old: readonly string[], now: readonly string[]): PartDifference => ({
  added: now.filter((one) => !old.includes(one)),
  removed: old.filter((one) => !now.includes(one)),
})

const changedRelations = (old: SystemDescription, now: SystemDescription): readonly ChangedRelation[] => {
  const before = new Map(old.relations.map(({ id, about }) => [id, about]))
  return now.relations.flatMap(({ id, about = [] }) => {
    const { added, removed } = partDifference(before.get(id) ?? about, about)
    return added.length + removed.length === 0 ? [] : [{ id, added, removed }]
  })
}

/** What was added, removed and changed between two descriptions, by id. */
export const compareSystems = (old: SystemDescription, now: SystemDescription): SystemDifference => {
  const part = (name: (typeof SYSTEM_PARTS)[number]): PartDifference => ({
    added: missingIn(now[name], old[name]),
    removed: missingIn(old[name], now[name]),
  })
  return {
    nodes: part('nodes'),
    relations: part('relations'),
    endpoints: part('endpoints'),
    changed: changedRelations(old, now),
  }
}

const PART_TITLES: Readonly<Record<(typeof SYSTEM_PARTS)[number], string>> = {
  nodes: 'Services, stores, brokers and outside systems',
  relations: 'Relations',
  endpoints: 'Endpoints',
}

const withoutBreaks = (text: string): string => text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ')

const signedLines = ({ added, removed }: PartDifference, indent: string): readonly string[] => [
  ...removed.map((one) => `${indent}- ${withoutBreaks(one)}`),
  ...added.map((one) => `${indent}+ ${withoutBreaks(one)}`),
]

/** The difference as lines, with `+` and `-`. */
export const renderDifference = (found: SystemDifference): string => {
  const lines = SYSTEM_PARTS.flatMap((name) => {
    const { added, removed } = found[name]
    if (added.length + removed.length === 0) return []
    return [
      `${PART_TITLES[name]}: ${added.length} added, ${removed.length} removed`,
      ...signedLines(found[name], '  '),
    ]
  })
  if (found.changed.length > 0) {
    lines.push(`Relations with other topics or paths: ${found.changed.length}`)
    for (const one of found.changed) lines.push(`  ${withoutBreaks(one.id)}`, ...signedLines(one, '    '))
  }
  return lines.length === 0 ? 'No service, relation or endpoint was added or removed.' : lines.join('\n')
}
