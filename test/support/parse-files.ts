import { syntaxTrees } from '../../src/platform/syntax/syntax-trees.ts'
import { createCollector } from '../../src/platform/system/native-gc.ts'

/** Parses a file so many times, looks at its nodes, and prints by how many bytes the process grew. */
export const main = async ([count]: readonly string[]): Promise<void> => {
  const text = 'export const one = (a: number, b: number) => [a, b].map((n) => n * 2)\n'.repeat(100)
  const kinds = ['identifier', 'call_expression', 'arrow_function']
  const parser = syntaxTrees()
  const free = createCollector()
  const before = process.memoryUsage.rss()
  for (let file = 0; file < Number(count); file += 1) {
    for (const node of parser.parse('TypeScript', text).descend(kinds)) node.parent()
    await free()
  }
  process.stdout.write(`${process.memoryUsage.rss() - before}\n`)
}
