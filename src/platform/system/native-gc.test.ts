import { expect, it } from 'vitest'
import { syntaxTrees } from '../syntax/syntax-trees.ts'
import { createCollector } from './native-gc.ts'

it('frees the syntax tree of a file before the next ones fill the memory', async () => {
  const text = 'export const one = (a: number, b: number) => [a, b].map((n) => n * 2)\n'.repeat(100)
  const kinds = ['identifier', 'call_expression', 'arrow_function']
  const parser = syntaxTrees()
  const free = createCollector()
  const before = process.memoryUsage.rss()
  for (let file = 0; file < 100; file += 1) {
    for (const node of parser.parse('TypeScript', text).descend(kinds)) node.parent()
    await free()
  }
  // All trees together take more than 150 MB.
  expect(process.memoryUsage.rss() - before).toBeLessThan(96 * 1024 * 1024)
})
