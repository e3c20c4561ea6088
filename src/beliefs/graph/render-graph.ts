import { escapeMarkup } from '../../kernel/text/escape-markup.ts'
import type { EdgeState } from './edges.ts'
import type { NodeState } from './nodes.ts'

export interface DrawableGraph {
  readonly nodes: readonly (NodeState & { readonly claim?: string })[]
  readonly edges: readonly EdgeState[]
}

const ellipsize = (text: string, width: number): string =>
  text.length > width ? `${text.slice(0, width - 1)}…` : text
const percent = (belief: number): string => `${Math.round(belief * 100)} %`
const label = ({ id, belief, claim }: DrawableGraph['nodes'][number]): string =>
  claim === undefined ? `${id}: ${percent(belief)}` : `${id}: ${ellipsize(claim, 40)} (${percent(belief)})`

// Control characters break labels in every format; quotes are escaped per format below.
const stripControls = (text: string): string => text.replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, ' ')

export const renderDot = ({ nodes, edges }: DrawableGraph): string =>
  [
    'digraph beliefs {',
    '  node [shape=box, style=rounded];',
    ...nodes.map((node) => `  n${node.id} [label=${JSON.stringify(stripControls(label(node)))}];`),
    ...edges.map(({ src, dst, weight }) => `  n${src} -> n${dst} [label="${weight}"];`),
    '}',
    '',
  ].join('\n')

const mermaidText = (text: string): string =>
  stripControls(text).replace(/[^\p{L}\p{N} .,:%()-]/gu, (char) => `#${char.codePointAt(0)};`)

export const renderMermaid = ({ nodes, edges }: DrawableGraph): string =>
  [
    'flowchart LR',
    ...nodes.map((node) => `  n${node.id}["${mermaidText(label(node))}"]`),
    ...edges.map(({ src, dst, weight }) => `  n${src} -->|"${weight}"| n${dst}`),
    '',
  ].join('\n')

const escapeXml = (text: string): string => escapeMarkup(stripControls(text))

const WIDTH = 260
const HEIGHT = 56
const GAP_X = 90
const GAP_Y = 28

/** Column of each node: one right of its rightmost source. In a cycle the number of nodes is the limit. */
const columnsOf = ({ nodes, edges }: DrawableGraph): Map<number, number> => {
  const columns = new Map(nodes.map(({ id }) => [id, 0]))
  for (let round = 0, moved = true; moved && round < nodes.length; round += 1) {
    moved = false
    for (const { src, dst } of edges) {
      const wanted = (columns.get(src) ?? 0) + 1
      if (src !== dst && wanted > (columns.get(dst) ?? 0) && wanted < nodes.length) {
        columns.set(dst, wanted)
        moved = true
      }
    }
  }
  return columns
}

/** A self-contained SVG. A stronger belief has a more opaque colour. */
export const renderSvg = (graph: DrawableGraph): string => {
  const columns = columnsOf(graph)
  const filled = new Map<number, number>()
  const places = new Map(
    graph.nodes.map(({ id }) => {
      const column = columns.get(id) ?? 0
      const row = filled.get(column) ?? 0
      filled.set(column, row + 1)
      return [id, { x: 20 + column * (WIDTH + GAP_X), y: 20 + row * (HEIGHT + GAP_Y) }] as const
    }),
  )
  const width = 40 + Math.max(1, filled.size) * (WIDTH + GAP_X) - GAP_X
  const tallest = [...filled.values()].reduce((most, rows) => Math.max(most, rows), 1)
  const height = 40 + tallest * (HEIGHT + GAP_Y) - GAP_Y
  const line = ({ src, dst, weight }: EdgeState): string => {
    const from = places.get(src)
    const to = places.get(dst)
    if (from === undefined || to === undefined) return ''
    const [x1, y1, x2, y2] = [from.x + WIDTH, from.y + HEIGHT / 2, to.x, to.y + HEIGHT / 2]
    const colour = weight < 0 ? '#b3261e' : '#3a5a40'
    return `<path d="M${x1} ${y1} C${x1 + 40} ${y1} ${x2 - 40} ${y2} ${x2 - 4} ${y2}" fill="none" stroke="${colour}" stroke-width="1.5" marker-end="url(#tip)"/><text x="${(x1 + x2) / 2}" y="${(y1 + y2) / 2 - 4}" font-size="11" fill="${colour}" text-anchor="middle">${weight}</text>`
  }
  const box = (node: DrawableGraph['nodes'][number]): string => {
    const { x, y } = places.get(node.id) ?? { x: 0, y: 0 }
    const strength = (0.08 + 0.5 * node.belief).toFixed(3)
    return `<rect x="${x}" y="${y}" width="${WIDTH}" height="${HEIGHT}" rx="8" fill="#588157" fill-opacity="${strength}" stroke="#344e41"/><text x="${x + 12}" y="${y + 24}" font-size="13">${escapeXml(ellipsize(node.claim ?? `node ${node.id}`, 36))}</text><text x="${x + 12}" y="${y + 44}" font-size="12" fill="#444">${node.id} · ${percent(node.belief)} · energy ${node.energy}</text>`
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="system-ui, sans-serif"><defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z" fill="#3a5a40"/></marker></defs><rect width="100%" height="100%" fill="#fff"/>${graph.edges.map(line).join('')}${graph.nodes.map(box).join('')}</svg>\n`
}
