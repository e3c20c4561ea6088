import { pushTo } from '../../kernel/multimap.ts'
import type { ArchitectureGraph, GraphEdge, GraphNode } from '../architecture/graph.ts'

export interface Box {
  readonly node: GraphNode
  readonly x: number
  readonly y: number
}

interface Layout {
  readonly boxes: readonly Box[]
  readonly edges: readonly { readonly edge: GraphEdge; readonly from: Box; readonly to: Box }[]
  readonly width: number
  readonly height: number
}

export const BOX = { width: 168, height: 38 }
const GAP = { x: 28, y: 84 }
const MARGIN = 24
/** Wider rows are split, so that the page scrolls down and not sideways. */
const MAX_ROW = 7
/** Every other row is shifted by half a slot, so that edges that skip a row pass between its boxes. */
const SLOT = BOX.width + GAP.x
const SWEEPS = 4

const LEVELS: Readonly<Record<GraphNode['kind'], number>> = { APP: 0, CTRL: 1, SVC: 2, REP: 3, EXT: 4 }

/** One level for each kind; external nodes without incoming edges (a topic that is consumed) are on top. */
const levelOf = (node: GraphNode, edges: readonly GraphEdge[]): number => {
  if (node.kind !== 'EXT') return LEVELS[node.kind]
  return edges.some(({ to }) => to === node.id) || !edges.some(({ from }) => from === node.id)
    ? LEVELS.EXT
    : 0
}

const splitRow = (row: readonly GraphNode[]): readonly (readonly GraphNode[])[] => {
  const parts = Math.ceil(row.length / MAX_ROW)
  const size = Math.ceil(row.length / parts)
  return Array.from({ length: parts }, (_, at) => row.slice(at * size, (at + 1) * size))
}

const rowsOf = ({ nodes, edges }: ArchitectureGraph): readonly (readonly GraphNode[])[] => {
  const levels = [...Object.values(LEVELS)].map((level) =>
    nodes.filter((node) => levelOf(node, edges) === level),
  )
  return levels
    .filter((row) => row.length > 0)
    .flatMap((row) => (row.length <= MAX_ROW ? [row] : splitRow(row)))
}

const neighboursOf = (edges: readonly GraphEdge[]): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, string[]>()
  for (const { from, to } of edges)
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      pushTo(found, one, other)
    }
  return found
}

/** Barycenter heuristic: sorts each row by the mean position of the neighbours, to reduce crossing edges. */
const reduceCrossings = (
  rows: readonly (readonly GraphNode[])[],
  edges: readonly GraphEdge[],
): readonly (readonly GraphNode[])[] => {
  const neighbours = neighboursOf(edges)
  const positions = new Map<string, number>()
  const storePositions = (row: readonly GraphNode[]) => {
    for (const [at, { id }] of row.entries()) positions.set(id, (at + 0.5) / row.length)
  }
  const middle = (node: GraphNode): number => {
    const near = (neighbours.get(node.id) ?? []).flatMap((id) => positions.get(id) ?? [])
    return near.length === 0
      ? (positions.get(node.id) ?? 0.5)
      : near.reduce((sum, one) => sum + one, 0) / near.length
  }
  let current = rows
  for (const row of current) storePositions(row)
  for (let sweep = 0; sweep < SWEEPS; sweep += 1) {
    current = current.map((row) => {
      const sorted = row
        .map((node, at) => ({ node, at, middle: middle(node) }))
        .sort((a, b) => a.middle - b.middle || a.at - b.at)
      const next = sorted.map(({ node }) => node)
      storePositions(next)
      return next
    })
  }
  return current
}

/** Positions of boxes and edges. Deterministic: the same graph gives the same layout. */
export const layOut = (graph: ArchitectureGraph): Layout => {
  const rows = reduceCrossings(rowsOf(graph), graph.edges)
  const widest = Math.max(1, ...rows.map((row) => row.length))
  const rowWidth = (count: number) => count * BOX.width + (count - 1) * GAP.x
  const width = rowWidth(widest) + SLOT / 2 + 2 * MARGIN
  const boxes = rows.flatMap((row, level) => {
    const middle = (width - rowWidth(row.length)) / 2
    const left = MARGIN + Math.floor((middle - MARGIN) / SLOT) * SLOT + (level % 2) * (SLOT / 2)
    return row.map((node, at) => ({
      node,
      x: Math.round(left + at * (BOX.width + GAP.x)),
      y: MARGIN + level * (BOX.height + GAP.y),
    }))
  })
  const byId = new Map(boxes.map((box) => [box.node.id, box]))
  const edges = graph.edges.flatMap((edge) => {
    const [from, to] = [byId.get(edge.from), byId.get(edge.to)]
    return from === undefined || to === undefined ? [] : [{ edge, from, to }]
  })
  return { boxes, edges, width, height: rows.length * (BOX.height + GAP.y) - GAP.y + 2 * MARGIN }
}
