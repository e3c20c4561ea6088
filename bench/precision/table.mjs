/**
 * A table of Markdown; every column but the first holds figures.
 *
 * @param {(string | number)[][]} lines the head first
 */
export function table(lines) {
  const [head = [], ...body] = lines
  const rule = head.map((_, index) => (index === 0 ? '---' : '---:'))
  return [head, rule, ...body].map((line) => `| ${line.join(' | ')} |`).join('\n')
}

/**
 * The interval of Wilson for a share, at 95 %.
 *
 * @param {number} right
 * @param {number} all
 */
export function wilsonInterval(right, all) {
  const z = 1.96
  const share = right / all
  const middle = share + (z * z) / (2 * all)
  const spread = z * Math.sqrt((share * (1 - share)) / all + (z * z) / (4 * all * all))
  const under = 1 + (z * z) / all
  return [(middle - spread) / under, (middle + spread) / under]
    .map((end) => `${(100 * end).toFixed(1)} %`)
    .join(' to ')
}
