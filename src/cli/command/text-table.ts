import { escapeLineBreaks } from '../../kernel/text/escape-text.ts'

/** Columns aligned by their widest cell. */
export const writeTable = (head: readonly string[], given: readonly (readonly string[])[]): string => {
  const rows = given.map((row) => row.map(escapeLineBreaks))
  const widths = head.map((title, at) =>
    rows.reduce((widest, row) => Math.max(widest, row[at]?.length ?? 0), title.length),
  )
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}
