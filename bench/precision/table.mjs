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
