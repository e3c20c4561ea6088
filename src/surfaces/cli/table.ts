/** What would end the line, forge another or paint the terminal is a blank. */
const oneLine = (cell: string): string =>
  cell.replace(/[\p{Cc}\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ')

/** Columns aligned by their widest cell. */
export const writeTable = (head: readonly string[], given: readonly (readonly string[])[]): string => {
  const rows = given.map((row) => row.map(oneLine))
  const widths = head.map((title, at) => Math.max(title.length, ...rows.map((row) => row[at]?.length ?? 0)))
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd()
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n')
}
