import { createHash } from 'node:crypto'
import { nextTurn } from '../../kernel/async/cooperative.ts'
import { genesisChecksum } from '../../lineage/chain.ts'
import { readEntry } from '../../lineage/read-rows.ts'
import type { Entry, Row } from '../../lineage/store.ts'
import { beliefFaults } from '../faults.ts'
import { Graph, type GraphConfig } from '../graph/graph.ts'
import type { RevealedExplainResult, SchemaOutput } from '../schemas.ts'
import { GraphState } from './graph-state.ts'

const MAX_HISTORY = 100

type History = SchemaOutput<typeof RevealedExplainResult>['history'][number]

/**
 * Replays the log and collects what moved a node. The step of a tick is divided among the sources in proportion to
 * their pull at the start of the tick.
 */
export const explainNode = async (
  config: GraphConfig,
  rows: AsyncIterable<Row>,
  node: number,
): Promise<SchemaOutput<typeof RevealedExplainResult>> => {
  const state = new GraphState(new Graph(config))
  const moved = new Map<number, { moved: number; ticks: number }>()
  const history: History[] = []
  let changes = 0
  let raised = 0
  let lowered = 0
  const beliefNow = (): number | undefined =>
    node < state.graph.nodeCount ? state.graph.node(node).belief : undefined

  for await (const row of rows) {
    const entry = readEntry(row)
    const before = beliefNow()
    const pulls =
      before !== undefined && entry.operation === 'edge.propagate' ? state.graph.incoming(node) : []
    if (row.payload === null) throw beliefFaults.history_erased(`entry ${row.seq} was erased`)
    state.replay(entry, row.payload)
    const after = beliefNow()
    if (after === undefined || after === before) continue
    const change = after - (before ?? 0)
    const { seq, operation, timestamp } = entry
    history.push({ seq, operation, change, timestamp })
    changes += 1
    if (history.length > MAX_HISTORY) history.shift()
    const whole = pulls.reduce((sum, { pull }) => sum + pull, 0)
    for (const { src, pull } of pulls) {
      if (pull === 0 || whole === 0) continue
      const share = change * (pull / whole)
      if (share > 0) raised += share
      else lowered += share
      const known = moved.get(src) ?? { moved: 0, ticks: 0 }
      moved.set(src, { moved: known.moved + share, ticks: known.ticks + 1 })
    }
  }
  return {
    node_id: node,
    belief: beliefNow() ?? 0,
    raised,
    lowered,
    influences: [...moved]
      .map(([source, { moved: by, ticks }]) => ({ source, moved: by, ticks }))
      .sort((a, b) => Math.abs(b.moved) - Math.abs(a.moved) || a.source - b.source),
    history,
    truncated: changes > history.length,
  }
}

export interface ExportFile {
  readonly count: number
  /** Checksum of the newest entry. */
  readonly head: string
  /** JSON, indented by two spaces. */
  readonly content: Buffer
  /** SHA-256 of the content. */
  readonly checksum: string
}

/** Characters that are encoded and hashed at once. */
const PART_CHARACTERS = 1024 * 1024

/** Writes entries as a JSON array, one by one: the event loop has turns in between. */
export const collectExport = async (genesis: string, entries: AsyncIterable<Entry>): Promise<ExportFile> => {
  const parts: Buffer[] = []
  let part = '['
  let count = 0
  let head = genesisChecksum(genesis)
  for await (const entry of entries) {
    part += `${count === 0 ? '' : ','}\n  ${JSON.stringify(entry, null, 2).replaceAll('\n', '\n  ')}`
    count += 1
    head = entry.checksum
    if (part.length < PART_CHARACTERS) continue
    parts.push(Buffer.from(part))
    part = ''
  }
  parts.push(Buffer.from(`${part}${count === 0 ? '' : '\n'}]\n`))
  const hash = createHash('sha256')
  for (const one of parts) {
    hash.update(one)
    await nextTurn()
  }
  return { count, head, content: Buffer.concat(parts), checksum: hash.digest('hex') }
}
