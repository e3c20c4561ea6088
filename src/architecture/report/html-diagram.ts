import { escapeMarkup } from '../../kernel/text/escape-markup.ts'
import type { Drawing } from '../mermaid.ts'
import { BOX_HEIGHT, type Box, type EdgeRoute, layOut } from './html-layout.ts'

/** Escapes text of the project: none of its characters may become markup. */
export const escapeHtml = (text: string): string =>
  escapeMarkup(
    // Control characters, which HTML forbids, and format characters, which change the text direction.
    text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) =>
      char === '\n' || char === '\t' ? char : '\uFFFD',
    ),
  )

interface Point {
  readonly x: number
  readonly y: number
}

const curve = (from: Point, to: Point): string => {
  const bend = (to.y - from.y) / 2
  return `C${from.x} ${from.y + bend} ${to.x} ${to.y - bend} ${to.x} ${to.y}`
}

/** A curve from box to box that crosses the rows between them in their gaps; below the row when both are in one row. */
const pathOf = ({ from, to, crossings }: EdgeRoute): string => {
  const [x1, x2] = [from.x + from.width / 2, to.x + to.width / 2]
  if (from.y === to.y) {
    const below = from.y + BOX_HEIGHT
    return `M${x1} ${below} C${x1} ${below + 46} ${x2} ${below + 46} ${x2} ${below + 2}`
  }
  const down = to.y > from.y
  let at: Point = { x: x1, y: down ? from.y + BOX_HEIGHT : from.y }
  let path = `M${at.x} ${at.y}`
  for (const { x, y } of crossings) {
    const [enter, leave] = down ? [y - 4, y + BOX_HEIGHT + 4] : [y + BOX_HEIGHT + 4, y - 4]
    path += ` ${curve(at, { x, y: enter })} L${x} ${leave}`
    at = { x, y: leave }
  }
  return `${path} ${curve(at, { x: x2, y: down ? to.y - 2 : to.y + BOX_HEIGHT + 2 })}`
}

const LINE = 15

const boxOf = ({ node, lines, x, y, width }: Box, link: string | undefined): string => {
  const title = escapeHtml(`${node.name}\n${node.role}\n${node.source.file}:${node.source.line}`)
  const round = node.kind === 'APP' || node.kind === 'EXT' ? BOX_HEIGHT / 2 : 6
  const first = y + BOX_HEIGHT / 2 + 4 - ((lines.length - 1) * LINE) / 2
  const spans = lines.map(
    (line, at) => `<tspan x="${x + width / 2}" y="${first + at * LINE}">${escapeHtml(line)}</tspan>`,
  )
  const group = [
    `<g class="${node.kind.toLowerCase()}"><title>${title}</title>`,
    `<rect x="${x}" y="${y}" width="${width}" height="${BOX_HEIGHT}" rx="${round}"/>`,
    `<text>${spans.join('')}</text></g>`,
  ].join('')
  return link === undefined ? group : `<a href="#${link}">${group}</a>`
}

/** The graph as SVG without scripts and external resources. Boxes in `links` lead to a section of the page. */
export const renderArchitectureSvg = (
  { graph }: Drawing,
  label: string,
  links: Readonly<Record<string, string>> = {},
): string => {
  const { boxes, edges, width, height } = layOut(graph)
  const arrows = edges.map((route) => {
    const { edge, from, to } = route
    const title = escapeHtml(
      [`${from.node.name} → ${to.node.name}`, edge.label, `${edge.source.file}:${edge.source.line}`].join(
        '\n',
      ),
    )
    const labelled = edge.isOrder === true ? ' class="order"' : edge.label === '' ? '' : ' class="by"'
    return `<path${labelled} d="${pathOf(route)}" marker-end="url(#tip)"><title>${title}</title></path>`
  })
  const linkOf = (id: string) => (Object.hasOwn(links, id) ? links[id] : undefined)
  return [
    `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeHtml(label)}">`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>',
    `<g class="edges">${arrows.join('')}</g>`,
    boxes.map((box) => boxOf(box, linkOf(box.node.id))).join(''),
    '</svg>',
  ].join('\n')
}
