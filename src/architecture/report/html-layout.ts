import { pushTo } from '../../kernel/multimap.ts'
import type { ArchitectureGraph, GraphEdge, GraphNode } from '../graph.ts'

/** Labels of boxes: a box is as wide as its label, which has two lines when it is long. */

const LONG_LINE = 24
/** The widest characters of a 12 px font are narrower than this on average. */
const CHARACTER = 7.4
const PADDING = 28
const MIN_WIDTH = 96
/** A name from a hostile file may have any length. */
const MAX_LABEL = 96

const plainLabel = (name: string): string => {
  const bare = name
    .replace(/^(?:[a-z][a-z0-9+.-]*:)+\/\/(?:\*\*\*@)?/i, '')
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
  const label = bare.trim() || '?'
  return label.length > MAX_LABEL ? `${label.slice(0, MAX_LABEL - 1)}…` : label
}

/** The place near the middle where a label may be divided: after a separator, or before a capital letter. */
const breakAt = (label: string): number => {
  const middle = label.length / 2
  const places = [...label.matchAll(/(?<=[\s./:_-])|(?<=[a-z0-9])(?=[A-Z])/g)]
    .map(({ index }) => index)
    .filter((index) => index > 0 && index < label.length)
  return places.reduce(
    (best, one) => (Math.abs(one - middle) < Math.abs(best - middle) ? one : best),
    places[0] ?? Math.ceil(middle),
  )
}

/** One or two lines with the whole name. */
export const boxLabel = (name: string): readonly string[] => {
  const label = plainLabel(name)
  if (label.length <= LONG_LINE) return [label]
  const at = breakAt(label)
  return [label.slice(0, at).trim(), label.slice(at).trim()]
}

export const boxWidth = (name: string): number =>
  Math.max(MIN_WIDTH, Math.ceil(Math.max(...boxLabel(name).map((line) => line.length)) * CHARACTER + PADDING))

export interface Box {
  readonly node: GraphNode
  readonly lines: readonly string[]
  readonly x: number
  readonly y: number
  readonly width: number
}

export interface EdgeRoute {
  readonly edge: GraphEdge
  readonly from: Box
  readonly to: Box
  /** Where it crosses the rows between its ends: the middle of a gap between two boxes. */
  readonly crossings: readonly { readonly x: number; readonly y: number }[]
}

interface Layout {
  readonly boxes: readonly Box[]
  readonly edges: readonly EdgeRoute[]
  readonly width: number
  readonly height: number
}

export const BOX_HEIGHT = 46
const GAP = { x: 34, y: 84 }
const MARGIN = 40
/** Wider rows are split, so that the page scrolls down and not sideways. */
const MAX_WIDTH = 1_120
const SWEEPS = 4
const MAX_DEPTH = 3
/** Edges through one gap are drawn beside each other. */
const PARALLEL = { count: 5, distance: 5 }

const LEVELS: Readonly<Record<GraphNode['kind'], number>> = { APP: 0, CTRL: 1, SVC: 2, REP: 3, EXT: 4 }

/** How far each application is from those that no other application calls. */
const callDepths = ({ nodes, edges }: ArchitectureGraph): ReadonlyMap<string, number> => {
  const applications = new Set(nodes.filter(({ kind }) => kind === 'APP').map(({ id }) => id))
  const calls = edges.filter(({ from, to }) => applications.has(from) && applications.has(to) && from !== to)
  const called = new Set(calls.map(({ to }) => to))
  const depths = new Map([...applications].filter((id) => !called.has(id)).map((id) => [id, 0]))
  for (let depth = 1; depth <= MAX_DEPTH; depth += 1)
    for (const { from, to } of calls)
      if (depths.get(from) === depth - 1 && !depths.has(to)) depths.set(to, depth)
  return depths
}

