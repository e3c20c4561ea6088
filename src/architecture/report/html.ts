import { escapeMarkup } from '../../kernel/text/escape-markup.ts'
import { type Drawing, renderArchitectureMermaid } from '../mermaid.ts'
import { BOX_HEIGHT, type Box, type EdgeRoute, layOutGraph } from './html-layout.ts'
import { type InlineFormat, renderInline } from './markdown.ts'
import type { Block, ReportLanguage, ReportModel, Section } from './model.ts'
import { REPORT_STRINGS } from './strings.ts'

/** Escapes text of the project: none of its characters may become markup. */
const escapeHtml = (text: string): string =>
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
  const { boxes, edges, width, height } = layOutGraph(graph)
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

const STYLE = `
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5b6675;--line:#d8dee6;--paper:#fff;--well:#f5f7fa;--app:#e7e0fb;--ctrl:#dbeafe;--svc:#dcfce7;--rep:#fef3c7;--ext:#f1f5f9;--link:#1d5fa8}
@media(prefers-color-scheme:dark){:root{--ink:#e5e9f0;--soft:#9aa5b4;--line:#364152;--paper:#12161d;--well:#1a202a;--app:#3b2f63;--ctrl:#1e3a5f;--svc:#1d4030;--rep:#4a3a12;--ext:#27303d;--link:#8ab8f0}}
*{box-sizing:border-box}
body{margin:0 auto;max-width:1200px;padding:2.5rem 1.5rem 4rem;font:15px/1.6 system-ui,sans-serif;color:var(--ink);background:var(--paper)}
h1{font-size:1.9rem;margin:0 0 1rem}
h2{font-size:1.3rem;margin:2.6rem 0 .8rem;padding-bottom:.3rem;border-bottom:1px solid var(--line)}
h3{font-size:1.02rem;margin:1.6rem 0 .5rem}
code{font:.87em ui-monospace,monospace;background:var(--well);padding:.1em .35em;border-radius:4px;overflow-wrap:anywhere}
.wide{overflow-x:auto;border:1px solid var(--line);border-radius:8px}
table{border-collapse:collapse;width:100%;font-size:.9rem}
th,td{text-align:left;padding:.4rem .7rem;border-top:1px solid var(--line);overflow-wrap:anywhere}
td{min-width:6.5em}
thead th{white-space:nowrap;border-top:0;background:var(--well);color:var(--soft);font-weight:600}
.diagram{padding:.5rem;background:var(--well);text-align:center}
svg{max-width:100%;height:auto}
svg text{font:12px system-ui,sans-serif;text-anchor:middle;fill:var(--ink)}
svg rect{stroke:var(--soft);fill:var(--ext);fill-opacity:.94}
.app rect{fill:var(--app)}.ctrl rect{fill:var(--ctrl)}.svc rect{fill:var(--svc)}.rep rect{fill:var(--rep)}
.ext rect{stroke-dasharray:5 3}
a{color:var(--link)}
nav ol{columns:16rem;padding-left:1.6rem;margin:.3rem 0 1.2rem}
svg a{cursor:pointer}
svg a:hover rect,svg a:focus rect{stroke:var(--link);stroke-width:2.2}
.edges path{fill:none;stroke:var(--soft);stroke-width:1.3}
.edges .by{stroke-dasharray:4 3}
.edges .order{stroke-dasharray:1 5;opacity:.6}
marker path{fill:var(--soft)}
details{margin:.6rem 0}
summary{cursor:pointer;color:var(--soft)}
pre{overflow-x:auto;background:var(--well);padding:1rem;border-radius:8px;font-size:.8rem}
.tag{display:inline-block;min-width:4.6em;text-align:center;border-radius:4px;padding:0 .4em;font-size:.8em;font-weight:600;color:#fff;background:#64748b}
.critical{background:#b3123a}.high{background:#b45309}.medium{background:#1d5fa8}.low{background:#4b6b57}
`

/** The page loads nothing and runs no script, whatever text the project's files put into it. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"

const HTML: InlineFormat = {
  text: escapeHtml,
  code: (text) => `<code>${escapeHtml(text)}</code>`,
  severity: (severity, label) => `<span class="tag ${severity}">${label}</span>`,
}

const renderTable = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const cells = (row: readonly string[], tag: string) =>
    row.map((cell) => `<${tag}>${escapeHtml(cell)}</${tag}>`).join('')
  const body = rows.map((row) => `<tr>${cells(row, 'td')}</tr>`).join('\n')
  return `<div class="wide"><table><thead><tr>${cells(head, 'th')}</tr></thead><tbody>${body}</tbody></table></div>`
}

const htmlBlock = (block: Block, title: string, lang: ReportLanguage): string => {
  switch (block.kind) {
    case 'heading':
    case 'label':
      return `<h3>${escapeHtml(block.text)}</h3>`
    case 'text':
      return `<p>${renderInline(block.text, lang, HTML)}</p>`
    case 'bullets':
      return `<ul>${block.items.map((item) => `<li>${renderInline(item, lang, HTML)}</li>`).join('')}</ul>`
    case 'table':
      return block.rows.length === 0 ? '' : renderTable(block.head, block.rows)
    case 'diagram':
      return [
        `<div class="wide diagram">${renderArchitectureSvg(block.drawing, title, block.links)}</div>`,
        `<details><summary>Mermaid</summary><pre>${escapeHtml(renderArchitectureMermaid(block.drawing))}</pre></details>`,
      ].join('\n')
  }
}

/** The table of contents. */
const renderContents = (sections: readonly Section[], lang: ReportLanguage): string => {
  const items = sections.flatMap(({ id, title }) =>
    id === undefined ? [] : [`<li><a href="#${id}">${escapeHtml(title)}</a></li>`],
  )
  const { contents } = REPORT_STRINGS[lang]
  return items.length === 0
    ? ''
    : `<nav aria-label="${escapeHtml(contents)}"><h3>${escapeHtml(contents)}</h3><ol>${items.join('')}</ol></nav>\n`
}

/** The report as one self-contained HTML file. */
export const writeHtml = ({ lang, sections }: ReportModel): string =>
  [
    `<!doctype html>\n<html lang="${lang}">\n<head>\n<meta charset="utf-8">`,
    `<meta http-equiv="Content-Security-Policy" content="${CONTENT_SECURITY_POLICY}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(sections[0]?.title ?? '')}</title>`,
    `<style>${STYLE}</style>\n</head>\n<body>`,
    ...sections.map(({ id, title, blocks }, index) => {
      const tag = index === 0 ? 'h1' : 'h2'
      const place = id === undefined ? '' : ` id="${id}"`
      const contents = index === 0 ? renderContents(sections, lang) : ''
      return `<section${place}><${tag}>${escapeHtml(title)}</${tag}>\n${contents}${blocks.map((block) => htmlBlock(block, title, lang)).join('\n')}</section>`
    }),
    '</body>\n</html>\n',
  ].join('\n')
