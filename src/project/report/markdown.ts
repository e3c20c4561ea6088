import { renderArchitectureMermaid } from '../architecture/mermaid.ts'
import type { Block, Inline, ReportModel } from './model.ts'
import { REPORT_STRINGS } from './strings.ts'

/** Text from the project is data: none of its marks may become markup. */
const plain = (text: string): string =>
  text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/[\\`*[\]<>|~#]|_(?![\p{L}\p{N}])|(?<![\p{L}\p{N}])_/gu, (char) =>
      char === '<' ? '&lt;' : char === '>' ? '&gt;' : `\\${char}`,
    )

/** A code span whose fence is longer than any run of backticks inside. */
const codeSpan = (text: string): string => {
  const bare = text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
  const longest = Math.max(0, ...(bare.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return longest === 0 ? `\`${bare}\`` : `${fence} ${bare} ${fence}`
}

const rowOf = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`

class MarkdownWriter {
  readonly #model: ReportModel

  constructor(model: ReportModel) {
    this.#model = model
  }

  #inline(parts: readonly Inline[]): string {
    const severities = REPORT_STRINGS[this.#model.lang].severities
    return parts
      .map((part) => {
        if (typeof part === 'string') return plain(part)
        if ('code' in part) return codeSpan(part.code)
        return `**${'strong' in part ? plain(part.strong) : severities[part.severity]}**`
      })
      .join('')
  }

  #block(block: Block): string {
    switch (block.kind) {
      case 'heading':
        return `### ${plain(block.text)}`
      case 'text':
        return this.#inline(block.text)
      case 'bullets':
        return block.items.map((item) => `- ${this.#inline(item)}`).join('\n')
      case 'table':
        return [
          rowOf(block.head.map(plain)),
          rowOf(block.head.map(() => '---')),
          ...block.rows.map((row) => rowOf(row.map(plain))),
        ].join('\n')
      case 'diagram':
        return `\`\`\`mermaid\n${renderArchitectureMermaid(block.drawing)}\n\`\`\``
    }
  }

  write(): string {
    const sections = this.#model.sections.map(({ title, blocks }, index) =>
      [`${index === 0 ? '#' : '##'} ${plain(title)}`, ...blocks.map((block) => this.#block(block))].join(
        '\n\n',
      ),
    )
    return `${sections.join('\n\n')}\n`
  }
}

export const writeMarkdown = (model: ReportModel): string => new MarkdownWriter(model).write()