/** One level for each kind; external nodes without incoming edges (a topic that is consumed) are on top. */
const layerOf = (
  node: GraphNode,
  edges: readonly GraphEdge[],
  depths: ReadonlyMap<string, number>,
): number => {
  if (node.kind === 'APP') return (depths.get(node.id) ?? 0) / (MAX_DEPTH + 1)
  if (node.kind !== 'EXT') return LEVELS[node.kind]
  return edges.some(({ to }) => to === node.id) || !edges.some(({ from }) => from === node.id)
    ? LEVELS.EXT
    : 0
}

const rowWidth = (row: readonly GraphNode[]): number =>
  row.reduce((sum, node) => sum + boxWidth(node.name), 0) + (row.length - 1) * GAP.x

const splitRow = (row: readonly GraphNode[]): readonly (readonly GraphNode[])[] => {
  const parts = Math.ceil(rowWidth(row) / MAX_WIDTH)
  const size = Math.ceil(row.length / parts)
  return Array.from({ length: parts }, (_, at) => row.slice(at * size, (at + 1) * size)).filter(
    (part) => part.length > 0,
  )
}

const rowsOf = (graph: ArchitectureGraph): readonly (readonly GraphNode[])[] => {
  const depths = callDepths(graph)
  const byLevel = new Map<number, GraphNode[]>()
  for (const node of graph.nodes) pushTo(byLevel, layerOf(node, graph.edges, depths), node)
  return [...byLevel].sort(([a], [b]) => a - b).flatMap(([, row]) => splitRow(row))
}

const neighboursOf = (edges: readonly GraphEdge[]): ReadonlyMap<string, readonly string[]> => {
  const found = new Map<string, string[]>()
  for (const { from, to } of edges) {
    pushTo(found, from, to)
    pushTo(found, to, from)
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

const placeRow = (row: readonly GraphNode[], level: number, width: number): readonly Box[] => {
  let x = Math.round((width - rowWidth(row)) / 2)
  return row.map((node) => {
    const box = {
      node,
      lines: boxLabel(node.name),
      x,
      y: MARGIN + level * (BOX_HEIGHT + GAP.y),
      width: boxWidth(node.name),
    }
    x += box.width + GAP.x
    return box
  })
}

/** The gap of a row that is nearest to `x`: between two boxes, or beside the row. */
const nearestGap = (row: readonly Box[], x: number): number => {
  const gaps = row.map((box) => box.x - GAP.x / 2)
  const last = row.at(-1)
  if (last !== undefined) gaps.push(last.x + last.width + GAP.x / 2)
  return gaps.reduce((best, gap) => (Math.abs(gap - x) < Math.abs(best - x) ? gap : best), gaps[0] ?? x)
}

/** Positions of boxes and edges. Deterministic: the same graph gives the same layout. */
export const layOutGraph = (graph: ArchitectureGraph): Layout => {
  const rows = reduceCrossings(rowsOf(graph), graph.edges)
  const width = Math.max(1, ...rows.map(rowWidth)) + 2 * MARGIN
  const placed = rows.map((row, level) => placeRow(row, level, width))
  const byId = new Map(placed.flatMap((row, level) => row.map((box) => [box.node.id, { box, level }])))
  const edges = graph.edges.flatMap((edge, at): readonly EdgeRoute[] => {
    const [from, to] = [byId.get(edge.from), byId.get(edge.to)]
    if (from === undefined || to === undefined) return []
    const step = Math.sign(to.level - from.level)
    const crossings: { x: number; y: number }[] = []
    const [x1, x2] = [from.box.x + from.box.width / 2, to.box.x + to.box.width / 2]
    const shift = ((at % PARALLEL.count) - (PARALLEL.count - 1) / 2) * PARALLEL.distance
    for (let level = from.level + step; level !== to.level && step !== 0; level += step) {
      const row = placed[level] ?? []
      const share = (level - from.level) / (to.level - from.level)
      crossings.push({ x: nearestGap(row, x1 + (x2 - x1) * share) + shift, y: row[0]?.y ?? 0 })
    }
    return [{ edge, from: from.box, to: to.box, crossings }]
  })
  return {
    boxes: placed.flat(),
    edges,
    width,
    height: rows.length * (BOX_HEIGHT + GAP.y) - GAP.y + 2 * MARGIN,
  }
}
