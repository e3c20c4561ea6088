import { isRecord } from '../kernel/encoding/json.ts'
import { readEntry, readPayload, readRows } from './read-rows.ts'
import type { LogReader, LogStore, Row } from './store.ts'

/** The head of a graph, as an entry of the log of decisions holds it. */
interface Anchor {
  readonly graph: string
  readonly size: number
  readonly head: string
}

const readAnchor = (value: unknown): Anchor[] => {
  if (!isRecord(value)) return []
  const { graph, size, head } = value
  return typeof graph === 'string' && typeof size === 'number' && typeof head === 'string'
    ? [{ graph, size, head }]
    : []
}

/** The heads that an entry of the log of decisions anchors. */
const anchorsOf = (row: Row): readonly Anchor[] => {
  const { graphs } = readPayload(row)
  return Array.isArray(graphs) ? graphs.flatMap(readAnchor) : []
}

/** Whether the log of a graph still has everything that was anchored of it. */
interface AnchoredGraph {
  readonly graph: string
  /** How many states of it were anchored, and the size of the newest. */
  readonly anchors: number
  readonly newest: number
  readonly outcome: 'grown' | 'cut' | 'rewritten' | 'gone'
  /** The entry of the log of decisions that the graph contradicts. */
  readonly entry?: number
}

type States = Map<number, { readonly head: string; readonly entry: number }>

const checkGraph = async (
  graph: string,
  states: States,
  log: LogReader | undefined,
): Promise<AnchoredGraph> => {
  const newest = Math.max(...states.keys())
  const found = { graph, anchors: states.size, newest }
  const has = (await log?.head())?.size ?? 0
  for (const [size, { head, entry }] of states) {
    if (log === undefined) return { ...found, outcome: 'gone', entry }
    if (size > has) return { ...found, outcome: 'cut', entry }
    const [row] = await log.read(size - 1, 1)
    if (row === undefined || readEntry(row).checksum !== head)
      return { ...found, outcome: 'rewritten', entry }
  }
  return { ...found, outcome: 'grown' }
}

/** Compares what the log of decisions anchored of graphs with the logs of these; of all, or of one. */
export const checkAnchors = async (
  decisions: LogReader,
  store: Pick<LogStore, 'find'>,
  only?: string,
): Promise<readonly AnchoredGraph[]> => {
  const graphs = new Map<string, States>()
  const contradicted = new Map<string, number>()
  for await (const row of readRows(decisions))
    for (const { graph, size, head } of anchorsOf(row)) {
      if (only !== undefined && graph !== only) continue
      const states = graphs.get(graph) ?? new Map()
      graphs.set(graph, states)
      const known = states.get(size)
      if (known === undefined) states.set(size, { head, entry: row.seq })
      else if (known.head !== head && !contradicted.has(graph)) contradicted.set(graph, row.seq)
    }
  const results: AnchoredGraph[] = []
  for (const [graph, states] of graphs) {
    const result = await checkGraph(graph, states, await store.find(graph))
    const entry = contradicted.get(graph)
    results.push(
      entry === undefined || result.outcome !== 'grown' ? result : { ...result, outcome: 'rewritten', entry },
    )
  }
  return results
}

const RECENT_ROWS = 64

/** The heads that were anchored last, as far as a recent entry has any. */
export const newestAnchors = async (decisions: LogReader): Promise<readonly Anchor[]> => {
  const { size } = await decisions.head()
  const from = Math.max(0, size - RECENT_ROWS)
  const rows = await decisions.read(from, size - from)
  return (
    rows
      .toReversed()
      .map(anchorsOf)
      .find((anchors) => anchors.length > 0) ?? []
  )
}
