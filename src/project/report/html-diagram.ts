import { escapeMarkup } from '../../kernel/text/escape-markup.ts'
import type { Drawing } from '../architecture/mermaid.ts'
import { shortLabel } from '../architecture/mermaid.ts'
import { BOX, type Box, layOut } from './html-layout.ts'

/** No text of the project may become markup. */
export const escapeHtml = (text: string): string =>
  escapeMarkup(
    // Control characters, which HTML forbids, and format characters, which change the text direction.
    text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (char) =>
      char === '\n' || char === '\t' ? char : '\uFFFD',
    ),
  )

/** From the edge of one box to the edge of another: down, up, or around the side. */
const pathOf = (from: Box, to: Box): string => {
  const [x1, x2] = [from.x + BOX.width / 2, to.x + BOX.width / 2]
  if (from.y === to.y) {
    const below = from.y + BOX.height
    return `M${x1} ${below} C${x1} ${below + 46} ${x2} ${below + 46} ${x2} ${below + 2}`
  }
  const down = to.y > from.y
  const [y1, y2] = [down ? from.y + BOX.height : from.y, down ? to.y - 2 : to.y + BOX.height + 2]
  const bend = (y2 - y1) / 2
  return `M${x1} ${y1} C${x1} ${y1 + bend} ${x2} ${y2 - bend} ${x2} ${y2}`
}

const boxOf = ({ node, x, y }: Box): string => {
  const title = escapeHtml(`${node.name}\n${node.role}\n${node.source.file}:${node.source.line}`)
  const round = node.kind === 'APP' || node.kind === 'EXT' ? BOX.height / 2 : 6
  return [
    `<g class="${node.kind.toLowerCase()}"><title>${title}</title>`,
    `<rect x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="${round}"/>`,
    `<text x="${x + BOX.width / 2}" y="${y + BOX.height / 2 + 4}">${escapeHtml(shortLabel(node.name))}</text></g>`,
  ].join('')
}

/** The graph as a picture: no script, nothing fetched. */
export const renderArchitectureSvg = ({ graph }: Drawing, label: string): string => {
  const { boxes, edges, width, height } = layOut(graph)
  const arrows = edges.map(({ edge, from, to }) => {
    const title = escapeHtml(
      [`${from.node.name} → ${to.node.name}`, edge.label, `${edge.source.file}:${edge.source.line}`].join(
        '\n',
      ),
    )
    const labelled = edge.label === '' ? '' : ' class="by"'
    return `<path${labelled} d="${pathOf(from, to)}" marker-end="url(#tip)"><title>${title}</title></path>`
  })
  return [
    `<svg viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="${escapeHtml(label)}">`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0L8 4L0 8z"/></marker></defs>',
    `<g class="edges">${arrows.join('')}</g>`,
    boxes.map(boxOf).join(''),
    '</svg>',
  ].join('\n')
}
