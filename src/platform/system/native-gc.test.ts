import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const pathOf = (name: string): string => fileURLToPath(new URL(`../../../${name}`, import.meta.url))

it('frees the syntax tree of a file before the next ones fill the memory', () => {
  // Memory is measured in a process of its own: the tests share theirs.
  const words = [pathOf('scripts/run.mjs'), pathOf('test/support/parse-files.ts'), '100']
  const grown = Number(execFileSync(process.execPath, words, { encoding: 'utf8', cwd: pathOf('') }))
  expect(grown).toBeGreaterThan(0)
  // All trees together take more than 150 MB.
  expect(grown).toBeLessThan(96 * 1024 * 1024)
})
