import { renderArchitectureMermaid } from '../mermaid.ts'
import type { SuggestionSeverity } from '../suggestion.ts'
import type { Block, Inline, ReportLanguage, ReportModel } from './model.ts'
import { REPORT_STRINGS } from './strings.ts'

/** How one output format writes the parts of a line. Each function escapes its text. */
export interface InlineFormat {
  readonly text: (text: string) => string
  readonly code: (text: string) => string
  readonly severity: (severity: SuggestionSeverity, label: string) => string
}

export const renderInline = (
  parts: readonly Inline[],
  lang: ReportLanguage,
  { text, code, severity }: InlineFormat,
): string =>
  parts
    .map((part) => {
      if (typeof part === 'string') return text(part)
      if ('code' in part) return code(part.code)
      return severity(part.severity, REPORT_STRINGS[lang].severities[part.severity])
    })
    .join('')

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

const markdownRow = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

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
        markdownRow(block.head.map(escapeMarkdown)),
        markdownRow(block.head.map(() => '---')),
        ...block.rows.map((row) => markdownRow(row.map(escapeMarkdown))),
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
