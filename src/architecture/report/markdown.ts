import { renderArchitectureMermaid } from '../mermaid.ts'
import { type InlineFormat, renderInline } from './inline.ts'
import type { Block, ReportLanguage, ReportModel } from './model.ts'

/** Escapes text of the project: none of its characters may become markup. */
const escapeMarkdown = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\\`*[\]<>|~#]|_(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])_/gu, (char) =>
      char === '<' ? '&lt;' : char === '>' ? '&gt;' : `\\${char}`,
    )

/** A code span whose delimiter is longer than any run of backticks inside. */
const codeSpan = (text: string): string => {
  const bare = text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
  const longest = Math.max(0, ...(bare.match(/`+/g) ?? []).map((run) => run.length))
  const delimiter = '`'.repeat(longest + 1)
  return longest === 0 ? `\`${bare}\`` : `${delimiter} ${bare} ${delimiter}`
}

const MARKDOWN: InlineFormat = {
  text: escapeMarkdown,
  code: codeSpan,
  severity: (_, label) => `**${label}**`,
}

const rowOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

const renderBlock = (block: Block, lang: ReportLanguage): string => {
  switch (block.kind) {
    case 'heading':
      return `### ${escapeMarkdown(block.text)}`
    case 'label':
      return `**${escapeMarkdown(block.text)}**`
    case 'text':
      return renderInline(block.text, lang, MARKDOWN)
    case 'bullets':
      return block.items.map((item) => `- ${renderInline(item, lang, MARKDOWN)}`).join('\n')
    case 'table':
      return [
        rowOf(block.head.map(escapeMarkdown)),
        rowOf(block.head.map(() => '---')),
        ...block.rows.map((row) => rowOf(row.map(escapeMarkdown))),
      ].join('\n')
    case 'diagram':
      return `\`\`\`mermaid\n${renderArchitectureMermaid(block.drawing)}\n\`\`\``
  }
}

export const writeMarkdown = ({ lang, sections }: ReportModel): string => {
  const texts = sections.map(({ title, blocks }, index) =>
    [
      `${index === 0 ? '#' : '##'} ${escapeMarkdown(title)}`,
      ...blocks.map((block) => renderBlock(block, lang)),
    ].join('\n\n'),
  )
  return `${texts.join('\n\n')}\n`
}
