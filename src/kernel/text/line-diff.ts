/** A longer text is shown as a whole: the comparison takes time with the product of the lengths. */
const MAX_LINES = 2_000

/** The lines of two texts: `-` only in the first, `+` only in the second, a blank in both. */
export const diffLines = (before: string, after: string): readonly string[] => {
  const [old, now] = [before.split('\n'), after.split('\n')]
  if (old.length > MAX_LINES || now.length > MAX_LINES) return now.map((line) => `+ ${line}`)
  const width = now.length + 1
  // The length of the longest common subsequence of what follows.
  const common = new Uint16Array((old.length + 1) * width)
  const at = (row: number, column: number) => common[row * width + column] ?? 0
  for (let row = old.length - 1; row >= 0; row--)
    for (let column = now.length - 1; column >= 0; column--)
      common[row * width + column] =
        old[row] === now[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1))
  const lines: string[] = []
  let [row, column] = [0, 0]
  while (row < old.length || column < now.length) {
    if (row < old.length && column < now.length && old[row] === now[column]) {
      lines.push(`  ${old[row]}`)
      row++
      column++
    } else if (column === now.length || (row < old.length && at(row + 1, column) >= at(row, column + 1)))
      lines.push(`- ${old[row++]}`)
    else lines.push(`+ ${now[column++]}`)
  }
  return lines
}
